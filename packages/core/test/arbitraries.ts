import fc from 'fast-check'
import type { ClassName, PlainData, Row } from './oracle/office.ts'

// Test data from small domains, so that equal values, ties and joins occur.

/**
 * Texts that fold to each other, have common prefixes, contain signs of the language, or differ in
 * the orders of code units and code points.
 */
export const TEXTS = [
  '',
  'a',
  'A',
  'é',
  'e\u0301',
  'E',
  'ab',
  'AB c',
  "O'Neil",
  'x@y',
  'Zoé 7',
  '\uff5e',
  '\u{1f600}',
] as const
export const UUIDS = [
  '00112233445566778899AABBCCDDEEFF',
  '00112233445566778899AABBCCDDEE00',
  'FF000000000000000000000000000000',
]
export const INSTANTS = [
  '1969-12-31T23:59:59.999Z',
  '2024-02-29T00:00:00.000Z',
  '2024-02-29T12:30:00.000Z',
  '2025-01-01T00:00:00.000Z',
]
export const DAYS = ['1969-12-31', '2024-02-29', '2024-03-01', '2025-01-01']

const few = <T>(...values: readonly T[]) => fc.constantFrom<T | null>(null, ...values)

const scalar = fc.constantFrom<unknown>(null, 0, 1, 2.5, true, false, '', 'a', 'É', 'e', '1')
/** Objects whose properties change their type from entity to entity and are sometimes missing. */
const notes: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 5,
    arbitrary: fc.record(
      {
        rank: scalar,
        inner: fc.oneof(
          fc.constant(null),
          fc.constant(1),
          fc.record({ x: scalar }, { requiredKeys: [] }),
        ),
        tags: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
        list: fc.array(
          fc.record(
            { k: scalar, v: scalar, sub: fc.array(fc.record({ z: scalar }), { maxLength: 2 }) },
            { requiredKeys: [] },
          ),
          { maxLength: 3 },
        ),
      },
      { requiredKeys: [] },
    ),
  },
)

/**
 * Values of new entities without their keys. Relations refer to keys from 1, which may be missing.
 */
export const companyValues = fc.record({
  name: few(...TEXTS),
  city: few('Paris', 'paris', 'Lyon', 'Zürich', ''),
  revenue: few(0, -1.5, 10, 1e16, 0.25),
})
export const employeeValues = fc.record({
  name: few(...TEXTS),
  code: few('a', 'A', 'é', 'e\u0301', 'ab', '\uff5e', '\u{1f600}'),
  token: few(...UUIDS),
  level: few(-3, 0, 1, 2, 7),
  serial: few(0, 9007199254740991, -9007199254740991, 5),
  salary: few(0, 10, 10.5, 20, 20, 1e6),
  active: few(true, false),
  born: few(...INSTANTS),
  hired: few(...DAYS),
  shift: few(0, 60_000, 3_600_000),
  notes,
  scan: few(Uint8Array.of(1, 2)),
})

/** A whole office: companies, employees with bosses among them, badges. Keys are given. */
export function offices({
  maxCompanies = 4,
  maxEmployees = 9,
  maxBadges = 6,
} = {}): fc.Arbitrary<PlainData> {
  return fc
    .record({
      Company: fc.array(companyValues, { maxLength: maxCompanies }),
      Employee: fc.array(fc.tuple(employeeValues, few(0, 1, 2, 3), few(0, 1, 2, 3, 4, 5)), {
        maxLength: maxEmployees,
      }),
      Badge: fc.array(fc.tuple(few('red', 'Red', 'blue'), few(0, 1, 2, 3), few(0, 1, 2)), {
        maxLength: maxBadges,
      }),
    })
    .map(({ Company, Employee, Badge }) => {
      const companies = Company.map((values, i): Row => ({ ID: i + 1, ...values }))
      const keyOf = (place: number | null, many: number) =>
        place === null || place >= many ? null : place + 1
      const employees = Employee.map(([values, employer, boss], i): Row => {
        return {
          ID: i + 1,
          ...values,
          employerID: keyOf(employer, companies.length),
          boss: keyOf(boss, Employee.length),
        }
      })
      const badges = Badge.map(([colour, holder, issuer], i): Row => {
        const code = `${'bBaé'[i % 4]}${i}`
        const holderKey = keyOf(holder, employees.length)
        return {
          code,
          number: i % 3 === 2 ? null : i,
          colour: colour ?? 'red',
          holder: holderKey,
          issuerID: keyOf(issuer, companies.length),
        }
      })
      return { Company: companies, Employee: employees, Badge: badges }
    })
}

/** Attributes that may have an index. */
export const INDEXABLE: readonly (readonly [ClassName, string])[] = [
  ['Company', 'name'],
  ['Company', 'city'],
  ['Company', 'revenue'],
  ['Employee', 'name'],
  ['Employee', 'code'],
  ['Employee', 'token'],
  ['Employee', 'level'],
  ['Employee', 'serial'],
  ['Employee', 'salary'],
  ['Employee', 'active'],
  ['Employee', 'born'],
  ['Employee', 'hired'],
  ['Employee', 'shift'],
  ['Badge', 'colour'],
]
export type IndexSet = readonly (readonly [ClassName, string])[]
/** A store without the capability `indexes`: no attribute has one, and none can be created. */
export const NO_CAPABILITY: IndexSet = Object.freeze([])
export const indexSets: fc.Arbitrary<IndexSet> = fc.oneof(
  fc.constant([]),
  fc.constant(NO_CAPABILITY),
  fc.constant(INDEXABLE),
  fc.subarray([...INDEXABLE]),
)
