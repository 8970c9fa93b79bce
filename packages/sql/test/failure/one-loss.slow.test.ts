import {
  attribute,
  createDataStore,
  defineDataClass,
  type Session,
  type Untyped,
} from '@entia/core'
import {
  type Awaitable,
  type Caller,
  DEFAULT_HOST,
  ENGINE,
  type Engine,
  Names,
} from '@entia/engine'
import { createRestHandler, type RestInput } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import { DatabaseError } from '../../src/connect/database-error.ts'
import type { SqlConnection, SqlPool, Statement } from '../../src/connect/port.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'

/** A round trip that breaks its connection: before the database has it, or behind its answer. */
interface Loss {
  trips: number
  readonly isAnswered: boolean
}

/** A pool that loses the connections of some round trips: `trips` counts behind the loss before. */
function losingPool(pool: SqlPool) {
  let losses: readonly Loss[] = []
  const lost = (): DatabaseError => new DatabaseError('unavailable', null, new Error('lost'))
  const trip = async <R>(send: () => Promise<R>): Promise<R> => {
    const [loss, ...later] = losses
    if (loss === undefined || --loss.trips >= 0) return send()
    losses = later
    if (loss.isAnswered) await send()
    throw lost()
  }
  const losing: SqlPool = {
    prepares: pool.prepares,
    query: (statement) => trip(() => pool.query(statement)),
    connect: (body) =>
      pool.connect((connection) => {
        const send = (statements: readonly Statement[]) => trip(() => connection.send(statements))
        return body({ send } satisfies SqlConnection)
      }),
    close: () => pool.close(),
  }
  return {
    pool: losing,
    lose: (...wanted: readonly Loss[]): void => {
      losses = wanted
    },
    loseAfter: (trips: number, isAnswered: boolean): void => {
      losses = [{ trips, isAnswered }]
    },
    /** True if all losses have happened. */
    ended: (): boolean => {
      const haveHappened = losses.length === 0
      losses = []
      return haveHappened
    },
  }
}

const Task = defineDataClass(
  'Task',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    mark: attribute.string({ unique: true }),
    size: attribute.long({ default: 1 }),
    double: attribute.computed('long', {
      get: (task: { size: number | null }) => (task.size ?? 0) * 2,
    }),
    photo: attribute.blob(),
  },
  {
    hooks: {
      beforeSave: (draft: { size: number | null }, { store }) => {
        draft.size = Math.max(draft.size ?? 0, store.dataClass('Task').query('size > 99').count)
      },
    },
    functions: {
      raise: {
        on: 'selection',
        exposed: true,
        run: ({ selection, dataClass }) => {
          let raised = 0
          for (const { key, size } of selection as Untyped) {
            dataClass.update(key, { size: size + 1 } as Untyped)
            raised++
          }
          return raised
        },
      },
    },
  },
)

/** New entities get their keys with the round trip of their commit. */
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})

const createTasks = () => {
  const store = createDataStore({ name: 'tasks', dataClasses: [Task, Note] })
  for (let at = 1; at <= 6; at++) store.Task.insert({ mark: `m${at}`, size: at })
  return store
}

const get = (path: string): RestInput => ({ method: 'GET', url: `/rest/${path}` })
const post = (path: string, body: unknown): RestInput => ({
  method: 'POST',
  url: `/rest/${path}`,
  body: JSON.stringify(body),
})
const bytes = (path: string): RestInput => ({
  method: 'POST',
  url: `/rest/${path}`,
  headers: { 'content-type': 'application/octet-stream' },
  body: Uint8Array.of(1, 2),
})
const userOf = (ID: string) => ({ ID, userName: ID, fullName: ID, groups: [] })
const [BOB, EVE] = [userOf('bob'), userOf('eve')]
const NO_ONE: Caller = {
  session: null,
  access: null,
  names: new Names(createTasks().catalog, null),
}
const engineOf = (store: Untyped): Engine => store[ENGINE]({ host: DEFAULT_HOST })

/** `set` is the id of an entity set of all tasks, `at` the number of the request. */
type Maker = (set: string, at: number) => RestInput

