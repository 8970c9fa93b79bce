import { attribute, createDataStore, defineDataClass, EntiaError, RowBlock } from '@entia/core'
import { asyncOf } from '@entia/core/async'
import { expect, test } from 'vitest'
import { keyOf, stampOf } from '../../src/async.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { CheckedDump } from '../../src/store/dump/read-dump.ts'
import { describeAsyncMisuse, describeUnknownOptions } from './async-misuse.ts'
import { describeAsyncStore } from './async-suite.ts'
import { createLeague } from './league.ts'

describeAsyncStore('asyncOf', (store) => () => asyncOf(store))
describeAsyncMisuse('asyncOf', (store) => () => asyncOf(store))
describeUnknownOptions('asyncOf', (store) => () => asyncOf(store))

test('asyncOf writes as the given session, until it ends', async () => {
  const { store } = createLeague()
  const session = store.sessions.open({ userAgent: 'tests' })
  const db = asyncOf(store, { session })
  expect(await db.Player.lock(1)).toEqual({ kind: 'held' })
  expect(store.locks.holder('Player', 1)?.userAgent).toBe('tests')
  expect((await db.Player.update(1, { goals: 3 })).kind).toBe('saved')
  store.sessions.close(session.token)
  expect(store.locks.size).toBe(0)
  expect((await db.Player.lock(1)).kind).toBe('held')
  expect(store.sessions.size).toBe(1)
})

test('as() runs writes and functions as another session', async () => {
  const { store } = createLeague()
  const user = { ID: '1', userName: 'ada', fullName: 'Ada', groups: [] }
  const session = store.sessions.open({ user })
  const db = asyncOf(store)
  expect(await db.Player.call('userName')).toBeNull()
  expect(await db.as(session).Player.call('userName')).toBe('ada')
  await db.as(session).Player.lock(1)
  expect((await db.Player.update(1, { goals: 1 })).kind).toBe('locked')
  expect((await db.as(session).Player.update(1, { goals: 1 })).kind).toBe('saved')
  expect((await db.as(null).Player.update(1, { goals: 2 })).kind).toBe('locked')
})

test('load inserts all rows or none', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  const before = store.globalStamp
  expect(await db.load('Player', [{ name: 'A' }, { name: 'B' }])).toMatchObject({ count: 2 })
  expect(store.globalStamp).toBe(before + 1)
  async function* rows() {
    yield { name: 'C' }
    yield { name: 'too long for a name' }
  }
  await expect(db.load('Player', rows())).rejects.toThrow('name')
  expect(store.Player.query("name in ['A', 'B', 'C']").count).toBe(2)
})

test('load in pieces reads a row when it comes, and counts those of blocks', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  const before = store.globalStamp
  function* rows() {
    const one = { name: '' }
    for (const name of ['K', 'L', 'M']) yield Object.assign(one, { name })
    yield new RowBlock(['name'], [['N', 'O', 'P']]) as never
  }
  expect(await db.load('Player', rows(), { rowsPerCommit: 2 })).toEqual({ count: 6 })
  expect(store.globalStamp).toBe(before + 3)
  expect(store.Player.query("name in ['K', 'L', 'M', 'N', 'O', 'P']").count).toBe(6)
})

test('load in pieces commits after each piece, and a refusal keeps the earlier commits', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  const before = store.globalStamp

  const rowsRead: number[] = []
  const onProgress = (rows: number): void => void rowsRead.push(rows)
  const names = ['A', 'B', 'C', 'D', 'E'].map((name) => ({ name }))
  expect(await db.load('Player', names, { rowsPerCommit: 2, onProgress })).toEqual({ count: 5 })
  expect(rowsRead.at(-1)).toBe(5)
  expect(store.globalStamp).toBe(before + 3)
  let read = 0
  async function* rows() {
    for (const name of ['F', 'G', 'H', 'too long for a name', 'I', 'J']) {
      read++
      yield { name }
    }
  }
  await expect(db.load('Player', rows(), { rowsPerCommit: 2 })).rejects.toMatchObject({
    code: 'loadRefused',
    details: { rowNumber: 4, stored: 2 },
    message: expect.stringContaining('the 2 rows of its earlier commits are stored'),
  })
  expect(read).toBe(4)
  expect(store.Player.query("name in ['F', 'G', 'H']").count).toBe(2)
  for (const rowsPerCommit of [0, 1.5, '2'])
    await expect(db.load('Player', [], { rowsPerCommit } as never)).rejects.toMatchObject({
      code: 'argumentInvalid',
    })
})

