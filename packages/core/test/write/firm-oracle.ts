/**
 * The simplest store with the rules of the firm: arrays that are copied before each transaction.
 */

export type Row = { [attribute: string]: unknown }
export interface OracleRecord {
  readonly values: Row
  readonly stamp: number
}
type ClassName = 'Firm' | 'Person' | 'Badge'

interface OracleClass {
  readonly key: string
  readonly attributes: readonly string[]
  readonly unique: readonly { readonly name: string; readonly fold: (text: string) => string }[]
}
interface OracleRelation {
  readonly owner: ClassName
  readonly foreignKey: string
  readonly target: ClassName
  readonly onDelete: 'null' | 'cascade' | 'restrict'
}

const CLASSES: { readonly [N in ClassName]: OracleClass } = {
  Firm: {
    key: 'ID',
    attributes: ['ID', 'name', 'boss'],
    unique: [{ name: 'name', fold: (text) => text.toLowerCase() }],
  },
  Person: {
    key: 'ID',
    attributes: [
      'ID',
      'name',
      'email',
      'pay',
      'day',
      'active',
      'notes',
      'photo',
      'firmID',
      'mentor',
    ],
    unique: [{ name: 'email', fold: (text) => text }],
  },
  Badge: { key: 'code', attributes: ['code', 'owner'], unique: [] },
}
const RELATIONS: readonly OracleRelation[] = [
  { owner: 'Firm', foreignKey: 'boss', target: 'Person', onDelete: 'null' },
  { owner: 'Person', foreignKey: 'firmID', target: 'Firm', onDelete: 'cascade' },
  { owner: 'Person', foreignKey: 'mentor', target: 'Person', onDelete: 'null' },
  { owner: 'Badge', foreignKey: 'owner', target: 'Person', onDelete: 'restrict' },
]

class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export class FirmOracle {
  #slots = new Map<ClassName, (OracleRecord | null)[]>()
  #sequences = new Map<ClassName, number>()
  #checks: (() => void)[] = []

  constructor() {
    for (const name of Object.keys(CLASSES) as ClassName[]) {
      this.#slots.set(name, [])
      this.#sequences.set(name, 1)
    }
  }

