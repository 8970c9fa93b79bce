import { describe, expect, test } from 'vitest'
import { codeOf, serverStateStore } from './server-state-store.ts'

const ID = '0123456789abcdef0123456789abcdef'

describe('an entity set', () => {
  test('has an id of 32 hexadecimal digits that is found in any case', () => {
    const { store } = serverStateStore()
    const id = store.entitySets.create(store.Employee.all())
    expect(id).toMatch(/^[0-9A-F]{32}$/)
    expect(store.entitySets.get(id.toLowerCase())?.count).toBe(3)
    expect(store.entitySets.release(id.toLowerCase())).toBe(true)
  })
  test('can be created again under its old id, which replaces a live one', () => {
    const { store, clock } = serverStateStore()
    const create = (filter: string) =>
      store.entitySets.create(store.Employee.query(filter), { id: ID, lifetimeSeconds: 1 })
    expect(create('ID > 1')).toBe(ID.toUpperCase())
    expect(store.entitySets.get(ID)?.count).toBe(2)
    create('ID > 2')
    expect(store.entitySets.get(ID)?.count).toBe(1)
    clock.advance(1000)
    expect(store.entitySets.get(ID)).toBeUndefined()
    create('ID > 0')
    expect(store.entitySets.get(ID)?.count).toBe(3)
    expect(store.entitySets.size).toBe(1)
  })
  test.each([
    ['an id that is too short', { id: 'ABC' }],
    ['an id of other letters', { id: 'x'.repeat(32) }],
    ['a lifetime of nothing', { lifetimeSeconds: 0 }],
    ['a lifetime that is no number', { lifetimeSeconds: Number.NaN }],
    ['an owner that is no session', { owner: {} }],
  ])('with %s is refused', (_, options) => {
    const { store } = serverStateStore()
    expect(codeOf(() => store.entitySets.create(store.Employee.all(), options as never))).toBe(
      'argumentInvalid',
    )
    expect(codeOf(() => store.entitySets.create([] as never))).toBe('argumentInvalid')
    expect(store.entitySets.size).toBe(0)
  })
  test('lives a day at most, and a lifetime of a microsecond ends', () => {
    const { store, clock } = serverStateStore()
    const day = store.entitySets.create(store.Employee.all(), { lifetimeSeconds: 1e9 })
    const short = store.entitySets.create(store.Employee.all(), { lifetimeSeconds: 1e-9 })
    clock.advance(1)
    expect(store.entitySets.peek(short)).toBeUndefined()
    clock.advance(86_400_000 - 2)
    expect(store.entitySets.peek(day)?.count).toBe(3)
    clock.advance(1)
    expect(store.entitySets.peek(day)).toBeUndefined()
  })
  test('is listed with its facts for administrators, without a renewal', () => {
    const { store, clock } = serverStateStore()
    const owner = store.sessions.open()
    const plain = store.entitySets.create(store.Employee.all())
    const sorted = store.entitySets.create(store.Employee.query('ID > 1').orderBy('name desc'), {
      owner,
      lifetimeSeconds: 60,
    })
    const made = clock.now()
    store.Employee.remove(3)
    clock.advance(1000)
    const none = { size: 3, dataClass: 'Employee', sorted: false, owner: null }
    expect(store.entitySets.list()).toEqual([
      { ...none, id: plain, refreshed: made, expires: made + 7_200_000 },
      {
        id: sorted,
        dataClass: 'Employee',
        size: 2,
        sorted: true,
        refreshed: made,
        expires: made + 60_000,
        owner: owner.id,
      },
    ])
    store.entitySets.get(plain)
    expect(store.entitySets.list().map(({ id, refreshed }) => [id, refreshed - made])).toEqual([
      [sorted, 0],
      [plain, 1000],
    ])
  })
})

