import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asyncOf } from '../../src/async.ts'
import { attribute, createDataStore, defineDataClass, type Untyped } from '../../src/index.ts'
import { schemasOf } from '../../src/schema.ts'
import { type AttributeType, isMedia } from '../../src/value/types.ts'
import { runs } from '../runs.ts'

const TYPES = [
  ...(
    'bool long long64 number string uuid date duration object image blob'.split(
      ' ',
    ) as AttributeType[]
  ).map((type) => ({ type, dateOnly: false })),
  { type: 'date' as const, dateOnly: true },
]

/** `stored` and `computed` have one type; the setter of `outer` leads to that of `computed`. */
function openBoth({ type, dateOnly }: (typeof TYPES)[number]) {
  const received: unknown[] = []
  const make = attribute[type] as (options?: object) => Untyped
  const computed = (get: (entity: Untyped) => unknown, set: (value: unknown) => unknown) =>
    attribute.computed(type, { get, set, ...(dateOnly && { dateOnly }) } as Untyped) as Untyped
  const Both = defineDataClass('Both', {
    ID: attribute.long({ key: true, autoSequence: true }),
    stored: make(dateOnly ? { dateOnly } : {}),
    column: make(dateOnly ? { dateOnly } : {}),
    computed: computed(
      ({ column }) => column,
      (value) => {
        received.push(value)
        return { column: value }
      },
    ),
    outer: computed(
      () => null,
      (value) => ({ computed: value }),
    ),
  })
  const store = createDataStore({ name: 'both', dataClasses: [Both as Untyped] }) as Untyped
  return { Both, store, received }
}

const shown = (value: unknown): unknown =>
  isMedia(value) ? [value.mediaType, [...value.bytes()]] : value

/** The value that an attribute has afterwards, or what is said of the refused one. */
async function outcome(name: string, write: () => Untyped): Promise<unknown> {
  try {
    const entity = await write()
    const value = entity[name === 'stored' ? 'stored' : 'column']
    return shown(value)
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TypeError) throw error
    return new Refused(error.message.replaceAll(/"(stored|computed|outer)"/g, '"it"'))
  }
}

class Refused {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

const value = fc.oneof(
  { weight: 3, arbitrary: fc.anything({ withDate: true, withTypedArray: true }) },
  fc.date({ noInvalidDate: true }),
  fc.constantFrom<unknown>(
    '2024-02-29',
    '2024-02-29T23:30:00+02:00',
    '01:02:03',
    90_500,
    -0,
    2 ** 31,
    Number.NaN,
    true,
    'True',
    '1',
    '0123456789abcdef0123456789abcdef',
    '01234567-89ab-cdef-0123-456789abcdef',
    '\ud800',
    { a: [1, { b: 'x' }] },
    { a: undefined },
    new Uint8Array([1, 2]),
    { mediaType: 'image/png', bytes: new Uint8Array([3]) },
    { mediaType: 'no type', bytes: new Uint8Array([3]) },
    new Date(Number.NaN),
  ),
)

describe.each(TYPES)('a setter of type $type (dateOnly: $dateOnly)', (attributeType) => {
  test('is given the value that a stored attribute would show, and no other', async () => {
    const { Both, store, received } = openBoth(attributeType)
    const later = asyncOf(store) as Untyped
    const schemas = schemasOf([Both]) as Untyped
    const ways: readonly ((values: object) => unknown)[] = [
      (values) => store.Both.insert(values),
      (values) => store.Both.update(store.Both.insert({}).ID, values),
      (values) => store.transact((tx: Untyped) => tx.Both.insert(values)),
      async (values) => store.Both.get((await later.Both.insert(values)).ID),
      async (values) => {
        const [saved] = await later.Both.saveAll([values])
        if (saved.kind !== 'saved') throw new Error(saved.message)
        return store.Both.get(saved.entity.ID)
      },
    ]
    await fc.assert(
      fc.asyncProperty(
        value.filter((each) => each !== undefined && each !== null),
        fc.constantFrom(...ways),
        fc.constantFrom('computed', 'outer'),
        async (given, way, name) => {
          received.length = 0
          const wanted = await outcome('stored', () => way({ stored: given }))
          expect(await outcome(name, () => way({ [name]: given }))).toEqual(wanted)
          const isRefused = wanted instanceof Refused
          for (const each of received) expect(shown(each)).toEqual(wanted)
          expect(received.length > 0).toBe(!isRefused)
          const issues = schemas.Both.update['~standard'].validate({ computed: given }).issues ?? []
          expect(issues.length > 0).toBe(isRefused)
        },
      ),
      runs(300),
    )
  })
})

test('a refused value runs no setter and changes nothing', () => {
  const { store, received } = openBoth({ type: 'number', dateOnly: false })
  const { ID } = store.Both.insert({ computed: 1 })
  expect(() => store.Both.update(ID, { stored: 5, computed: '2' })).toThrow(
    'takes a finite number, not the text "2"',
  )
  expect([received, store.Both.get(ID).stored]).toEqual([[1], null])
})

test('what a caller changes in a value later does not reach the setter', () => {
  const { store, received } = openBoth({ type: 'object', dateOnly: false })
  const given = { a: 1 }
  store.Both.insert({ computed: given })
  given.a = 2
  expect(received).toEqual([{ a: 1 }])
  expect(Object.isFrozen(received[0])).toBe(true)
})

test('what one setter gives another is checked too', () => {
  const Pair = defineDataClass('Pair', {
    ID: attribute.long({ key: true }),
    day: attribute.date({ dateOnly: true }),
    inner: attribute.computed('date', {
      dateOnly: true,
      get: ({ day }: { day: string | null }) => day,
      set: (day) => ({ day: `${day?.slice(0, 4)}-01-01` }),
    }),
    outer: attribute.computed('object', {
      get: () => null,
      set: (value: Untyped) => ({ inner: value?.at }),
    }),
  })
  const store = createDataStore({ name: 'pairs', dataClasses: [Pair] })
  expect(store.Pair.insert({ ID: 1, outer: { at: 86_400_000 } }).day).toBe('1970-01-01')
  expect(() => store.Pair.update(1, { outer: { at: 'soon' } })).toThrow(
    'The "inner" attribute of the "Pair" dataclass takes a date',
  )
})
