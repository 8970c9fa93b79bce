import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import { INDEX_FACTORY } from '../../src/storage/attribute-index.ts'
import { ChangeRecorder } from '../../src/storage/change-list.ts'
import { Table } from '../../src/storage/table.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { StageSet, writeStage } from '../../src/write/stage-set.ts'
import { runs } from '../runs.ts'

// Two dataclasses with the same columns, so that confusing their staged rows would be noticed.
const columns = {
  ID: attribute.long({ key: true }),
  text: attribute.string({ unique: true }),
  number: attribute.long({ unique: true }),
  up: attribute.relatedEntity('One', { foreignKey: 'upID' }),
  upID: attribute.long(),
  to: attribute.relatedEntity('Two', { foreignKey: 'toID' }),
  toID: attribute.long(),
}
const CLASSES = [defineDataClass('One', columns), defineDataClass('Two', columns)]
/** Ordinals of the columns; the key comes first. */
const VALUES = [[], [null, 'a', 'A', 'b'], [null, 0, 1], [null, 0, 1, 2], [null, 0, 1, 2]] as const
const KEYS = [0, 1, 2, 3]
const RELATIONS = [3, 4]
const UNIQUE = [1, 2].flatMap((column) =>
  VALUES[column].filter((one) => one !== null).map((one) => [column, one] as const),
)
const fold = (value: StoredValue): StoredValue =>
  typeof value === 'string' ? value.toLowerCase() : value

/** The expected content of a table: an array of rows, searched from start to end. */
interface Row {
  readonly values: StoredValue[]
  stamp: number
  readonly birth: number
  isStagedInsertion: boolean
}
type Rows = (Row | null)[]
const findIn = (rows: Rows, key: StoredValue): number =>
  rows.findIndex((row) => row?.values[0] === key)
const holderIn = (rows: Rows, column: number, value: StoredValue, slot: number): number =>
  rows.findIndex(
    (row, at) => at !== slot && row !== null && fold(row.values[column]) === fold(value),
  )
const referrersIn = (rows: Rows, column: number, key: StoredValue): number[] =>
  rows.flatMap((row, slot) => (row?.values[column] === key ? [slot] : []))

class Both {
  readonly tables = buildCatalog({ name: 'test', dataClasses: CLASSES }).classes.map(
    (model) => new Table(model, INDEX_FACTORY),
  )
  readonly stages = new StageSet(this.tables, { now: () => 0 })
  readonly rows: Rows[] = [[], []]
  #births = 0
  readonly #born = new Map<number, number[]>()
  /** The values of entities that were read, at that time. */
  readonly #handedOut: {
    readonly values: readonly StoredValue[]
    readonly copy: readonly StoredValue[]
  }[] = []

  /** Writes that would break a rule are left out: the stage expects checked values. */
  isFree(at: number, values: ReadonlyMap<number, StoredValue>, slot: number): boolean {
    return [1, 2].every((column) => {
      const value = values.get(column) ?? null
      return value === null || holderIn(this.rows[at], column, value, slot) < 0
    })
  }
  insert(at: number, key: number, given: readonly StoredValue[]): void {
    const rows = this.rows[at]
    const values = [key, ...given]
    if (findIn(rows, key) >= 0 || !this.isFree(at, new Map(values.entries()), -1)) return
    const birth = ++this.#births
    const free = rows.indexOf(null)
    const slot = free < 0 ? rows.length : free
    rows[slot] = { values: values.slice(), stamp: 1, birth, isStagedInsertion: true }
    this.#born.set(slot, [...(this.#born.get(slot) ?? []), birth])
    const table = this.tables[at]
    expect(this.stages.nextSlot(table)).toBe(slot)
    this.stages.insert(table, slot, key, values, birth)
  }
  update(
    at: number,
    key: number,
    given: ReadonlyMap<number, StoredValue>,
    isAmended: boolean,
  ): void {
    const slot = findIn(this.rows[at], key)
    const row = this.rows[at][slot] ?? null
    if (row === null || !this.isFree(at, given, slot)) return
    const changed = [...given].filter(([column, value]) => row.values[column] !== value)
    if (changed.length === 0 || (isAmended && changed.length > 1)) return
    for (const [column, value] of changed) row.values[column] = value
    if (!isAmended || !row.isStagedInsertion) row.stamp++
    const [ordinals, values] = [
      changed.map(([column]) => column),
      changed.map(([, value]) => value),
    ]
    if (isAmended) this.stages.amend(this.tables[at], slot, ordinals[0], values[0])
    else this.stages.update(this.tables[at], slot, ordinals, values)
  }
  remove(at: number, key: number): void {
    const slot = findIn(this.rows[at], key)
    if (slot < 0) return
    this.rows[at][slot] = null
    this.stages.remove(this.tables[at], slot)
  }
  /** Writes the stages to the columns, then frees record numbers at the end. */
  write(): void {
    writeStage(this.stages, new ChangeRecorder(), 1000, () => undefined)
    for (const [at, rows] of this.rows.entries()) {
      while (rows.at(-1) === null) rows.pop()
      for (const row of rows) if (row !== null) row.isStagedInsertion = false
      verifyTable(this.tables[at])
    }
  }

  /** The answers of the stages equal those of the rows. */
  compare(): void {
    for (const at of this.tables.keys()) expect(this.#seen(at)).toEqual(this.#meant(at))
  }
  /** Values that were read once must not change. */
  compareHandedOut(): void {
    expect(this.#handedOut.map(({ values }) => values)).toEqual(
      this.#handedOut.map(({ copy }) => copy),
    )
  }
  #seen(at: number): unknown {
    const { stages } = this
    const table = this.tables[at]
    const stage = stages.of(table)
    return [
      KEYS.map((key) => stage.find(key)),
      this.rows[at].map((row, slot) => {
        const lives = this.#birthsOf(slot).map((birth) => stage.isLive(slot, birth))
        if (row === null) return lives
        const { values, stamp, birth } = stages.view(table, slot)
        this.#handedOut.push({ values, copy: values.slice() })
        expect([values, stamp, birth]).toEqual([
          row.values.map((_, column) => stage.read(slot, column)),
          stage.stampOf(slot),
          stage.birthOf(slot),
        ])
        return [lives, values, stamp, birth]
      }),
      KEYS.map((key) => RELATIONS.map((column) => stage.referrersOf(column, key))),
      UNIQUE.map(([column, value]) =>
        this.#around(at).map((slot) => stage.holderOf(column, value, slot)),
      ),
    ]
  }
  #meant(at: number): unknown {
    const rows = this.rows[at]
    return [
      KEYS.map((key) => findIn(rows, key)),
      rows.map((row, slot) => {
        const lives = this.#birthsOf(slot).map((birth) => row?.birth === birth)
        return row === null ? lives : [lives, row.values, row.stamp, row.birth]
      }),
      KEYS.map((key) => RELATIONS.map((column) => referrersIn(rows, column, key))),
      UNIQUE.map(([column, value]) =>
        this.#around(at).map((slot) => holderIn(rows, column, value, slot)),
      ),
    ]
  }
  /** Record numbers used in either table, and the last one. */
  #birthsOf(slot: number): number[] {
    return [...(this.#born.get(slot) ?? []), this.#births]
  }
  #around(at: number): number[] {
    return [-1, ...this.rows[at].keys()]
  }
}

