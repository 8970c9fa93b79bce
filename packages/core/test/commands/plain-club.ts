import type { HookGate, HookName } from './hook-gate.ts'

/** A club in plain arrays, with the rules of its dataclasses written out. It shares nothing with the engine. */
export type ClassName = 'Team' | 'Player' | 'Pass'
export const CLASS_NAMES: readonly ClassName[] = ['Team', 'Player', 'Pass']
export type Value = string | number | null
export type Key = string | number
export type Row = { readonly [name: string]: Value }

/** An entity. The object is its identity: an update makes new values, never a new record. */
export interface PlainRecord {
  readonly className: ClassName
  row: Row
  stamp: number
  /** Epoch milliseconds. */
  time: number
}
interface Relation {
  readonly owner: ClassName
  readonly name: string
  /** Where a row of the owner holds the key of the target. */
  readonly key: string
  readonly target: ClassName
  readonly onDelete: 'null' | 'cascade' | 'restrict'
}
export const RELATIONS: readonly Relation[] = [
  { owner: 'Team', name: 'lead', key: 'lead', target: 'Player', onDelete: 'null' },
  { owner: 'Player', name: 'team', key: 'teamID', target: 'Team', onDelete: 'null' },
  { owner: 'Player', name: 'captain', key: 'captain', target: 'Player', onDelete: 'cascade' },
  { owner: 'Pass', name: 'holder', key: 'holder', target: 'Player', onDelete: 'cascade' },
  { owner: 'Pass', name: 'sponsor', key: 'sponsor', target: 'Team', onDelete: 'restrict' },
]
export const ATTRIBUTES: { readonly [K in ClassName]: readonly string[] } = {
  Team: ['ID', 'name', 'motto', 'lead'],
  Player: ['ID', 'name', 'nick', 'score', 'teamID', 'captain'],
  Pass: ['code', 'colour', 'holder', 'sponsor'],
}
export const keyName = (className: ClassName): string => (className === 'Pass' ? 'code' : 'ID')
export const keyOf = (record: PlainRecord): Key => record.row[keyName(record.className)] as Key
export const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** What is thrown where the store must refuse, with the code it must say. */
export class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

type Places = { readonly [K in ClassName]: (PlainRecord | null)[] }
export interface PlainSnapshot {
  readonly places: Places
  readonly sequences: { Team: number; Player: number }
  readonly values: ReadonlyMap<PlainRecord, Pick<PlainRecord, 'row' | 'stamp' | 'time'>>
}
/** Values of a write, and one of the things that make it refused. */
export interface Input {
  readonly values: Row
  readonly wrong?: 'type' | 'name' | 'key' | null | undefined
}

export class PlainClub {
  places: Places = { Team: [], Player: [], Pass: [] }
  sequences = { Team: 1, Player: 1 }
  globalStamp = 0
  readonly #gate: HookGate
  readonly #now: () => number
  /** Throws for a record that another session has locked. */
  readonly #checkLock: (record: PlainRecord) => void
  /** What the open transaction has to check at its end: first what leads nowhere, then what forbids its removal. */
  #open: { dangling: [PlainRecord, Relation][]; restricted: [Relation, Key][] } | null = null

  constructor(gate: HookGate, now: () => number, checkLock: (record: PlainRecord) => void) {
    this.#gate = gate
    this.#now = now
    this.#checkLock = checkLock
  }

