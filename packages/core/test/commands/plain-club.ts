import type { HookGate, HookName } from './hook-gate.ts'
import { LAST_ODD_KEY } from './odd-values.ts'
import {
  ATTRIBUTES,
  CLASS_NAMES,
  type ClassName,
  changedNames,
  copied,
  folded,
  type Input,
  type Key,
  keyName,
  keyOf,
  type Open,
  type Places,
  type PlainRecord,
  type PlainSnapshot,
  RELATIONS,
  Refused,
  type Relation,
  type Row,
  refuseWrong,
  type Value,
} from './plain-model.ts'

/** A club in plain arrays, with the rules of its dataclasses as code. */
export class PlainClub {
  places: Places = { Team: [], Player: [], Pass: [], Oddity: [] }
  sequences = { Team: 1, Player: 1, Oddity: 1 }
  globalStamp = 0
  readonly #gate: HookGate
  readonly #now: () => number
  /** Throws for a record that another session has locked. */
  readonly #checkLock: (record: PlainRecord) => void
  #open: Open | null = null

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
    return (
      this.places[className].find((record) => record !== null && keyOf(record) === key) ?? undefined
    )
  }
  /** True if the open transaction can only be rolled back. */
  get isFailed(): boolean {
    return this.#open !== null && this.#open.failure !== null
  }
  /** True if a relation has no target, as is possible inside a transaction. */
  get isDangling(): boolean {
    return RELATIONS.some((relation) =>
      this.living(relation.owner).some((record) => this.#dangles(record, relation)),
    )
  }

  /** Commits everything or nothing; without an effect it consumes no numbers. */
  transact<R>(body: () => R): R {
    if (this.#open !== null) return this.part(body)
    const before = this.snapshot()
    const open: Open = {
      dangling: [],
      restricted: [],
      after: new Map(),
      born: new Set(),
      version: 0,
      failure: null,
    }
    this.#open = open
    let result: R
    let isChanged: boolean
    try {
      result = body()
      this.beforeQuery()
      this.#settle(open)
      isChanged = !this.isAs(before)
      if (!isChanged) this.sequences = before.sequences
    } catch (error) {
      this.goBack(before)
      throw error
    } finally {
      this.#open = null
    }
    if (isChanged) this.commit(open.after)
    return result
  }
  /**
   * A part of the open transaction. If it fails after a write, the transaction must be rolled back.
   */
  part<R>(body: () => R): R {
    const open = this.#open
    const version = open?.version
    try {
      return body()
    } catch (error) {
      if (open !== null && open.version !== version) open.failure ??= error
      throw error
    }
  }
  /** A query writes the staged changes: it fails if they cannot be committed. */
  beforeQuery(): void {
    if (this.#open !== null && this.#open.failure !== null) throw this.#open.failure
  }
  /** After a commit: after-hooks, then listeners. Either may write. */
  commit(after: ReadonlyMap<PlainRecord, 'afterSave' | 'afterRemove'> = new Map()): void {
    this.globalStamp++
    const calls = [...after].filter(
      ([record, hook]) => hook === 'afterRemove' || this.isLiving(record),
    )
    for (const [, hook] of calls) this.#gate.enter(hook)
    this.#gate.enter('listener')
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
      // The sequence ends at the last number, and a given key cannot take it.
      const isLast = values.ID === LAST_ODD_KEY && this.sequences[className] <= LAST_ODD_KEY
      // The last number plus one is still exact; plus two equals it.
      const isBeyond = (row.ID as number) > LAST_ODD_KEY
      if (className === 'Oddity' && (isBeyond || isLast)) throw new Refused('noRoom')
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
    this.#wrote()
    this.#open?.born.add(record)
    this.#note(record, ATTRIBUTES[className])
    this.#saved(record)
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
    this.#saved(record)
    return record
  }

  remove(className: ClassName, key: Value, stamp?: number): void {
    const gone = new Set([this.#locate(className, key, stamp)])
    const emptied = new Map<PlainRecord, string[]>()
    const restricted: [Relation, Key][] = []
    for (const target of gone) {
      for (const relation of RELATIONS) {
        if (relation.target !== target.className) continue
        if (relation.onDelete === 'restrict') restricted.push([relation, keyOf(target)])
        for (const record of this.#referrers(relation, keyOf(target))) {
          if (relation.onDelete === 'cascade') gone.add(record)
          if (relation.onDelete === 'null')
            emptied.set(record, [...(emptied.get(record) ?? []), relation.key])
        }
      }
    }
    for (const record of gone) if (record.className === 'Player') this.#hook('validateRemove')
    for (const record of gone) emptied.delete(record)
    for (const record of [...gone, ...emptied.keys()]) this.#checkLock(record)
    for (const [record, names] of emptied)
      this.#save(record, {
        ...record.row,
        ...Object.fromEntries(names.map((name) => [name, null])),
      })
    // The farthest entity first, as after-hooks are called.
    for (const record of [...gone].reverse()) {
      this.places[record.className][this.places[record.className].indexOf(record)] = null
      this.#wrote()
      if (record.className !== 'Player') continue
      this.#open?.after.delete(record)
      if (this.#open?.born.has(record) === false) this.#open.after.set(record, 'afterRemove')
    }
    this.#open?.restricted.push(...restricted)
  }

  /** Rows may refer to each other. If one is refused, the load is refused. */
  load(className: ClassName, inputs: readonly Input[], isEmptied: boolean): number {
    const before = this.snapshot()
    const version = this.#open?.version ?? 0
    try {
      const records = inputs.map((input) => this.insert(className, input))
      for (const relation of RELATIONS) {
        if (relation.owner !== className) continue
        for (const record of records) {
          if (!this.#dangles(record, relation)) continue
          if (!isEmptied) throw new Refused('relationTargetMissing')
          record.row = { ...record.row, [relation.key]: null }
        }
      }
      return inputs.length
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const refused = new Refused('loadRefused')
      const open = this.#open
      // Rows of a dataclass with hooks are staged one by one, and some of them stay staged: the
      // transaction must be rolled back.
      if (open !== null && open.version !== version && className === 'Player')
        open.failure ??= refused
      else {
        this.goBack(before)
        if (open !== null) open.version = version
      }
      throw refused
    }
  }

  snapshot(): PlainSnapshot {
    const values = new Map<PlainRecord, Pick<PlainRecord, 'row' | 'stamp' | 'time'>>()
    for (const className of CLASS_NAMES)
      for (const record of this.living(className))
        values.set(record, { row: record.row, stamp: record.stamp, time: record.time })
    return { places: copied(this.places), sequences: { ...this.sequences }, values }
  }
  /**
   * Restores everything including sequences; records keep their identity. Only the global stamp
   * stays.
   */
  goBack({ places, sequences, values }: PlainSnapshot): void {
    this.places = copied(places)
    this.sequences = { ...sequences }
    for (const [record, value] of values) Object.assign(record, value)
  }
  /** True if the entities are unchanged; sequences are not compared. */
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
    this.#wrote()
  }
  #wrote(): void {
    if (this.#open !== null) this.#open.version++
  }
  #saved(record: PlainRecord): void {
    if (record.className !== 'Player' || this.#open === null || this.#open.after.has(record)) return
    this.#open.after.set(record, 'afterSave')
  }
  #hook(hook: HookName): void {
    const how = this.#gate.enter(hook)
    if (how !== null) throw new Refused(how === 'throw' ? 'hookFailed' : 'validationFailed')
  }
  #validate({ className }: PlainRecord, row: Row): void {
    const isBroken =
      (typeof row.score === 'number' && row.score < 0) ||
      (className === 'Pass' && row.colour === null)
    // A hook runs even if a rule is broken, but the rule is reported.
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
      if (
        relation.owner === record.className &&
        names.includes(relation.key) &&
        this.#dangles(record, relation)
      )
        this.#open?.dangling.push([record, relation])
  }
  #settle({ dangling, restricted }: Open): void {
    for (const [record, relation] of dangling)
      if (this.isLiving(record) && this.#dangles(record, relation))
        throw new Refused('relationTargetMissing')
    for (const [relation, key] of restricted)
      if (
        this.find(relation.target, key) === undefined &&
        this.#referrers(relation, key).length > 0
      )
        throw new Refused('removeRestricted')
  }
  #dangles({ row }: PlainRecord, { key, target }: Relation): boolean {
    return row[key] !== null && this.find(target, row[key]) === undefined
  }
  #referrers({ owner, key }: Relation, target: Key): PlainRecord[] {
    return this.living(owner).filter(({ row }) => row[key] === target)
  }
}
