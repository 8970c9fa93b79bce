import { attribute, createDataStore, defineDataClass, type Untyped } from '@entia/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import { type Authorize, createRestHandler, type RestOptions } from '../../src/index.ts'
import { png } from './images.ts'
import { fixedPorts } from './models.ts'
import { errCodes, get, post, type Reply, send } from './send.ts'

type Names = { readonly firstName: string | null; readonly lastName: string | null }

/** People with computed attributes of every type, some of which can be set. */
function createPeople() {
  const Team = defineDataClass('Team', {
    code: attribute.string({ key: true }),
    name: attribute.string(),
    people: attribute.relatedEntities('Person', 'team'),
  })
  const Person = defineDataClass('Person', {
    ID: attribute.long({ key: true, autoSequence: true }),
    firstName: attribute.string(),
    lastName: attribute.string(),
    birth: attribute.date({ dateOnly: true }),
    at: attribute.date(),
    span: attribute.duration(),
    amount: attribute.number(),
    notes: attribute.object(),
    photo: attribute.image(),
    file: attribute.blob(),
    team: attribute.relatedEntity('Team'),
    boss: attribute.relatedEntity('Person', { foreignKey: 'bossID' }),
    bossID: attribute.long(),
    reports: attribute.relatedEntities('Person', 'boss'),
    teamName: attribute.alias('team.name'),
    bossBirth: attribute.alias('boss.birth'),
    bossPhoto: attribute.alias('boss.photo'),
    fullName: attribute.computed('string', {
      get: ({ firstName, lastName }: Names) => `${firstName} ${lastName}`,
      set: (text: string | null) => {
        const [firstName = null, lastName = null] = text?.split(' ') ?? []
        return { firstName, lastName }
      },
    }),
    nextDay: attribute.computed('date', {
      dateOnly: true,
      get: ({ birth }: Untyped) =>
        (birth === null ? null : new Date(Date.parse(birth) + 86_400_000)) as Untyped,
      set: (day: Untyped) => ({
        birth: day === null ? null : new Date(Date.parse(day) - 86_400_000),
      }),
    }),
    birthday: attribute.computed('date', {
      dateOnly: true,
      get: ({ birth }: Untyped) => birth,
      set: (birth: Untyped) => ({ birth }),
    }),
    moment: attribute.computed('date', {
      get: ({ at }: Untyped) => (at === null ? undefined : new Date(at)) as Untyped,
    }),
    ratio: attribute.computed('number', {
      get: ({ amount }: Untyped) => 1 / amount,
      set: (ratio: Untyped) => ({ amount: ratio === null ? null : 1 / ratio }),
    }),
    double: attribute.computed('number', {
      get: ({ amount }: Untyped) => amount * 2 - (amount === null ? 0 : 0),
    }),
    tags: attribute.computed('object', {
      get: ({ notes }: Untyped) => ({ list: [notes, undefined], none: undefined }),
    }),
    teamCode: attribute.computed('string', {
      get: ({ team }: Untyped) => team?.code ?? null,
      set: (team: Untyped) => ({ team }),
    }),
    bossName: attribute.computed('string', { get: ({ boss }: Untyped) => boss?.fullName ?? null }),
    picture: attribute.computed('image', {
      get: ({ photo }: Untyped) => photo,
      set: (photo: Untyped) => ({ photo }),
    }),
  })
  const store = createDataStore({ name: 'people', dataClasses: [Team, Person], ...fixedPorts() })
  store.Team.load([
    { code: 'a', name: 'Alpha' },
    { code: 'b "c"', name: null },
  ])
  store.Person.insert({
    firstName: 'Ann',
    lastName: 'Ash',
    birth: '1980-01-31',
    at: '2024-02-29T01:02:03.004Z',
    amount: 4,
    team: 'a',
  })
  store.Person.insert({
    firstName: 'Ben',
    lastName: 'Bo',
    boss: 1,
    birth: '+010000-01-01',
    amount: 0,
    span: 90_500,
    notes: { a: [1, { b: 'x' }] },
    photo: { mediaType: 'image/png', bytes: png(1, 1) },
    file: { mediaType: 'application/octet-stream', bytes: new Uint8Array([1]) },
    team: 'b "c"',
  })
  store.Person.insert({ boss: 2, birth: '-000044-03-15', amount: -0.5 })
  return store
}