describe('a set with an owner', () => {
  test('is absent for every other session, in every call', () => {
    const { store } = serverStateStore()
    const { entitySets } = store
    const [owner, other] = [store.sessions.open(), store.sessions.open()]
    const all = entitySets.create(store.Employee.all())
    const id = entitySets.create(store.Employee.query('ID > 1'), { owner })
    for (const session of [other, null, undefined, { ...owner } as typeof owner]) {
      expect(entitySets.get(id, session)).toBeUndefined()
      expect(entitySets.peek(id, session)).toBeUndefined()
      expect(entitySets.release(id, session)).toBe(false)
      expect(codeOf(() => entitySets.clean(id, session).count)).toBe('entitySetNotFound')
      expect(codeOf(() => entitySets.combine(id, 'AND', all, session).count)).toBe(
        'entitySetNotFound',
      )
      expect(codeOf(() => entitySets.combine(all, 'AND', id, session).count)).toBe(
        'entitySetNotFound',
      )
      expect(codeOf(() => entitySets.create(store.Employee.all(), { id, owner: session }))).toBe(
        'argumentInvalid',
      )
    }
    expect(entitySets.get(id, owner)?.count).toBe(2)
    expect(entitySets.combine(all, 'EXCEPT', id, owner).count).toBe(1)
    expect(entitySets.get(all, other)?.count).toBe(3)
    expect(entitySets.create(store.Employee.all(), { id, owner })).toBe(id)
    expect(entitySets.release(id, owner)).toBe(true)
  })
  test('is not counted when its session has expired without being noticed', () => {
    const { store, clock } = serverStateStore()
    const owner = store.sessions.open({ lifetimeSeconds: 1 })
    store.entitySets.create(store.Employee.all(), { owner })
    clock.advance(1000)
    expect(store.entitySets.size).toBe(0)
    const later = store.sessions.open({ lifetimeSeconds: 1 })
    store.entitySets.create(store.Employee.all(), { owner: later })
    clock.advance(1000)
    expect(store.entitySets.list()).toEqual([])
  })
  test('ends with its session; sets without an owner do not', () => {
    const { store } = serverStateStore()
    const owner = store.sessions.open()
    store.entitySets.create(store.Employee.all(), { owner })
    const free = store.entitySets.create(store.Employee.all())
    store.sessions.close(owner.token)
    expect(store.entitySets.list().map(({ id }) => id)).toEqual([free])
  })
})

describe('too many sets', () => {
  test('push out the least recently read', () => {
    const { store } = serverStateStore({ entitySets: { max: 2 } })
    const [a, b] = [1, 2].map(() => store.entitySets.create(store.Employee.all())) as [
      string,
      string,
    ]
    store.entitySets.get(a)
    // `peek` does not renew a set, so it does not count as a read.
    store.entitySets.peek(b)
    const c = store.entitySets.create(store.Employee.all())
    expect([a, b, c].map((id) => store.entitySets.peek(id) !== undefined)).toEqual([
      true,
      false,
      true,
    ])
  })
  test('of one session push out sets of that session', () => {
    const { store } = serverStateStore({ entitySets: { maxPerSession: 2 } })
    const [owner, other] = [store.sessions.open(), store.sessions.open()]
    const create = (session: typeof owner | null) =>
      store.entitySets.create(store.Employee.all(), { owner: session })
    const [free, ofOther, a, b] = [create(null), create(other), create(owner), create(owner)]
    store.entitySets.get(a, owner)
    const c = create(owner)
    expect([a, b, c].map((id) => store.entitySets.peek(id, owner) !== undefined)).toEqual([
      true,
      false,
      true,
    ])
    expect([
      store.entitySets.peek(ofOther, other)?.count,
      store.entitySets.peek(free)?.count,
    ]).toEqual([3, 3])
  })
  test('do not arise from creating a set again', () => {
    const { store } = serverStateStore({ entitySets: { maxPerSession: 2 } })
    const owner = store.sessions.open()
    const [a, b] = [1, 2].map(() => store.entitySets.create(store.Employee.all(), { owner })) as [
      string,
      string,
    ]
    store.entitySets.create(store.Employee.query('ID = 1'), { owner, id: b })
    expect([a, b].map((id) => store.entitySets.peek(id, owner)?.count)).toEqual([3, 1])
  })
  test('are counted in bytes too, and a set that is too large by itself is refused', () => {
    const { store } = serverStateStore({ entitySets: { maxBytes: 40 } })
    const a = store.entitySets.create(store.Employee.all())
    const b = store.entitySets.create(store.Employee.query('ID = 1'))
    const c = store.entitySets.create(store.Employee.query('ID > 1'))
    expect([a, b, c].map((id) => store.entitySets.peek(id) !== undefined)).toEqual([
      false,
      true,
      true,
    ])
    store.Employee.load(Array.from({ length: 3 }, () => ({ name: 'more' })))
    expect(codeOf(() => store.entitySets.create(store.Employee.all()))).toBe('budgetExceeded')
    expect(store.entitySets.size).toBe(2)
  })
})
