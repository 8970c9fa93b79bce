import type { StorageAttribute } from '@entia/core'
import {
  type BatchOutcome,
  decodeValue,
  type StoredValue,
  storedKey,
  type Table,
} from '@entia/core/internal'
import {
  type Heading,
  isHeading,
  isList,
  isOutcome,
  isStamp,
  isTimestamp,
  isWhole,
} from './checked.ts'
import {
  type Contents,
  columnIn,
  type Draft,
  draftEach,
  type EntityState,
  endLoads,
  idOf,
  newDraft,
} from './contents.ts'
import { type Hinted, isHints, type Marks } from './marks.ts'
import { isOwnClass, type Position } from './own-classes.ts'
import { ReplicaError } from './replica-error.ts'

interface Received {
  readonly table: Table
  /** By the number of the column in lines; null for one that the definitions do not have. */
  readonly columns: readonly (StorageAttribute | undefined)[]
}

/** A complete moment of the server. */
export interface Moment {
  readonly draft: Draft
  readonly outcomes: readonly BatchOutcome[]
  readonly position: Omit<Position, 'shapes' | 'model'>
  /**
   * The server sends no longer some entities or attributes that were here: other permissions or
   * shapes are in force, or they were removed while there was no stream.
   */
  readonly isLess: boolean
}

/**
 * Reads the lines of one stream. What they say collects in a draft until a moment is complete.
 * Throws a ReplicaError if the definitions do not fit the server's model, and an Error for lines
 * that do not follow from those before.
 */
export class Lines {
  readonly #contents: Contents
  #classes: readonly Received[] = []
  #heading: Omit<Position, 'globalStamp' | 'shapes' | 'model'> | null = null
  #draft = newDraft()
  #outcomes: BatchOutcome[] = []
  #isLess = false
  readonly #marks: Marks | null
  /**
   * In the first moment of a stream that does not continue: whether an entity stays that was not
   * sent. Null later.
   */
  #stays: ((dataClass: string, key: string | number) => boolean) | null = null
  /** The parts of each dataclass that the server sends. */
  readonly #sentParts = new Map<string, ReadonlySet<number>>()
  /** The hints that have come, if the server asks for marks; null if it does not. */
  #hints: Map<string, Hinted> | null = null

  /** What the server asks for marks of, before it ends the stream; null for nothing. */
  get wanted(): readonly Hinted[] | null {
    return this.#hints?.size === this.#classes.length ? [...this.#hints.values()] : null
  }

  /** Whose permissions the stream has, and the era of the server; null before the first line. */
  caller: Pick<Heading, 'user' | 'era'> | null = null

  /** `marks`: those that the request had. */
  constructor(contents: Contents, marks: Marks | null) {
    this.#contents = contents
    this.#marks = marks
  }

