import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, isEntiaError } from '../../src/index.ts'

// The state inside a transaction, and the visible effects of clocks, loads and refusals.

const team = (onDelete: 'null' | 'restrict' | 'cascade') =>
  attribute.relatedEntity('Team', { onDelete })
const Team = defineDataClass('Team', { ID: attribute.long({ key: true, autoSequence: true }) })
const Player = defineDataClass('Player', {
  ID: attribute.long({ key: true }),
  email: attribute.string({ unique: true, maxLength: 5 }),
  team: team('null'),
  coach: team('restrict'),
  owner: team('cascade'),
})
const Rule = defineDataClass(
  'Rule',
  { ID: attribute.long({ key: true }), answer: attribute.object() },
  { hooks: { validateSave: (rule) => rule.answer as never } },
)

function league() {
  const clock = { time: 5000, now: () => clock.time, monotonic: () => 1 }
  const store = createDataStore({ name: 'league', dataClasses: [Team, Player, Rule], clock })
  store.Team.load(Array.from({ length: 9 }, () => ({})))
  return { store, clock }
}
type Store = ReturnType<typeof league>['store']
const outcomeOf = (run: () => unknown): readonly unknown[] => {
  try {
    run()
  } catch (error) {
    if (!isEntiaError(error)) throw error
    return [error.code, error.details]
  }
  return []
}
const players = (store: Pick<Store, 'Player'>) =>
  store.Player.all()
    .toArray()
    .map(({ ID, email, team, coach, owner }) =>
      [ID, email, team?.ID, coach?.ID, owner?.ID].map((one) => one ?? null),
    )

test('the time of an entity never goes back, even if the clock does', () => {
  const { store, clock } = league()
  store.Player.insert({ ID: 1 })
  store.Player.insert({ ID: 2, team: 1 })
  const { timestamp } = store.Player.get(1)!
  clock.time = 1000
  const times: string[] = []
  times.push(store.Player.update(1, { email: 'a' }).timestamp)
  store.transact((tx) => {
    times.push(tx.Player.update(1, { email: 'b' }).timestamp, tx.Player.get(1)!.timestamp)
    times.push(tx.Player.query("email = 'b'").first()!.timestamp)
    tx.Team.remove(1)
    times.push(tx.Player.get(2)!.timestamp)
  })
  store.Player.updateAll([{ key: 1, patch: { email: 'c' } }])
  times.push(store.Player.get(1)!.timestamp, store.Player.get(2)!.timestamp)
  expect(times).toEqual(times.map(() => timestamp))
  clock.time = 9000
  expect(store.Player.update(1, { email: 'd' }).timestamp > timestamp).toBe(true)
})

describe('within a transaction', () => {
  test('a unique value is free once it is changed, cleared or removed, and taken until then', () => {
    const { store } = league()
    store.Player.load([
      { ID: 1, email: 'a' },
      { ID: 2, email: 'b' },
    ])
    store.transact((tx) => {
      const refused = (ID: number, email: string) =>
        outcomeOf(() => tx.Player.insert({ ID, email }))[0]
      tx.Player.update(1, { email: 'x' })
      expect([refused(9, 'x'), refused(9, 'b')]).toEqual(['uniqueViolation', 'uniqueViolation'])
      tx.Player.update(2, { email: 'a' })
      expect(refused(9, 'a')).toBe('uniqueViolation')
      tx.Player.update(2, { email: 'a' })
      tx.Player.update(1, { email: 'y' })
      tx.Player.insert({ ID: 3, email: 'x' })
      tx.Player.remove(1)
      tx.Player.insert({ ID: 4, email: 'y' })
      tx.Player.remove(3)
      tx.Player.insert({ ID: 5, email: 'x' })
      tx.Player.insert({ ID: 1, email: 'b' })
      expect([refused(9, 'x'), refused(9, 'y'), refused(9, 'a'), refused(9, 'b')]).toEqual(
        Array(4).fill('uniqueViolation'),
      )
    })
    expect(store.Player.all().orderBy('ID').distinct('email')).toEqual(['a', 'b', 'x', 'y'])
    expect(store.Player.get(1)?.stamp).toBe(1)
    store.verify()
  })

  test('a removal affects the entities that refer to its target at that time, staged or stored', () => {
    const { store } = league()
    store.Player.load([
      { ID: 1, team: 1, coach: 2, owner: 3 },
      { ID: 2, team: 1, owner: 4 },
      { ID: 3, team: 2, owner: 5 },
    ])
    store.transact((tx) => {
      // From here on the transaction maintains its own list of referrers.
      tx.Team.remove(9)
      tx.Player.insert({ ID: 4, team: 7, owner: 8 })
      tx.Player.update(3, { team: 7 })
      tx.Player.update(2, { team: 7 })
      tx.Player.update(2, { team: 2 })
      tx.Team.remove(7)
      expect(players(tx)).toEqual([
        [1, null, 1, 2, 3],
        [2, null, 2, null, 4],
        [3, null, null, null, 5],
        [4, null, null, null, 8],
      ])
      tx.Team.remove(1)
      expect(tx.Player.get(1)?.team).toBe(null)
      tx.Player.update(1, { owner: null, coach: 6 })
      tx.Team.remove(3)
      expect(tx.Player.has(1)).toBe(true)
      tx.Player.insert({ ID: 5, owner: 8 })
      tx.Player.remove(4)
      tx.Team.remove(8)
      expect([tx.Player.has(5), tx.Player.has(2)]).toEqual([false, true])
      tx.Team.remove(4)
    })
    expect(players(store)).toEqual([
      [1, null, null, 6, null],
      [3, null, null, null, 5],
    ])
    expect(outcomeOf(() => store.transact((tx) => tx.Team.remove(6)))[0]).toBe('removeRestricted')
    store.transact((tx) => {
      tx.Player.update(1, { coach: null })
      tx.Team.remove(6)
    })
    expect(store.Team.all().keys()).toEqual([2, 5])
    store.verify()
  })

  test('an entity that was read does not change with later writes', () => {
    const { store } = league()
    store.Player.insert({ ID: 1, email: 'a' })
    store.transact((tx) => {
      const inserted = tx.Player.insert({ ID: 2, email: 'b' })
      const before = tx.Player.get(1)!
      const first = tx.Player.update(1, { email: 'x' })
      tx.Player.update(1, { email: 'y' })
      tx.Player.update(2, { email: 'z' })
      const removed = tx.Player.get(2)!
      tx.Player.remove(2)
      expect([before, first, inserted, removed].map(({ email, stamp }) => [email, stamp])).toEqual([
        ['a', 1],
        ['x', 2],
        ['b', 1],
        ['z', 2],
      ])
    })
    expect([store.Player.get(1)?.email, store.Player.get(1)?.stamp, store.Player.has(2)]).toEqual([
      'y',
      3,
      false,
    ])
  })
})

