import fc from 'fast-check'
import { expect } from 'vitest'
import { companyValues, employeeValues, INDEXABLE } from '../arbitraries.ts'
import { CLASS_NAMES, type ClassName, type Row, SHAPE } from '../oracle/office.ts'
import type { PlainOffice } from '../oracle/plain-office.ts'
import { type Entity, mustTell, type OfficeStore, outcome, plain, rowOf } from './office-store.ts'

/**
 * A write for an office of the engine and for a plain one. `at` selects an entity: the n-th live
 * one modulo their number, or a missing key if there is none.
 */
export type Write =
  | { readonly kind: 'insert'; readonly className: ClassName; readonly values: Row }
  | {
      readonly kind: 'update'
      readonly className: ClassName
      readonly at: number
      readonly patch: Row
      readonly how: UpdateStyle
    }
  | {
      readonly kind: 'remove'
      readonly className: ClassName
      readonly at: number
      readonly how: UpdateStyle
    }
type UpdateStyle = 'plain' | 'stamped' | 'stale' | 'edited'

/** Small key numbers, most of which exist. */
const reference = fc.option(fc.nat(6), { freq: 4 })
const companies: fc.Arbitrary<Row> = companyValues
const employees: fc.Arbitrary<Row> = fc
  .tuple(employeeValues, reference, reference)
  .map(([values, employerID, boss]) => ({ ...values, employerID, boss }))
const badges: fc.Arbitrary<Row> = fc.record({
  code: fc.constantFrom('a1', 'a2', 'A1', 'b1', 'b2', 'é1'),
  number: fc.option(fc.nat(4), { freq: 3 }),
  colour: fc.constantFrom('red', 'Red', 'blue'),
  holder: reference,
  issuerID: fc.option(fc.nat(3), { freq: 2 }),
})
const valuesOf = { Company: companies, Employee: employees, Badge: badges }

/** Values that a rule forbids in any state. */
const refused: fc.Arbitrary<{ readonly className: ClassName; readonly values: Row }> = fc.oneof(
  fc.constant({ className: 'Employee' as const, values: { level: -6 } }),
  fc.constant({ className: 'Employee' as const, values: { employerID: 99 } }),
  fc.constant({ className: 'Badge' as const, values: { code: 'c1', colour: null } }),
  fc.constant({ className: 'Badge' as const, values: { code: 'c2', colour: 'aquamarine' } }),
  fc.constant({ className: 'Badge' as const, values: { code: null } }),
)

function patchOf(className: ClassName): fc.Arbitrary<Row> {
  const { key } = SHAPE[className]
  return fc
    .tuple(valuesOf[className], fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }))
    .map(([row, places]) => {
      const names = Object.keys(row).filter((name) => name !== key)
      return Object.fromEntries(
        places.map((place) => [names[place % names.length], row[names[place % names.length]]]),
      )
    })
}

const classes = fc.constantFrom<ClassName>('Company', 'Employee', 'Employee', 'Employee', 'Badge')
const styles = fc.constantFrom<UpdateStyle>('plain', 'plain', 'stamped', 'edited', 'stale')

const inserts: fc.Arbitrary<Write> = classes.chain((className) =>
  valuesOf[className].map((values): Write => ({ kind: 'insert', className, values })),
)
const updates: fc.Arbitrary<Write> = classes.chain((className) =>
  fc
    .tuple(fc.nat(20), patchOf(className), styles)
    .map(([at, patch, how]): Write => ({ kind: 'update', className, at, patch, how })),
)
const removals: fc.Arbitrary<Write> = fc
  .tuple(classes, fc.nat(20), styles)
  .map(([className, at, how]): Write => ({ kind: 'remove', className, at, how }))

/** Writes that are mostly accepted. */
export const writes: fc.Arbitrary<Write> = fc.oneof(
  { weight: 5, arbitrary: inserts },
  { weight: 5, arbitrary: updates },
  { weight: 4, arbitrary: removals },
  {
    weight: 1,
    arbitrary: refused.map(
      ({ className, values }): Write => ({ kind: 'insert', className, values }),
    ),
  },
)

/**
 * Runs a write on both and returns both results. The plain office runs first, because it selects
 * the entity.
 */
export function writeBoth(
  store: OfficeStore,
  office: PlainOffice,
  write: Write,
): { readonly found: Entity | null | 'refused'; readonly expected: Row | null | 'refused' } {
  const { className } = write
  const table = store.dataClass(className)
  if (write.kind === 'insert') {
    const expected = outcome(() =>
      office.transact(() => office.insert(className, write.values).row),
    )
    return { found: outcome(() => table.insert(write.values)), expected }
  }
  const living = office.living(className)
  const record = living.length === 0 ? undefined : living[write.at % living.length]
  const key =
    record === undefined
      ? className === 'Badge'
        ? 'none'
        : 98
      : (record.row[SHAPE[className].key] as string | number)
  const stamp = (record?.stamp ?? 1) + (write.how === 'stale' ? 1 : 0)
  const isStamped = write.how === 'stamped' || write.how === 'stale'
  const options = isStamped ? { stamp } : undefined
  if (write.kind === 'remove') {
    const expected = outcome(
      () =>
        office.transact(() => office.remove(className, key, isStamped ? stamp : undefined)) ?? null,
    )
    return { found: outcome(() => table.remove(key, options) ?? null), expected }
  }
  const expected = outcome(() =>
    office.transact(
      () => office.update(className, key, write.patch, isStamped ? stamp : undefined).row,
    ),
  )
  const change =
    write.how === 'edited'
      ? (draft: Record<string, unknown>) => void Object.assign(draft, write.patch)
      : write.patch
  return { found: outcome(() => table.update(key, change, options)), expected }
}

/** A plain office with the current data of a store. */
export function copyInto(
  office: PlainOffice,
  data: { readonly [K in ClassName]: readonly Row[] },
): PlainOffice {
  office.transact(() => {
    for (const className of CLASS_NAMES)
      for (const row of data[className]) office.insert(className, row)
  })
  return office
}

export const indexChanges = fc.tuple(fc.constantFrom(...INDEXABLE), fc.boolean())

/** Both hold the same entities in the same order, with the same values and stamps. */
export function mustEqual(store: OfficeStore, office: PlainOffice): void {
  for (const className of CLASS_NAMES) {
    const table = store.dataClass(className)
    const records = office.living(className)
    expect(table.count).toBe(records.length)
    expect(
      table
        .all()
        .toArray()
        .map((entity) => [entity.stamp, plainRow(withHidden(className, entity))]),
    ).toEqual(records.map(({ row, stamp }) => [stamp, plainRow(row)]))
    mustTell(table.all())
    for (const { row } of records)
      expect(table.get(row[SHAPE[className].key] as string)?.stamp).toBeDefined()
  }
}

/** Keys stored under the names of relations are not properties of an entity. */
function withHidden(className: ClassName, entity: Entity): Row {
  const row: { [name: string]: unknown } = rowOf(entity)
  for (const [name, attribute] of Object.entries(SHAPE[className].attributes))
    if (attribute.kind === 'one' && attribute.foreignKey === name)
      row[name] = (entity[name] as Entity | null)?.key ?? null
  return row
}

const plainRow = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))

/** Rows for a bulk load, which may refer to each other. */
export const rowsToLoad: fc.Arbitrary<readonly [ClassName, readonly Row[]]> = classes.chain(
  (className) => fc.tuple(fc.constant(className), fc.array(valuesOf[className], { maxLength: 5 })),
)