  /**
   * Runs a transaction and returns null, or the code of the refusal after undoing everything.
   * Without an effect, stamps and sequences stay.
   */
  transact(body: () => void): string | null {
    const before = JSON.stringify(this.#living())
    const sequences = new Map(this.#sequences)
    this.#checks = []
    const code = this.attempt(() => {
      body()
      for (const check of this.#checks) check()
    })
    if (JSON.stringify(this.#living()) === before) this.#sequences = sequences
    return code
  }

  /** Undoes `body` if it is refused. Returns null, or the code of the refusal. */
  attempt(body: () => void): string | null {
    const slots = new Map([...this.#slots].map(([name, records]) => [name, records.slice()]))
    const sequences = new Map(this.#sequences)
    try {
      body()
      return null
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.#slots = slots
      this.#sequences = sequences
      return error.code
    }
  }

  insert(name: ClassName, input: Row): void {
    const { key, attributes } = CLASSES[name]
    const values: Row = Object.fromEntries(
      attributes.map((attribute) => [attribute, input[attribute] ?? null]),
    )
    if (name !== 'Badge') {
      const next = this.#sequences.get(name) as number
      values[key] ??= next
      this.#sequences.set(name, Math.max(next, (values[key] as number) + 1))
    }
    this.#checkRules(values)
    if (this.#find(name, values[key]) >= 0) throw new Refused('keyNotUnique')
    this.#checkUnique(name, values, -1)
    const records = this.#records(name)
    const free = records.indexOf(null)
    records[free < 0 ? records.length : free] = { values, stamp: 1 }
    this.#checkTargets(name, values[key])
  }

  update(name: ClassName, key: unknown, patch: Row, stamp?: number): void {
    const slot = this.#find(name, key)
    if (slot < 0) throw new Refused('entityNotFound')
    const record = this.#records(name)[slot] as OracleRecord
    if (stamp !== undefined && stamp !== record.stamp) throw new Refused('stampChanged')
    const values = { ...record.values, ...patch }
    if (JSON.stringify(values) === JSON.stringify(record.values)) return
    this.#checkRules(values)
    this.#checkUnique(name, values, slot)
    this.#records(name)[slot] = { values, stamp: record.stamp + 1 }
    this.#checkTargets(name, key)
  }

  remove(name: ClassName, key: unknown): void {
    if (this.#find(name, key) < 0) throw new Refused('entityNotFound')
    const gone = new Set<string>([`${name}/${String(key)}`])
    const queue: [ClassName, unknown][] = [[name, key]]
    const emptied = new Map<string, [ClassName, number, Row]>()
    for (const [target, targetKey] of queue) {
      for (const relation of RELATIONS.filter((each) => each.target === target)) {
        const { owner, foreignKey, onDelete } = relation
        if (onDelete === 'restrict') {
          this.#checks.push(() => {
            if (
              this.#find(target, targetKey) < 0 &&
              this.#referrers(relation, targetKey).length > 0
            ) {
              throw new Refused('removeRestricted')
            }
          })
          continue
        }
        for (const slot of this.#referrers(relation, targetKey)) {
          const { values } = this.#records(owner)[slot] as OracleRecord
          const id = `${owner}/${String(values[CLASSES[owner].key])}`
          if (onDelete === 'cascade' && !gone.has(id))
            queue.push([owner, values[CLASSES[owner].key]])
          if (onDelete === 'cascade') gone.add(id)
          else emptied.set(id, [owner, slot, { ...emptied.get(id)?.[2], [foreignKey]: null }])
        }
      }
    }
    for (const [id, [owner, slot, patch]] of emptied) {
      if (gone.has(id)) continue
      const { values, stamp } = this.#records(owner)[slot] as OracleRecord
      this.#records(owner)[slot] = { values: { ...values, ...patch }, stamp: stamp + 1 }
    }
    for (const [owner, ownerKey] of queue) this.#records(owner)[this.#find(owner, ownerKey)] = null
  }

  /** Record number, stamp and values of every entity, and the sequences. */
  state(): unknown {
    return this.#living().map(([name, records]) => [
      name,
      name === 'Badge' ? 1 : this.#sequences.get(name),
      records,
    ])
  }

  #living(): [ClassName, unknown[]][] {
    return [...this.#slots].map(([name, records]) => [
      name,
      records.flatMap((record, slot) =>
        record === null ? [] : [[slot, record.stamp, Object.values(record.values)]],
      ),
    ])
  }

  #records(name: ClassName): (OracleRecord | null)[] {
    return this.#slots.get(name) as (OracleRecord | null)[]
  }
  #find(name: ClassName, key: unknown): number {
    return this.#records(name).findIndex(
      (record) => record !== null && record.values[CLASSES[name].key] === key,
    )
  }
  #referrers({ owner, foreignKey }: OracleRelation, key: unknown): number[] {
    return this.#records(owner).flatMap((record, slot) =>
      record?.values[foreignKey] === key ? [slot] : [],
    )
  }
  #checkRules(values: Row): void {
    if (typeof values.pay === 'number' && values.pay < 0) throw new Refused('validationFailed')
  }
  #checkUnique(name: ClassName, values: Row, slot: number): void {
    for (const { name: attribute, fold } of CLASSES[name].unique) {
      const value = values[attribute]
      if (value === null) continue
      const other = this.#records(name).some((record, at) => {
        const held = record?.values[attribute]
        return at !== slot && typeof held === 'string' && fold(held) === fold(value as string)
      })
      if (other) throw new Refused('uniqueViolation')
    }
  }
  /**
   * At the end every relation must have a target. Removals after a write are left to `onDelete`.
   */
  #checkTargets(name: ClassName, key: unknown): void {
    const dangling = (relation: OracleRelation): boolean => {
      const record = this.#records(name)[this.#find(name, key)]
      const value = record?.values[relation.foreignKey] ?? null
      return value !== null && this.#find(relation.target, value) < 0
    }
    for (const relation of RELATIONS.filter(({ owner }) => owner === name)) {
      if (!dangling(relation)) continue
      this.#checks.unshift(() => {
        if (dangling(relation)) throw new Refused('relationTargetMissing')
      })
    }
  }
}