test('changes are the commits since a stamp and each new one, until close', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  const since = store.globalStamp
  await db.Player.saveAll([{ name: 'A' }, { name: 'B' }])
  await db.Player.remove(8)
  const seen: [number, string[]][] = []
  for await (const { globalStamp, changes } of db.changes({ since })) {
    seen.push([globalStamp, changes.map(({ kind }) => kind)])
    if (seen.length === 2) setTimeout(() => store.Player.update(2, { goals: 9 }))
    if (seen.length === 3) setTimeout(() => void db.close())
  }
  expect(seen).toEqual([
    [since + 1, ['insert', 'insert']],
    [since + 2, ['remove']],
    [since + 3, ['update']],
  ])
})

test('changes end when the store closes, also with commits that are not read', async () => {
  for (const isOfOther of [true, false]) {
    const { store } = createLeague()
    const next = () =>
      asyncOf(store).changes({ since: store.globalStamp })[Symbol.asyncIterator]().next()
    const waiting = [next(), next()]
    store.Player.remove(8)
    if (isOfOther) await asyncOf(store).close()
    else store.close()
    for (const each of await Promise.all(waiting)) expect(each.done).toBe(true)
  }
})

test('waiting iterations over changes learn that all data was replaced', async () => {
  const { store } = createLeague()
  const dump = store.dump()
  const since = store.globalStamp
  const waiting = [asyncOf(store), asyncOf(store)].map((db) =>
    db.changes({ since })[Symbol.asyncIterator]().next(),
  )
  persistenceOf(store).replace(new CheckedDump(dump))
  for (const each of waiting) await expect(each).rejects.toMatchObject({ code: 'historyTrimmed' })
  const next = asyncOf(store).changes({ since: store.globalStamp })[Symbol.asyncIterator]().next()
  store.Player.remove(8)
  expect((await next).value).toMatchObject({ globalStamp: store.globalStamp })
})

test('an iteration over changes ends at once by return, while it waits for a commit', async () => {
  const { store } = createLeague()
  const iteration = asyncOf(store).changes({ since: store.globalStamp })[Symbol.asyncIterator]()
  const waiting = [iteration.next(), iteration.next()]
  const end = { done: true, value: undefined }
  expect(await iteration.return?.()).toEqual(end)
  expect(await Promise.all(waiting)).toEqual([end, end])
})

test('commits that an iteration has read are not yielded after close', async () => {
  const { store } = createLeague()
  const since = store.globalStamp
  store.Player.update(1, { goals: 7 })
  store.Player.update(1, { goals: 8 })
  const seen: number[] = []
  for await (const { globalStamp } of asyncOf(store).changes({ since })) {
    seen.push(globalStamp)
    store.close()
  }
  expect(seen).toEqual([since + 1])
})

test('misspelt options of changes are refused', async () => {
  const { store } = createLeague()
  const options = { since: 1, signl: AbortSignal.abort() }
  const next = asyncOf(store).changes(options)[Symbol.asyncIterator]().next()
  await expect(next).rejects.toMatchObject({ code: 'argumentInvalid' })
})

test('changes end by a signal, and refuse stamps that the history no longer reaches', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  const abort = new AbortController()
  const next = db
    .changes({ since: store.globalStamp, signal: abort.signal })
    [Symbol.asyncIterator]()
  const waiting = next.next()
  setTimeout(() => abort.abort(new Error('enough')))
  await expect(waiting).rejects.toThrow('enough')
  await expect(db.changes({ since: 99 })[Symbol.asyncIterator]().next()).rejects.toThrow('99')
})

