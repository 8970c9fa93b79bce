import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { schemasOf } from '../../src/schema.ts'
import { runs } from '../runs.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, maxLength: 20 }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  code: attribute.string({ key: true, pattern: /^[a-z]\d$/ }),
  lastName: attribute.string({ notNull: true, minLength: 2 }),
  salary: attribute.number({ min: 0, max: 100 }),
  grade: attribute.long({ notNull: true, default: 1 }),
  hired: attribute.date({ dateOnly: true }),
  active: attribute.bool(),
  notes: attribute.object<{ tags: string[] }>(),
  employer: attribute.relatedEntity('Company', { notNull: true }),
  initial: attribute.computed('string', {
    get: ({ lastName }: { lastName: string }) => lastName[0] ?? '',
    set: (initial) => ({ lastName: `${initial}.` }),
  }),
  monthly: attribute.computed('number', { get: () => 1 }),
})
const schemas = schemasOf([Company, Employee])
const right = { code: 'a1', lastName: 'Byron', employer: 1 }

const issuesOf = (result: StandardSchemaV1.Result<unknown>) =>
  (result.issues ?? []).map(({ path, message }) => [path?.join('.') ?? '', message])
const inserted = (value: unknown) => schemas.Employee.insert['~standard'].validate(value)
const updated = (value: unknown) => schemas.Employee.update['~standard'].validate(value)

describe('insert', () => {
  test('gives the values in their stored form', () => {
    expect(
      inserted({
        ...right,
        hired: new Date('2024-05-31T10:00:00Z'),
        employer: { ID: 1 },
        salary: null,
      }),
    ).toEqual({ value: { ...right, hired: '2024-05-31', salary: null } })
  })

  test('reports all wrong values, each with the message of a write', () => {
    expect(
      issuesOf(inserted({ code: 'A', lastName: 'x', salary: 101, active: 'maybe', nme: 1 })),
    ).toEqual([
      ['code', 'The text of "code" does not match the pattern /^[a-z]\\d$/.'],
      ['lastName', 'The text of "lastName" must have at least 2 characters.'],
      ['salary', 'The value of "salary" cannot be greater than 100.'],
      ['active', expect.stringContaining('"active"')],
      ['nme', expect.stringContaining('Known: code, lastName')],
      ['employer', expect.stringContaining('"employer"')],
    ])
  })

  test('requires what neither the store nor a default fills', () => {
    expect(issuesOf(inserted({})).map(([path]) => path)).toEqual(['code', 'lastName', 'employer'])
    expect(schemas.Company.insert['~standard'].validate({ name: 'x' })).toEqual({
      value: { name: 'x' },
    })
    // A default is for what is left out.
    expect(issuesOf(inserted({ ...right, grade: null })).map(([path]) => path)).toEqual(['grade'])
  })

  test('refuses what is not an object', () => {
    for (const value of [null, 1, 'x', [], undefined])
      expect(issuesOf(inserted(value))).toEqual([['', expect.stringContaining('an object')]])
  })

  test('a property called __proto__ is refused as unknown', () => {
    const hostile = JSON.parse('{"code":"a1","lastName":"ab","employer":1,"__proto__":{"x":1}}')
    expect(issuesOf(inserted(hostile))).toEqual([['__proto__', expect.stringContaining('Known')]])
  })
})

describe('update', () => {
  test('takes some values, and refuses the key and read-only attributes', () => {
    expect(updated({ salary: 5 })).toEqual({ value: { salary: 5 } })
    expect(
      issuesOf(updated({ code: 'b2', monthly: 3, lastName: null })).map(([path]) => path),
    ).toEqual(['code', 'monthly', 'lastName'])
  })
})

// Keys exist and are unique here, so the schema and the write have the same to decide.
test('a schema accepts what a write accepts, and refuses what it refuses', () => {
  const anything = fc.oneof(
    fc.constantFrom(null, undefined, true, 0, 1, 101, -1, '', 'a', 'ab', '1', 'true', '2024-02-30'),
    fc.date({ noInvalidDate: false }),
    fc.constantFrom({}, [], { tags: ['x'] }, Number.NaN, 2 ** 40, 1.5),
  )
  const values = fc.dictionary(
    fc.constantFrom(
      ...['lastName', 'salary', 'grade', 'hired', 'active', 'notes', 'employer', 'initial'],
      ...['monthly', 'unknown'],
    ),
    anything,
    { maxKeys: 4 },
  )
  fc.assert(
    fc.property(values, fc.boolean(), (given, isInsert) => {
      const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
      const table = store.dataClass('Employee')
      store.Company.insert({ name: 'Acme' })
      table.insert(right)
      const input = isInsert ? { code: 'b2', employer: 1, lastName: 'cd', ...given } : given
      const result = isInsert ? inserted(input) : updated(input)
      // Both refuse a key of an entity that does not exist, but only the write can know.
      fc.pre(given.employer !== 0 && given.employer !== 101 && given.employer !== -1)
      // The setter of "initial" writes "lastName" over what the input gives it.
      fc.pre(!('initial' in given && 'lastName' in given))
      const write = () =>
        isInsert ? table.insert(input as typeof right) : table.update('a1', input)
      if (result.issues !== undefined) expect(write).toThrow()
      else expect(write).not.toThrow()
    }),
    runs(400),
  )
})

describe('JSON Schema', () => {
  test('of an insert', () => {
    expect(
      schemas.Employee.insert['~standard'].jsonSchema.input({ target: 'draft-2020-12' }),
    ).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Employee',
      type: 'object',
      properties: {
        code: { type: 'string', pattern: '^[a-z]\\d$' },
        lastName: { type: 'string', minLength: 2 },
        salary: { anyOf: [{ type: 'number', minimum: 0, maximum: 100 }, { type: 'null' }] },
        grade: { type: 'integer', format: 'int32', default: 1 },
        hired: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
        active: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
        notes: {},
        employer: { type: 'integer', format: 'int32' },
        initial: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['code', 'lastName', 'employer'],
      additionalProperties: false,
    })
  })

  test('an unknown dialect is refused with the known ones', () => {
    expect(() =>
      schemas.Employee.insert['~standard'].jsonSchema.input({ target: 'openapi-3.0' }),
    ).toThrow('Use draft-2020-12 or draft-07.')
  })
})

test('the types are those of writes', () => {
  type Insert = StandardSchemaV1.InferInput<typeof schemas.Employee.insert>
  const value: Insert = { code: 'a1', lastName: 'x', employer: 1, hired: new Date(0) }
  // @ts-expect-error lastName is required
  const wrong: Insert = { code: 'a1', employer: 1 }
  type Update = StandardSchemaV1.InferInput<typeof schemas.Employee.update>
  const patch: Update = { salary: 1 }
  expect([value, wrong, patch]).toHaveLength(3)
})