const REQUESTS: readonly (readonly [string, Maker])[] = [
  ['an entity', () => get('Task(1)')],
  ['a page', () => get('Task?$filter="size>2"&$orderby=mark')],
  ['a page by a computed attribute', () => get('Task?$filter="double>2"&$orderby=double')],
  ['a page that is kept', () => get('Task?$filter="size>2"&$method=entityset')],
  ['a page of a set', (set) => get(`Task/$entityset/${set}?$orderby=size`)],
  ['an algebra of sets', (set) => get(`Task/$entityset/${set}?$clean=true&$method=entityset`)],
  ['an aggregate', () => get('Task/size?$compute=$all')],
  ['distinct values', () => get('Task/size?$distinct=true')],
  ['groups', () => get('Task?$groupby=size&$aggregates=count')],
  ['a lock', () => get('Task(2)?$lock=true')],
  ['an unlock', () => get('Task(2)?$lock=false')],
  ['$info', () => get('$info')],
  ['an upload', () => bytes('$upload?$binary=true')],
  ['an insertion', (_, at) => post('Task', { mark: `new ${at}` })],
  ['an update', (_, at) => post('Task', { __KEY: '3', size: at })],
  [
    'a batch',
    (_, at) => post('Task?$atomic=true', [{ mark: `b ${at}` }, { __KEY: '4', size: at }]),
  ],
  ['a BLOB', () => bytes('Task(5)/photo')],
  ['a function', () => post('Task/raise?$filter="size<50"', [])],
  ['a function of a set', (set) => post(`Task/$entityset/${set}/raise`, [])],
  ['a deletion', () => ({ method: 'DELETE', url: '/rest/Task?$filter="mark=new@"' })],
  [
    'a deletion from a set',
    (set) => ({ method: 'DELETE', url: `/rest/Task/$entityset/${set}?$filter="size=6"` }),
  ],
]

/** Calls of a store in the process. Marks are unique: a write that is carried out twice fails. */
const CALLS: readonly (readonly [string, (tasks: Untyped, at: number) => Promise<unknown>])[] = [
  ['get', (tasks) => tasks.get(1)],
  ['page', (tasks) => tasks.query`size > ${2}`.orderBy('mark').page(0, 2)],
  ['computed', (tasks) => tasks.query`double > ${2}`.count()],
  ['sum', (tasks) => tasks.all().sum('size')],
  ['distinct', (tasks) => tasks.all().distinct('size')],
  ['groups', (tasks) => tasks.all().groupBy('size', { count: true }).toArray()],
  ['insert', (tasks, at) => tasks.insert({ mark: `in ${at}` })],
  ['update', (tasks, at) => tasks.update(3, { size: at })],
  ['saveAll', (tasks, at) => tasks.saveAll([{ mark: `all ${at}` }, { key: 4, size: at }])],
  ['remove', (tasks) => tasks.query`mark = ${'in@'}`.remove()],
  ['call', (tasks) => tasks.query`size < ${50}`.call('raise')],
  ['lock', (tasks) => tasks.lock(2)],
  ['unlock', (tasks) => tasks.unlock(2)],
  ['entitySet', (tasks) => tasks.query`size > ${2}`.entitySet()],
  ['a computed entitySet', (tasks) => tasks.query`double > ${2}`.entitySet()],
  [
    'union',
    async (tasks) => (await tasks.all().entitySet()).or(await tasks.query`size > ${2}`.entitySet()),
  ],
]