  /** The moment that a line completes; null for other lines. */
  read(text: string): Moment | null {
    if (text === '') return null
    const line: unknown = JSON.parse(text)
    if (this.#heading === null) {
      refuseVersion(line)
      if (!isHeading(line)) throw broken(text)
      this.#begin(line)
      return null
    }
    if (!Array.isArray(line)) throw broken(text)
    const [first, second, third] = line as readonly unknown[]
    if (first === '!') throw new Error(`The server ended the stream: ${String(second)}.`)
    if (first === '~') this.#compared(line, text)
    else if (this.#hints !== null) throw broken(text)
    else if (first === '=') {
      if (!isWhole(second) || !(third === undefined || typeof third === 'string'))
        throw broken(text)
      return this.#complete(second, third)
    } else if (first !== 'b') this.#entities(line, text)
    else if (isOutcome(second)) this.#outcomes.push(second)
    else throw broken(text)
    return null
  }

  #begin({ instance, fingerprint, era, user, mode, classes }: Heading): void {
    if (mode === 'marks') {
      if (this.#marks !== null) throw new Error('The server asks for marks that it has.')
      this.#hints = new Map()
    }
    if (mode === 'whole') this.#stays = () => false
    if (mode === 'compare') this.#stays = (name, key) => this.#isSame(name, key)
    this.#classes = classes.map(([name, columns]) => {
      const model = this.#contents.store.catalog.byName.get(name)
      if (model === undefined || isOwnClass(name))
        throw new ReplicaError(
          'modelDiffers',
          `The shapes lead to the dataclass "${name}", which is not among dataClasses. Add its definition.`,
        )
      if (!columns.includes(model.key.name))
        throw new ReplicaError(
          'modelDiffers',
          `The key of "${name}" is "${model.key.name}" here, and another attribute at the server. Use the definitions of the server.`,
        )
      const table = this.#contents.tableOf(name)
      return { table, columns: columns.map((column) => columnIn(model, column)) }
    })
    const held = Object.fromEntries(classes)
    this.caller = { user, era }
    this.#heading = { instance, fingerprint, user, held }
    this.#isLess = Object.entries(this.#contents.held).some(([name, attributes]) =>
      attributes.some((attribute) => held[name]?.includes(attribute) !== true),
    )
  }

  /** What the server has compared: these parts follow, or all. Or hints for a comparison. */
  #compared([, number, given]: readonly unknown[], text: string): void {
    const received = this.#receivedBy(number)
    if (received === undefined) throw broken(text)
    const { name } = received.table.model
    if (this.#hints !== null) {
      if (!isHints(given)) throw broken(text)
      this.#hints.set(name, { name, columns: this.#heading!.held[name]!, hints: given })
      return
    }
    if (!(given === undefined || isList(given, isWhole))) throw broken(text)
    if (given !== undefined) this.#sentParts.set(name, new Set(given))
  }

  /** The server has the entity as it is here. */
  #isSame(name: string, key: string | number): boolean {
    const sent = this.#sentParts.get(name)
    const marks = this.#marks?.get(name)
    return sent !== undefined && marks !== undefined && !sent.has(marks.partOf(key))
  }

  #entities(line: readonly unknown[], text: string): void {
    const [number, key] = line
    const received = this.#receivedBy(number)
    if (received === undefined) throw broken(text)
    if (Array.isArray(key)) this.#columns(received, line, text)
    else if (key === null || storedKey(received.table.model, key) !== key) throw broken(text)
    else this.#entity(received, key as string | number, line, text)
  }

  /** The dataclass of a line. */
  #receivedBy(number: unknown): Received | undefined {
    return isWhole(number) ? this.#classes[number] : undefined
  }

  /** Several entities, column by column. */
  #columns({ table, columns }: Received, line: readonly unknown[], text: string): void {
    const [, lists, stamps, given] = line as readonly [number, unknown[], unknown, unknown]
    const timestamps = valuesIn(given, asIs<number>)
    if (!isList(stamps, isStamp) || !timestamps.every(isTimestamp)) throw broken(text)
    const { storage, key } = table.model
    const values: (readonly StoredValue[])[] = []
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at]!
      if (column !== undefined)
        values[column.ordinal] = valuesIn(lists[at], (value) => storedIn(column, value))
    }
    if (values[key.ordinal] === undefined) throw broken(text)
    const missing = stamps.map(() => null)
    const all = storage.map(({ ordinal }) => values[ordinal] ?? missing)
    for (const list of [timestamps, ...all]) if (list.length !== stamps.length) throw broken(text)
    const piece = { table, columns: all, stamps, timestamps }
    if (!this.#contents.takesLoad(table)) endLoads(this.#draft, table)
    const { loads } = this.#draft
    const pieces = loads.get(table)
    if (pieces === undefined) loads.set(table, [piece])
    else if (pieces !== null) pieces.push(piece)
    else draftEach(this.#draft, piece)
  }

  #entity(
    { table, columns }: Received,
    key: string | number,
    line: readonly unknown[],
    text: string,
  ): void {
    const { name, storage, key: keyColumn } = table.model
    endLoads(this.#draft, table)
    if (line.length === 2) {
      this.#put(table, key, null)
      return
    }
    const [, , stamp, timestamp, given, numbers] = line
    const isWholeEntity = numbers === undefined
    const places = isWholeEntity ? columns.map((_, at) => at) : numbers
    if (!isStamp(stamp) || !isTimestamp(timestamp) || !isList(places, isWhole)) throw broken(text)
    if (!Array.isArray(given) || given.length !== places.length) throw broken(text)
    const id = idOf(name, key)
    const drafted = this.#draft.entities.get(id)?.state
    const known = drafted === undefined ? this.#contents.base(name, key) : drafted
    if (!isWholeEntity && known === null)
      throw new Error(`A change of ${id} has arrived, which is not here.`)
    const values = isWholeEntity ? storage.map(() => null as StoredValue) : [...known!.values]
    for (const [i, value] of (given as readonly unknown[]).entries()) {
      const column = columns[places[i]!]
      if (column !== undefined) values[column.ordinal] = storedIn(column, value)
    }
    if (values[keyColumn.ordinal] !== key) throw broken(text)
    this.#put(table, key, { values, stamp, timestamp })
  }

  #put({ model: { name } }: Table, key: string | number, state: EntityState): void {
    this.#draft.entities.set(idOf(name, key), { dataClass: name, key, state })
  }

  /** The fingerprint is that of the first line, unless the moment has one of its own. */
  #complete(globalStamp: number, fingerprint = this.#heading!.fingerprint): Moment {
    const draft = this.#draft
    const outcomes = this.#outcomes
    const stays = this.#stays
    if (stays !== null)
      for (const { name } of this.#contents.store.catalog.classes)
        for (const [key] of isOwnClass(name) ? [] : this.#contents.sent(name)) {
          const id = idOf(name, key)
          if (draft.entities.has(id) || stays(name, key)) continue
          draft.entities.set(id, { dataClass: name, key, state: null })
          this.#isLess = true
        }
    const isLess = this.#isLess
    this.#isLess = false
    this.#stays = null
    this.#draft = newDraft()
    this.#outcomes = []
    return { draft, outcomes, position: { ...this.#heading!, globalStamp, fingerprint }, isLess }
  }
}

function refuseVersion(line: unknown): void {
  const { version } = (line ?? {}) as Partial<Heading>
  if (version !== 1)
    throw new ReplicaError(
      'modelDiffers',
      `The server speaks version ${String(version)} of the replica protocol, this program version 1. Reload it.`,
    )
}

/** Throws a ReplicaError for a value that the definition does not have. */
function storedIn(column: StorageAttribute, value: unknown): StoredValue {
  try {
    return decodeValue(column, value)
  } catch {
    throw new ReplicaError(
      'modelDiffers',
      `The server has sent a value of "${column.owner.name}.${column.name}" that is not a ${column.type}. Use the definitions of the server.`,
    )
  }
}

const asIs = <T>(value: unknown): T => value as T

/** The values of a column; words that repeat are read once. */
function valuesIn<T>(list: unknown, read: (value: unknown) => T): readonly T[] {
  if (Array.isArray(list)) return list.map(read)
  const { w, c } = (list ?? {}) as { readonly w?: unknown; readonly c?: unknown }
  if (!Array.isArray(w) || !isList(c, isWhole))
    throw new Error('The server has sent a column that is neither values nor words.')
  const words = w.map(read)
  return c.map((code) => {
    const word = words[code]
    if (word === undefined)
      throw new Error(`The server has sent a column without the word ${code}.`)
    return word
  })
}

const broken = (text: string): Error =>
  new Error(`The server has sent a line that is not one of a replica: ${text.slice(0, 80)}`)