const at = fc.nat(1)
const key = fc.constantFrom(...KEYS)
const values = fc.tuple(...VALUES.slice(1).map((few) => fc.constantFrom<StoredValue>(...few)))
const changes = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
const step = fc.oneof(
  fc.tuple(at, key, values).map(
    ([at, key, values]) =>
      (both: Both) =>
        both.insert(at, key, values),
  ),
  fc
    .tuple(at, key, values, changes, fc.nat(3))
    .map(([at, key, values, columns, kind]) => (both: Both) => {
      const given = new Map(columns.map((column) => [column, values[column - 1]]))
      both.update(at, key, given, kind === 0)
    }),
  fc.tuple(at, key).map(
    ([at, key]) =>
      (both: Both) =>
        both.remove(at, key),
  ),
  fc.constant((both: Both) => both.write()),
)

/** Three rows in each table, all of which refer to the first. */
function filled(): Both {
  const both = new Both()
  for (const at of [0, 1]) for (const key of [2, 0, 1]) both.insert(at, key, [null, key, 2, 1])
  both.write()
  return both
}

test('the staged view reads as the tables do after the commit', () => {
  const steps = fc.array(step, { minLength: 10, maxLength: 25, size: 'max' })
  fc.assert(
    fc.property(steps, fc.boolean(), (steps, isLookedAt) => {
      const both = filled()
      for (const run of steps) {
        run(both)
        // A comparison builds lists that later writes must maintain; without it, they are built
        // from these writes.
        if (isLookedAt) both.compare()
      }
      both.compare()
      both.write()
      both.compare()
      both.compareHandedOut()
    }),
    runs(60),
  )
})

test('referrers are found in the order of record numbers, whether staged or stored', () => {
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 0], [0]]) {
    const both = filled()
    both.compare()
    for (const slot of order) {
      const key = both.rows[0][slot]?.values[0] as number
      // Moved to another target, back, and then to the other relation.
      for (const up of [1, 2]) {
        both.update(0, key, new Map([[3, up]]), false)
        both.compare()
      }
      both.update(0, key, new Map([[4, 2]]), false)
      both.compare()
    }
    both.write()
    both.compare()
  }
})

test('the record number of a removed insertion is reused', () => {
  for (const count of [1, 2, 3]) {
    const both = filled()
    for (let i = 0; i < count; i++) both.insert(i % 2, 3, [null, null, 2, 2])
    both.remove(0, 3)
    both.compare()
    both.insert(0, 3, ['b', null, 1, 1])
    both.remove(0, 3)
    both.compare()
    both.write()
    both.compare()
  }
})