describeDatabases('one lost connection', { on: 'one' }, (database) => {
  const { pool, lose, loseAfter, ended } = losingPool(database.pool)
  let rest: ReturnType<typeof createRestHandler>
  let store: Untyped
  let tasks: Untyped
  const engine = (): Engine => engineOf(store)
  let set: string
  let at = 0
  const failures: unknown[] = []
  beforeAll(async () => {
    store = await openCopy(createTasks() as never, pool, database.newSchema())
    tasks = store.Task
    rest = createRestHandler(store, {
      identify: () => ({ ID: 'ann' }),
      onError: (error) => failures.push(error),
    })
    const kept = await rest.handle(get('Task?$method=entityset'))
    set = JSON.parse(String(kept.body)).__ENTITYSET.split('/').at(-1)
  })

  /** Calls again and again: each time another round trip is lost, until none is left. */
  async function losingEach(isAnswered: boolean, call: () => Promise<unknown>): Promise<number> {
    for (let trips = 0; ; trips++) {
      at++
      loseAfter(trips, isAnswered)
      await call()
      if (!ended()) return trips
    }
  }

  test('an insertion that loses two connections is stored once, with the key of its answer', async () => {
    const kinds = [false, true]
    let lost = 0
    for (const first of kinds)
      for (const second of kinds)
        for (let trips = 0, isAny = true; isAny; trips++) {
          isAny = false
          for (let further = 0; ; further++) {
            const text = `${first} ${second} ${trips} ${further}`
            lose({ trips, isAnswered: first }, { trips: further, isAnswered: second })
            const { ID } = await store.Note.insert({ text })
            const areLost = ended()
            const stored = await store.Note.query`text = ${text}`.toArray()
            expect([text, stored.map((note: Untyped) => note.ID)]).toEqual([text, [ID]])
            if (!areLost) break
            isAny = true
            lost++
          }
        }
    expect(lost).toBeGreaterThan(4)
  })

  describeEach('before it reaches the database', false)
  describeEach('behind its answer', true)

  function describeEach(when: string, isAnswered: boolean): void {
    test.each(REQUESTS)(`%s is answered as without the loss, ${when}`, async (_name, make) => {
      const lost = await losingEach(isAnswered, async () => {
        const { status, body } = await rest.handle({ remoteAddress: '127.0.0.1', ...make(set, at) })
        expect({ at, status, body, failures }).toMatchObject({ status: 200, failures: [] })
      })
      expect(lost).toBeGreaterThan(0)
    })

    test(`a release of a set says whether there was one, ${when}`, async () => {
      const model = engine().catalog.byName.get('Task')!
      let lost = 0
      for (const isThere of [true, false])
        for (const release of [
          (kept: Untyped) => kept.release(),
          ({ id }: Untyped) => engine().releaseEntitySet(model, id, NO_ONE),
        ])
          for (let trips = 0; ; trips++, lost++) {
            const kept = await tasks.all().entitySet()
            if (!isThere) await kept.release()
            loseAfter(trips, isAnswered)
            expect(await release(kept)).toBe(isThere)
            if (!ended()) break
          }
      expect(lost).toBeGreaterThan(3)
    })

    test(`a session begins once, and keeps its locks at a login, ${when}`, async () => {
      const { sessions } = engine()
      const ids = async () => (await engine().info(NO_ONE)).sessions.map(({ id }) => id)
      const before = await ids()
      const opened: string[] = []
      const keep = async (call: () => Awaitable<Session>): Promise<void> => {
        await losingEach(isAnswered, async () => {
          const session = await call()
          expect((await sessions.touch(session.token))?.id).toBe(session.id)
          opened.push(session.id)
        })
      }
      await keep(() => sessions.open())
      await keep(() => sessions.login(null, BOB))
      for (let trips = 0; ; trips++) {
        const guest = await sessions.open()
        loseAfter(trips, isAnswered)
        const known = await sessions.login(guest.token, BOB)
        const isLost = ended()
        expect(known).toMatchObject({ id: guest.id, user: { ID: 'bob' } })
        opened.push(guest.id)
        loseAfter(trips, isAnswered)
        const other = await sessions.login(known.token, EVE)
        const isLostToo = ended()
        // Another user begins another session, which ends the one before.
        expect(other.id).not.toBe(guest.id)
        opened.splice(-1, 1, other.id)
        if (!isLost && !isLostToo) break
      }
      expect(new Set(await ids())).toEqual(new Set([...before, ...opened]))
    })

    test(`a session that was counted already ends no other one, ${when}`, async () => {
      const schema = database.newSchema()
      const limited = await openCopy(createTasks() as never, pool, schema, {
        sessions: { idleSeconds: 60, maxSeconds: 300, max: 2, maxGuests: 4, maxPerAddress: 4 },
      })
      const { sessions } = engineOf(limited)
      const first = await sessions.open()
      await losingEach(isAnswered, async () => {
        const { token } = await sessions.open()
        expect(await sessions.touch(first.token)).toBeDefined()
        await sessions.close(token)
      })
    })

    test(`a first lock begins one session, ${when}`, async () => {
      const { sessions: before } = await engine().info(NO_ONE)
      let locks = 0
      await losingEach(isAnswered, async () => {
        const user = store.as(null).Task
        expect(await user.lock(6)).toMatchObject({ kind: 'held' })
        expect(await user.unlock(6)).toBe(true)
        locks++
      })
      expect((await engine().info(NO_ONE)).sessions).toHaveLength(before.length + locks)
    })

    test.each(CALLS)(`%s in the process does not fail, ${when}`, async (_name, call) => {
      expect(await losingEach(isAnswered, () => call(tasks, at))).toBeGreaterThan(0)
    })
  }
})