const variants = [
  ...[
    '',
    '?$attributes=*',
    '?$expand=team,boss,reports',
    '?$expand=$all',
    '?$attributes=ID,fullName,firstName,birth',
  ],
  ...[
    '?$attributes=*,team.name,boss.fullName',
    '?$attributes=team.code,boss.*,nextDay',
    '?$expand=photo,boss.team',
  ],
]

/** Each with values in the form of a body, and as core takes them. */
const edits: readonly (readonly [attribute: string, ...values: unknown[]])[] = [
  ['firstName', 'X', '', null],
  ['lastName', 'Bo', 'Y'],
  ['birth', '2000-02-29', '1980-01-31', null],
  ['at', '2001-01-01T00:00:00.000Z', null],
  ['span', 1, null],
  ['amount', 0, 2, -0.5, null],
  ['notes', { a: 1 }, null],
  ['photo', null],
  ['file', null],
  ['team', 'a', 'b "c"', null],
  ['boss', 1, 3, null],
  ['bossID', 2, null],
  ['fullName', 'Cy Co', 'Ann Ash', null],
  ['nextDay', '1999-12-31', null],
  ['birthday', '1999-12-31', null],
  ['ratio', 0.25, 8],
  ['teamCode', 'a', null],
]
const edit = fc.constantFrom(
  ...edits.flatMap(([name, ...values]) => values.map((value) => [name, value] as const)),
)

type Store = ReturnType<typeof createPeople>
const shown = ({ Person }: Store): string =>
  JSON.stringify(
    Person.all()
      .toArray()
      .map((each) => [each, each.stamp, each.team?.code, each.photo?.size]),
  )

test(
  'an entity sent back with one changed attribute changes only that attribute',
  async () => {
    const often = runs(300)
    let changed = 0
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(...variants),
        edit,
        fc.constantFrom('object', 'array', 'envelope', 'put', 'atomic', 'page', 'own'),
        fc.boolean(),
        fc.constantFrom<RestOptions>({}, { dateOnlyFormat: 'd!m!yyyy' }, { authorize: () => true }),
        async (key, variant, [name, value], form, withStamp, options) => {
          const [store, twin] = [createPeople(), createPeople()]
          const rest = createRestHandler(store, options)
          const mark = variant === '' ? '?' : `${variant}&`
          const read = await get(
            rest,
            form === 'page'
              ? `/rest/Person${mark}$filter="ID = ${key}"`
              : `/rest/Person(${key})${variant}`,
          )
          expect(read.status).toBe(200)
          const { __STAMP, ...entity } = form === 'page' ? read.body.__ENTITIES[0] : read.body
          // A foreign key next to its relation has the same value.
          const body = { ...(withStamp ? { __STAMP } : {}), ...entity, [name]: value }
          const url = form === 'own' || form === 'put' ? `/rest/Person(${key})` : '/rest/Person'
          const reply: Reply = await send(
            rest,
            form === 'put' ? 'PUT' : 'POST',
            form === 'atomic' ? `${url}?$atomic=true` : url,
            form === 'array' || form === 'atomic'
              ? [body]
              : form === 'envelope'
                ? { __ENTITIES: [body] }
                : body,
          )
          expect([reply.text.includes('__ERROR') ? reply.text : '', reply.status]).toEqual([
            '',
            200,
          ])
          if (!(name in entity && isShown(entity[name], value)))
            twin.Person.update(key, { [name]: value } as Untyped)
          expect(shown(store)).toBe(shown(twin))
          if (twin.Person.get(key)?.stamp === 2) changed++
          store.verify()
        },
      ),
      often,
    )
    expect(changed).toBeGreaterThan(often.numRuns / 3)
  },
  patience.timeout,
)

/** True for a value equal to the one that was read. */
function isShown(read: unknown, value: unknown): boolean {
  const key = (each: Untyped): unknown => each?.__KEY ?? each?.__deferred?.__KEY ?? each
  return (
    JSON.stringify(key(read) ?? null) === JSON.stringify(value) ||
    String(key(read)) === `!!${value}!!`
  )
}

