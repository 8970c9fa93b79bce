// A value that is stored already, in another spelling, is the same for a client and for asyncOf:
// both keep the entity and its stamp, or both refuse. `same-stores.slow.test.ts` has new values.
import { attribute, createDataStore, defineDataClass, stampOf } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { ways } from './ways.ts'

const UUID = '0123456789ABCDEF0123456789ABCDEF'
const OTHER = 'F'.repeat(32)
const TIME = Date.UTC(2026, 0, 1)

interface Values {
  readonly [name: string]: unknown
}
/** Shows the value of an attribute without a setter, and with one. */
const computed = <T extends 'date' | 'long' | 'number' | 'uuid' | 'duration' | 'object'>(
  type: T,
  name: string,
  dateOnly = false,
) => {
  const get = (thing: Values) => thing[name] as never
  return [
    attribute.computed(type, { get, ...(dateOnly ? { dateOnly } : {}) } as never),
    attribute.computed(type, {
      get,
      set: (value: unknown) => ({ [name]: value }),
      ...(dateOnly ? { dateOnly } : {}),
    } as never),
  ] as const
}
const [shownMoment, setMoment] = computed('date', 'moment')
const [shownDay, setDay] = computed('date', 'day', true)
const [shownMark, setMark] = computed('uuid', 'mark')
const [shownSpan, setSpan] = computed('duration', 'span')
const [shownSize, setSize] = computed('number', 'size')
const [shownInfo, setInfo] = computed('object', 'info')

const Owner = defineDataClass('Owner', {
  ID: attribute.uuid({ key: true }),
  since: attribute.date(),
  day: attribute.date({ dateOnly: true }),
  things: attribute.relatedEntities('Thing', 'owner'),
})
const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true, autoSequence: true }),
  moment: attribute.date({ readOnly: true }),
  day: attribute.date({ dateOnly: true, unique: true }),
  mark: attribute.uuid({ unique: true }),
  span: attribute.duration(),
  size: attribute.number(),
  isNew: attribute.bool(),
  info: attribute.object(),
  ownerID: attribute.uuid(),
  owner: attribute.relatedEntity('Owner', { foreignKey: 'ownerID' }),
  hidden: attribute.relatedEntity('Owner'),
  ownerSince: attribute.alias('owner.since'),
  ownerDay: attribute.alias('owner.day'),
  ownerKey: attribute.alias('owner.ID'),
  ...{ shownMoment, setMoment, shownDay, setDay, shownMark, setMark },
  ...{ shownSpan, setSpan, shownSize, setSize, shownInfo, setInfo },
})

function createThings() {
  const store = createDataStore({
    name: 'things',
    dataClasses: [Owner, Thing],
    clock: { now: () => TIME, monotonic: () => TIME },
  })
  store.Owner.load([
    { ID: UUID, since: new Date(TIME), day: '2026-01-01' },
    { ID: OTHER, since: new Date(TIME + 1), day: '2026-01-02' },
  ])
  store.Thing.insert({
    moment: new Date(TIME),
    day: '2026-01-01',
    mark: UUID,
    span: 3_600_000,
    size: 0,
    isNew: true,
    info: { a: [1, { b: null }], c: 'x' },
    owner: UUID,
    hidden: UUID,
  })
  store.Thing.insert({})
  return store
}

const DATES = [
  ...['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00+01:00'],
  ...['2026-01-01', '2026-01-01T00:00', '2026-01-01T12:00:00Z', '1!1!2026', '!!2026-01-01!!'],
  ...[new Date(TIME), new Date(TIME + 1), TIME, TIME + 0.5, String(TIME), new Date(Number.NaN)],
]
const UUIDS = [
  UUID,
  UUID.toLowerCase(),
  '01234567-89ab-cdef-0123-456789abcdef',
  OTHER.toLowerCase(),
]
const SPELLINGS: { readonly [type: string]: readonly unknown[] } = {
  date: DATES,
  uuid: UUIDS,
  Owner: [...UUIDS, ...UUIDS.map((key) => ({ key }))],
  duration: ['01:00:00', '1:00:00', 3_600_000, '3600000', '01:00:00.000'],
  number: [0, -0, '0', 0.5, Number.NaN],
  long: [1, 2, '1'],
  bool: [true, false, 'true'],
  object: [
    ...[
      { c: 'x', a: [1, { b: null }] },
      { a: [1, {}], c: 'x' },
    ],
    ...[
      { a: [1, { b: null }], c: 'x', d: 1 },
      { a: [1, { b: undefined }], c: 'x' },
    ],
  ],
}
const NONE = [null, undefined, '', new Date(Number.NaN), Number.NaN]
const ATTRIBUTES = [...createThings().Thing.model.attributes.values()].map((each) => {
  const type =
    each.kind === 'alias' ? each.target.type : 'target' in each ? each.target.name : each.type
  return { name: each.name, spellings: [...(SPELLINGS[type] ?? []), ...NONE] }
})

/** Saves in two equal stores, and says all that each save did. */
function createSides() {
  const sides = ways.map((way) => {
    const store = createThings()
    const commits: unknown[] = []
    store.on('commit', ({ changes }) =>
      commits.push(changes.map(({ globalStamp: _, ...change }) => change)),
    )
    const { Thing: table } = way(store as never)() as never as { readonly Thing: ThingTable }
    const start = store.snapshot()
    return async (key: number, values: Values, how: string) => {
      commits.length = 0
      const before = store.globalStamp
      const outcome = await outcomeOf(table, key, values, how)
      const entity = store.Thing.get(key)!
      const left = [outcome, entity, stampOf(entity), store.globalStamp - before, commits]
      const text = JSON.stringify(left)
      if (store.globalStamp !== before) store.restore(start)
      return text
    }
  })
  return (key: number, values: Values, how: string) =>
    Promise.all(sides.map((save) => save(key, values, how)))
}
interface ThingTable {
  update(key: number, values: object): Promise<{ readonly kind: string }>
  saveAll(changes: readonly object[]): Promise<readonly { readonly kind: string }[]>
}

async function outcomeOf(table: ThingTable, key: number, values: Values, how: string) {
  try {
    if (how === 'update') return (await table.update(key, values)).kind
    return (await table.saveAll([{ ...values, __KEY: key }]))[0]?.kind
  } catch (error) {
    if (!(error instanceof Error) || /^Cannot /.test(error.message)) throw error
    return 'refused'
  }
}

test.each(ATTRIBUTES)('of $name', async ({ name, spellings }) => {
  const save = createSides()
  for (const value of spellings)
    for (const key of [1, 2])
      for (const how of ['update', 'saveAll']) {
        const [local, remote] = await save(key, { [name]: value }, how)
        expect(local, `${how} ${key} ${String(value)}`).toBe(remote)
      }
})

test('of several attributes, both halves of a relation among them', async () => {
  const save = createSides()
  const values = fc
    .constantFrom(...ATTRIBUTES)
    .chain(({ name, spellings }) => fc.tuple(fc.constant(name), fc.constantFrom(...spellings)))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1, 2),
      fc.array(values, { minLength: 2, maxLength: 4 }),
      fc.constantFrom('update', 'saveAll'),
      async (key, given, how) => {
        const [local, remote] = await save(key, Object.fromEntries(given), how)
        expect(local).toBe(remote)
      },
    ),
    runs(1000),
  )
})