describe('a refusal', () => {
  test('names an exhausted sequence, a text that is too long, and an invalid update of a batch', () => {
    const { store } = league()
    store.Team.insert({ ID: 2_147_483_646 })
    store.Team.insert({})
    expect(outcomeOf(() => store.Team.insert({}))).toEqual([
      'sequenceExhausted',
      { dataClass: 'Team', attribute: 'ID' },
    ])
    store.Player.insert({ ID: 1, email: 'äöüéß' })
    expect(outcomeOf(() => store.Player.update(1, { email: 'sixsix' }))[0]).toBe('validationFailed')
    expect(outcomeOf(() => store.Player.updateAll([7 as never]))).toEqual([
      'argumentInvalid',
      {
        argument: 'An update of a batch',
        expected: 'an object { key, patch, stamp? }',
        found: 'the number 7',
      },
    ])
  })

  test('of a stamp in a batch takes the earlier writes of the batch into account', () => {
    const { store } = league()
    store.Player.insert({ ID: 1, email: 'a' })
    store.Player.insert({ ID: 2 })
    const update = (key: number, stamp: number) => ({
      key,
      stamp,
      patch: { email: `${key}${stamp}` },
    })
    expect(
      outcomeOf(() => store.Player.updateAll([update(1, 1), update(2, 1), update(1, 3)]))[0],
    ).toBe('stampChanged')
    expect(store.Player.get(1)?.email).toBe('a')
    store.Player.updateAll([update(1, 1), update(2, 1), update(1, 2)])
    expect([store.Player.get(1)?.stamp, store.Player.get(2)?.stamp]).toEqual([3, 2])
  })

  test('by a hook needs a number and a message; other return values are errors of the hook', () => {
    const { store } = league()
    const codeOf = (answer: unknown) => {
      try {
        return store.Rule.insert({ ID: 1, answer: answer as never }).key
      } catch (error) {
        return isEntiaError(error, 'validationFailed')
          ? error.details.failures[0]?.code
          : isEntiaError(error) && error.code
      }
    }
    expect(codeOf({ errCode: 7, message: 'no' })).toBe('hookRefused')
    for (const wrong of [
      { errCode: 7 },
      { message: 'no' },
      {},
      { errCode: '7', message: 'no' },
      { errCode: 7, message: 7 },
      { errCode: 7, message: 'no', attribute: 1 },
      [{ errCode: 7, message: 'no' }, null],
      [[{ errCode: 7, message: 'no' }]],
    ])
      expect(codeOf(wrong)).toBe('hookFailed')
    expect(codeOf([])).toBe(1)
    store.Rule.remove(1)
    expect(
      codeOf([
        { errCode: 7, message: 'no', attribute: 'answer' },
        { errCode: 8, message: 'nor' },
      ]),
    ).toBe('hookRefused')
    // Not a promise, since its `then` is not a function.
    const noPromise = new Map([
      ['errCode', 7 as unknown],
      ['message', 'no'],
      ['then', 1],
    ])
    expect(codeOf(Object.fromEntries(noPromise))).toBe('hookRefused')
    expect(
      outcomeOf(() => store.transact(() => Promise.reject(new Error('not awaited')) as never)),
    ).toEqual([
      'promiseReturned',
      { where: expect.any(String), remedy: expect.stringMatching(/\w/) },
    ])
  })

  test('of a load undoes all of it, and the next load succeeds', () => {
    const { store } = league()
    const rows = Array.from({ length: 50 }, (_, i) => ({ ID: i + 1, email: `${i}` }))
    expect(outcomeOf(() => store.Player.load([...rows, { ID: 7, email: 'z' }]))[0]).toBe(
      'loadRefused',
    )
    expect(outcomeOf(() => store.Player.load([...rows, undefined as never]))[0]).toBe('loadRefused')
    expect([store.Player.count, store.Player.query("email = '3'").count]).toEqual([0, 0])
    store.Player.load(rows)
    expect([store.Player.count, store.Player.query("email = '3'").keys()]).toEqual([50, [4]])
    store.verify()
  })
})