  living(className: ClassName): PlainRecord[] {
    return this.places[className].filter((record) => record !== null)
  }
  isLiving(record: PlainRecord): boolean {
    return this.places[record.className].includes(record)
  }
  find(className: ClassName, key: Value): PlainRecord | undefined {
    return this.places[className].find((record) => record !== null && keyOf(record) === key) ?? undefined
  }
  /** True when some key leads nowhere, as it may inside a transaction. */
  get isDangling(): boolean {
    return RELATIONS.some((relation) => this.living(relation.owner).some((record) => this.#dangles(record, relation)))
  }

  /** All or nothing; what leaves nothing takes no numbers. */
  transact<R>(body: () => R): R {
    if (this.#open !== null) return body()
    const before = this.snapshot()
    this.#open = { dangling: [], restricted: [] }
    try {
      const result = body()
      this.#settle()
      if (this.isAs(before)) this.sequences = before.sequences
      else this.globalStamp++
      return result
    } catch (error) {
      this.goBack(before)
      throw error
    } finally {
      this.#open = null
    }
  }

  insert(className: ClassName, { values, wrong }: Input): PlainRecord {
    const row: { [name: string]: Value } = {}
    for (const name of ATTRIBUTES[className]) row[name] = null
    if (className === 'Pass') row.colour = 'red'
    if (className === 'Player') {
      this.#hook('init')
      row.nick = 'new'
    }
    refuseWrong(wrong)
    Object.assign(row, values)
    let next = 0
    if (className !== 'Pass') {
      row.ID ??= this.sequences[className]
      next = Math.max(this.sequences[className], (row.ID as number) + 1)
    }
    if (className === 'Player') {
      this.#hook('beforeSave')
      row.score ??= 0
    }
    const record: PlainRecord = { className, row, stamp: 1, time: this.#now() }
    if (row[keyName(className)] === null) throw new Refused('keyNull')
    if (row[keyName(className)] === '') throw new Refused('keyEmpty')
    this.#validate(record, row)
    if (this.find(className, keyOf(record)) !== undefined) throw new Refused('keyNotUnique')
    this.#checkUnique(record, row)
    if (className !== 'Pass') this.sequences[className] = next
    const places = this.places[className]
    const free = places.indexOf(null)
    places[free < 0 ? places.length : free] = record
    this.#note(record, ATTRIBUTES[className])
    return record
  }

  update(className: ClassName, key: Value, { values, wrong }: Input, stamp?: number): PlainRecord {
    const record = this.#locate(className, key, stamp)
    if (wrong !== 'key') refuseWrong(wrong)
    const row = { ...record.row, ...values }
    if (wrong === 'key') throw new Refused('attributeReadOnly')
    if (changedNames(record.row, row).length === 0) return record
    if (className === 'Player') {
      this.#hook('beforeSave')
      row.score ??= 0
    }
    this.#validate(record, row)
    const changed = changedNames(record.row, row)
    if (changed.length === 0) return record
    this.#checkUnique(record, row)
    this.#save(record, row)
    this.#note(record, changed)
    return record
  }

  remove(className: ClassName, key: Value, stamp?: number): void {
    const gone = new Set([this.#locate(className, key, stamp)])
    const emptied = new Map<PlainRecord, Row>()
    const restricted: [Relation, Key][] = []
    for (const target of gone) {
      for (const relation of RELATIONS) {
        if (relation.target !== target.className) continue
        if (relation.onDelete === 'restrict') restricted.push([relation, keyOf(target)])
        for (const record of this.#referrers(relation, keyOf(target))) {
          if (relation.onDelete === 'cascade') gone.add(record)
          if (relation.onDelete === 'null')
            emptied.set(record, { ...(emptied.get(record) ?? record.row), [relation.key]: null })
        }
      }
    }
    for (const record of gone) if (record.className === 'Player') this.#hook('validateRemove')
    for (const record of gone) emptied.delete(record)
    for (const record of [...gone, ...emptied.keys()]) this.#checkLock(record)
    for (const [record, row] of emptied) this.#save(record, row)
    for (const record of gone) this.places[record.className][this.places[record.className].indexOf(record)] = null
    this.#open?.restricted.push(...restricted)
  }

  snapshot(): PlainSnapshot {
    const values = new Map<PlainRecord, Pick<PlainRecord, 'row' | 'stamp' | 'time'>>()
    for (const className of CLASS_NAMES)
      for (const record of this.living(className))
        values.set(record, { row: record.row, stamp: record.stamp, time: record.time })
    return { places: copied(this.places), sequences: { ...this.sequences }, values }
  }
  /** Everything as it was, the sequences too; records are who they were. Only the global stamp is left alone. */
  goBack({ places, sequences, values }: PlainSnapshot): void {
    this.places = copied(places)
    this.sequences = { ...sequences }
    for (const [record, value] of values) Object.assign(record, value)
  }
  /** True when entities are as they were; sequences apart. */
  isAs({ places, values }: PlainSnapshot): boolean {
    return CLASS_NAMES.every((className) => {
      const now = this.places[className]
      const then = places[className]
      for (let i = 0; i < Math.max(now.length, then.length); i++) {
        const record = now[i] ?? null
        if (record !== (then[i] ?? null)) return false
        const value = record === null ? undefined : values.get(record)
        if (record === null || value === undefined) continue
        if (record.stamp !== value.stamp || record.time !== value.time) return false
        if (changedNames(record.row, value.row).length > 0) return false
      }
      return true
    })
  }

  #locate(className: ClassName, key: Value, stamp: number | undefined): PlainRecord {
    const record = this.find(className, key)
    if (record === undefined) throw new Refused('entityNotFound')
    this.#checkLock(record)
    if (stamp !== undefined && stamp !== record.stamp) throw new Refused('stampChanged')
    return record
  }
  #save(record: PlainRecord, row: Row): void {
    record.row = row
    record.stamp++
    record.time = Math.max(record.time, this.#now())
  }
  #hook(hook: HookName): void {
    const how = this.#gate.enter(hook)
    if (how !== null) throw new Refused(how === 'throw' ? 'hookFailed' : 'validationFailed')
  }
  #validate({ className }: PlainRecord, row: Row): void {
    const isBroken = (typeof row.score === 'number' && row.score < 0) || (className === 'Pass' && row.colour === null)
    // A hook is asked whatever the rules say, but they are what is told.
    const failure = className === 'Player' ? this.#gate.enter('validateSave') : null
    if (isBroken || failure === 'refuse') throw new Refused('validationFailed')
    if (failure === 'throw') throw new Refused('hookFailed')
  }
  #checkUnique(record: PlainRecord, row: Row): void {
    if (record.className !== 'Team' || typeof row.name !== 'string') return
    const name = folded(row.name)
    const isTaken = (other: PlainRecord) =>
      other !== record && typeof other.row.name === 'string' && folded(other.row.name) === name
    if (this.living('Team').some(isTaken)) throw new Refused('uniqueViolation')
  }
  #note(record: PlainRecord, names: readonly string[]): void {
    for (const relation of RELATIONS)
      if (relation.owner === record.className && names.includes(relation.key) && this.#dangles(record, relation))
        this.#open?.dangling.push([record, relation])
  }
  #settle(): void {
    const { dangling, restricted } = this.#open ?? { dangling: [], restricted: [] }
    for (const [record, relation] of dangling)
      if (this.isLiving(record) && this.#dangles(record, relation)) throw new Refused('relationTargetMissing')
    for (const [relation, key] of restricted)
      if (this.find(relation.target, key) === undefined && this.#referrers(relation, key).length > 0)
        throw new Refused('removeRestricted')
  }
  #dangles({ row }: PlainRecord, { key, target }: Relation): boolean {
    return row[key] !== null && this.find(target, row[key]) === undefined
  }
  #referrers({ owner, key }: Relation, target: Key): PlainRecord[] {
    return this.living(owner).filter(({ row }) => row[key] === target)
  }
}

function refuseWrong(wrong: Input['wrong']): void {
  if (wrong === 'type') throw new Refused('valueInvalid')
  if (wrong === 'name') throw new Refused('attributeNotFound')
}
const changedNames = (a: Row, b: Row): string[] => Object.keys(a).filter((name) => a[name] !== b[name])
const copied = ({ Team, Player, Pass }: Places): Places => ({ Team: [...Team], Player: [...Player], Pass: [...Pass] })