describe('a computed attribute that can be set', () => {
  test('does not undo another change when it is sent back as it was read', async () => {
    const store = createPeople()
    const rest = createRestHandler(store)
    const { body } = await get(rest, '/rest/Person(1)')
    const reply = await post(rest, '/rest/Person', { ...body, firstName: 'Anna' })
    expect([reply.status, reply.body.firstName, reply.body.fullName]).toEqual([
      200,
      'Anna',
      'Anna Ash',
    ])
  })

  test('sets the attributes behind it if it is changed, next to unchanged values', async () => {
    const store = createPeople()
    const rest = createRestHandler(store)
    const { body } = await get(rest, '/rest/Person(1)')
    const { firstName, lastName, ...others } = body
    for (const order of [body, { ...others, firstName, lastName }]) {
      const reply = await post(rest, '/rest/Person', {
        ...order,
        __STAMP: undefined,
        fullName: 'Eva Ek',
      })
      expect([reply.body.firstName, reply.body.lastName]).toEqual(['Eva', 'Ek'])
      store.Person.update(1, { firstName, lastName })
    }
  })

  test('loses to an attribute that it sets if both are changed, in any order', async () => {
    const store = createPeople()
    const rest = createRestHandler(store)
    for (const body of [
      { __KEY: '1', fullName: 'Eva Ek', firstName: 'Mia' },
      { __KEY: '1', firstName: 'Mia', fullName: 'Eva Ek' },
    ]) {
      const reply = await post(rest, '/rest/Person', body)
      expect([reply.body.firstName, reply.body.lastName]).toEqual(['Mia', 'Ek'])
      store.Person.update(1, { firstName: 'Ann', lastName: 'Ash' })
    }
    for (const body of [
      { fullName: 'Eva Ek', firstName: null, lastName: 'Ohm' },
      { lastName: 'Ohm', firstName: null, fullName: 'Eva Ek' },
    ])
      expect((await post(rest, '/rest/Person', body)).body).toMatchObject({
        firstName: 'Eva',
        lastName: 'Ohm',
      })
  })

  test('can be corrected if its getter throws', async () => {
    const Case = defineDataClass('Case', {
      ID: attribute.long({ key: true }),
      text: attribute.string(),
      parsed: attribute.computed('object', {
        get: ({ text }: { text: string | null }) => JSON.parse(text ?? 'null'),
        set: (value: unknown) => ({ text: JSON.stringify(value) }),
      }),
    })
    const store = createDataStore({ name: 'cases', dataClasses: [Case], ...fixedPorts() })
    store.Case.insert({ ID: 1, text: '{broken' })
    const rest = createRestHandler(store, { onError: () => {} })
    expect((await get(rest, '/rest/Case(1)')).status).toBe(500)
    const reply = await post(rest, '/rest/Case(1)', { parsed: { a: 1 } })
    expect([reply.status, reply.body.parsed]).toEqual([200, { a: 1 }])
  })

  test('is ignored if it is null in a new entity', async () => {
    const rest = createRestHandler(createPeople())
    const { body } = await post(rest, '/rest/Person', {
      firstName: 'Eva',
      fullName: null,
      nextDay: null,
      picture: null,
    })
    expect([body.__STATUS, body.firstName]).toEqual([{ success: true }, 'Eva'])
  })
})

test('a stale entity is refused as stale, also with computed attributes', async () => {
  for (const authorize of [undefined, (() => true) as Authorize]) {
    const store = createPeople()
    const rest = createRestHandler(store, authorize === undefined ? {} : { authorize })
    const { body } = await get(rest, '/rest/Person(1)')
    store.Person.update(1, { at: '2030-01-01', amount: 9 })
    const reply = await post(rest, '/rest/Person', { ...body, firstName: 'late' })
    expect([reply.status, errCodes(reply), reply.body.__STATUS.status]).toEqual([
      409,
      [1263, 1046, 1517],
      2,
    ])
    // Without a stamp only values that cannot be written are compared.
    const { __STAMP, ...unstamped } = body
    expect(errCodes(await post(rest, '/rest/Person', { ...unstamped, firstName: 'late' }))).toEqual(
      [1516, 1517],
    )
    expect(store.Person.get(1)?.firstName).toBe('Ann')
  }
})