test('results that JSON cannot hold are refused', async () => {
  const store = createDataStore({
    name: 'odd',
    dataClasses: [],
    functions: {
      endless: { run: () => Number.POSITIVE_INFINITY },
      text: { run: () => ({ status: 200, mediaType: 'text/plain', body: 'hi' }) },
      circle: {
        run: () => {
          const circle: Record<string, unknown> = {}
          circle.self = circle
          return circle
        },
      },
    },
  })
  const db = asyncOf(store)
  await expect(db.call('endless')).rejects.toThrow('Infinity')
  await expect(db.call('circle')).rejects.toThrow('nested deeper')
  expect(await (await db.call('text')).text()).toBe('hi')
})

test('keyOf and stampOf read copies with any attribute names', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  const door = (await db.Door.all().first())!
  expect([keyOf(door), stampOf(door)]).toEqual(['00000000000000000000000000000001', 1])
  const team = (await db.Team.all().first())!
  expect([keyOf(team), stampOf(team)]).toEqual(['a', 1])
  expect(team.badge?.mediaType).toBe('application/octet-stream')
})

test('errors that are not about the entity are thrown', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  expect(() => db.dataClass('Nope' as 'Team')).toThrow('"Nope"')
  store.close()
  await expect(db.Player.update(1, { goals: 1 })).rejects.toThrow(EntiaError)
  await expect(db.Player.remove(1)).rejects.toThrow(EntiaError)
})

test('values that do not fit the model are refused', async () => {
  const { store } = createLeague()
  const db = asyncOf(store)
  // An object with its own key attribute names an entity, as in core.
  expect((await db.Player.update(1, { team: { code: 'a' } } as never)).kind).toBe('saved')
  const wrong = [{ nme: 1 }, { team: { title: 'x', city: 'y' } }]
  for (const patch of wrong)
    expect((await db.Player.update(1, patch as never)).kind).toBe('refused')
  expect((await db.Team.update('a', { players: [] } as never)).kind).toBe('refused')
  const days = [new Date('2020-01-01T10:00:00Z'), '2020-02-01T10:00:00Z']
  expect(await db.Player.query`joined in ${days}`.count()).toBe(
    store.Player.query('joined < "2020-03-01"').count,
  )
  await expect(db.Player.saveAll([{ name: 'x' }, { key: 1, name: 7 as never }])).resolves.toEqual([
    { kind: 'undone' },
    expect.objectContaining({ kind: 'refused' }),
  ])
})

test('an argument that is not a store is refused with its kind', () => {
  const { store } = createLeague()
  const others = [null, undefined, 5, 'x', {}, [], Promise.resolve(store), asyncOf(store)]
  for (const other of [...others, store.view({}), store.dataClass('Player')])
    expect(() => asyncOf(other as never)).toThrow(
      expect.objectContaining({ code: 'argumentInvalid' }),
    )
})

test('a computed value whose getter throws can be set', async () => {
  const Case = defineDataClass('Case', {
    ID: attribute.long({ key: true }),
    text: attribute.string(),
    parsed: attribute.computed('object', {
      get: ({ text }: { text: string | null }) => JSON.parse(text ?? 'null'),
      set: (value) => ({ text: JSON.stringify(value) }),
    }),
  })
  const store = createDataStore({ name: 'cases', dataClasses: [Case] })
  store.Case.insert({ ID: 1, text: '{broken' })
  const saved = await asyncOf(store).Case.update(1, { parsed: { a: 1 } })
  expect(saved).toMatchObject({ kind: 'saved', entity: { text: '{"a":1}' } })
})

test('null stands for no aggregates, as programs in JavaScript may say', async () => {
  const { store } = createLeague()
  const groups = asyncOf(store)
    .Player.all()
    .groupBy('name', null as never)
  expect(await groups.toArray()).toEqual(store.Player.all().groupBy('name').toArray())
})
