import type { AnyDataStore, ClassModel } from '@entia/core'
import type { Draft } from './contents.ts'
import {
  type Asked,
  type HeldContents,
  type HeldKeys,
  isOwnClass,
  type Position,
  ReplicaPlace,
  type ServerMoment,
} from './own-classes.ts'
import { ReplicaError, type ReplicaErrorCode } from './replica-error.ts'

/** The entity of `ReplicaPlace`. */
interface PlaceValues {
  readonly ID: string
  readonly replica: string
  readonly last: number
  readonly era: string | null
  readonly at: ServerMoment | null
  readonly contents: HeldContents | null
  readonly met: string | null
  readonly state: string | null
  readonly problem: string | null
  readonly keys: { readonly [dataClass: string]: HeldKeys } | null
  readonly asked: Asked | null
}

/** What a tab that follows sees before the tab with the stream has begun. */
const NOTHING: PlaceValues = {
  ID: 'place',
  replica: '',
  last: 0,
  era: null,
  at: null,
  contents: null,
  met: null,
  state: null,
  problem: null,
  keys: null,
  asked: null,
}

interface PlacePort {
  readonly store: AnyDataStore
  /** False in a tab that follows another one. */
  leads(): boolean
  /** Runs a body that may change the store in one commit. */
  write<R>(body: () => R): R
}

const ID = 'place'
const DAY = 86_400_000

/** Where a replica is, kept with its contents. */
export class Place {
  readonly #port: PlacePort

  constructor(port: PlacePort) {
    this.#port = port
  }

  /** The id of the replica. */
  get replica(): string {
    return this.#values.replica
  }
  /** The number of the last batch. */
  get last(): number {
    return this.#values.last
  }
  /** The era that the server has named; null before its first answer. */
  get era(): string | null {
    return this.#values.era
  }
  /** In another era, the server may not know which keys it has leased. */
  setEra(era: string): void {
    if (era === this.era) return
    const held = Object.entries(this.keys).map(([name, keys]) => [name, { ...keys, instance: '' }])
    const keys = Object.fromEntries(held) as { [dataClass: string]: HeldKeys }
    this.#port.write(() => this.#table.update(ID, { era, keys }))
  }
  /** The complete moment that is here; null for none. */
  get at(): Position | null {
    const { at, contents } = this.#values
    return at === null || contents === null ? null : { ...at, ...contents }
  }

  /** False before the first start, and after the data were removed. */
  get exists(): boolean {
    return this.#table.get(ID) !== undefined
  }
  /** The state and the error that the tab with the stream has told. */
  get told(): string | null {
    return this.#values.state
  }
  get error(): Error | null {
    const { problem } = this.#values
    const [, code, message = ''] = problem?.match(/^ReplicaError (\w+): (.*)$/s) ?? []
    if (code !== undefined) return new ReplicaError(code as ReplicaErrorCode, message)
    return problem === null ? null : new Error(problem)
  }
  tell(state: string, error: unknown): void {
    const { ID, ...before } = this.#values
    const problem =
      error instanceof ReplicaError
        ? `ReplicaError ${error.code}: ${error.message}`
        : error === null
          ? null
          : String(error)
    if (before.state !== state || before.problem !== problem)
      this.#port.write(() => this.#table.update(ID, { state, problem }))
  }
  /** What another tab asks for. */
  get asked(): Asked | null {
    return this.#values.asked
  }
  get mustForget(): boolean {
    return this.asked !== null && 'forget' in this.asked
  }
  /** Part of the open transaction. */
  ask(asked: Asked): void {
    this.#table.update(ID, { asked })
  }
  /** Notes the shapes that were asked for last; null for those of the options. */
  answer(shapes: HeldContents['shapes'] | null): void {
    const asked = shapes && { shapes }
    if (asked !== null || this.asked !== null)
      this.#port.write(() => this.#table.update(ID, { asked }))
  }

  /** The whole-number keys that are leased, by dataclass. */
  get keys(): { readonly [dataClass: string]: HeldKeys } {
    return this.#values.keys ?? {}
  }
  /** Part of the open transaction. */
  setKeys(keys: { readonly [dataClass: string]: HeldKeys }): void {
    const { ID } = this.#values
    this.#table.update(ID, { keys })
  }

  /** Part of the open transaction. */
  setLast(last: number): void {
    const { ID } = this.#values
    this.#table.update(ID, { last })
  }
  draftLast({ own }: Draft, last: number): void {
    own.set('place', [ReplicaPlace.name, this.#values.ID, { last }])
  }
  /** The server was there, with this moment. */
  draftMoment({ own }: Draft, position: Position): void {
    const { instance, globalStamp, fingerprint, ...contents } = position
    const at = { instance, globalStamp, fingerprint }
    own.set('place', [ReplicaPlace.name, this.#values.ID, { at, contents, met: Date.now() }])
  }

  /** Notes that the server was there. */
  meet(): void {
    const { ID } = this.#values
    this.#port.write(() => this.#table.update(ID, { met: new Date() }))
  }
  /** The server was not met for so many days. */
  isOlderThan(days: number): boolean {
    const { met } = this.#values
    return met !== null && Date.now() - Date.parse(met) > days * DAY
  }

  /** Begins as another replica, which has nothing. */
  startOver(): void {
    this.remove()
    this.#port.write(() => this.#insert())
  }
  remove(): void {
    this.#port.write(() => this.#table.all().remove())
  }

  #insert(): void {
    this.#table.insert({ ID, replica: unguessable() })
  }
  get #values(): PlaceValues {
    const known = this.#table.get(ID)
    if (known === undefined && !this.#port.leads()) return NOTHING
    if (known === undefined) this.#port.write(() => this.#insert())
    return (known ?? this.#table.get(ID)) as object as PlaceValues
  }
  get #table() {
    return this.#port.store.dataClass(ReplicaPlace.name)
  }
}

/**
 * What the stored values of each dataclass of the model depend on. Under '', what the names of
 * kept shapes mean besides.
 */
export function modelOf({ catalog }: AnyDataStore): { readonly [dataClass: string]: string } {
  const classes = catalog.classes.filter(({ name }) => !isOwnClass(name))
  const forms = classes.map((each) => [each.name, formOf(each)])
  return Object.fromEntries([...forms, ['', classes.map(meaningOf).join(';')]])
}

const formOf = ({ storage }: ClassModel): string =>
  storage
    .map(({ name, type, dateOnly, relation }) =>
      [name, type, dateOnly ? 'day' : '', relation?.target.name ?? ''].join(' '),
    )
    .join()

const meaningOf = ({ attributes }: ClassModel): string =>
  [...attributes.values()]
    .map((each) => {
      const { name, kind } = each
      if (kind === 'alias') return `${name} ${each.path}`
      if (kind === 'relatedEntity') return `${name} ${each.foreignKey.name}`
      if (kind === 'relatedEntities') return `${name} ${each.target.name}.${each.inverse.name}`
      return `${name} ${kind === 'storage' ? each.collation : kind}`
    })
    .join()

/** An id that others cannot guess, because a request with it acts for the replica. */
function unguessable(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
