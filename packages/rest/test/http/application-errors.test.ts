import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { errCodes, get, post, type Reply, send } from './send.ts'

const thrown = new Error('secret /path/of/the/application')

/** Tasks whose computed attribute, setter and hooks fail depending on the title. */
function createTasks() {
  const failFor = (title: string | null, word: string): void => {
    if (title?.includes(word)) throw thrown
  }
  const Task = defineDataClass(
    'Task',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      title: attribute.string(),
      shout: attribute.computed('string', {
        get: (task: { title: string | null }) => {
          failFor(task.title, 'unreadable')
          return `${task.title}!`
        },
        set: (value: string | null) => {
          failFor(value, 'unsettable')
          return { title: value }
        },
      }),
      detail: attribute.computed('object', {
        get: (task: { title: string | null }) => {
          failFor(task.title, 'lost')
          return { size: task.title?.includes('no JSON') ? (1n as unknown as number) : 1 }
        },
      }),
    },
    {
      hooks: {
        beforeSave: (task) => failFor(task.title, 'unsavable'),
        validateSave: (task) => {
          failFor(task.title, 'invalid')
          return task.title === 'refused'
            ? { errCode: 10_007, message: 'refused by rule 7' }
            : undefined
        },
        validateRemove: (task) => {
          failFor(task.title, 'kept')
        },
      },
    },
  )
  return createDataStore({ name: 'tasks', dataClasses: [Task] })
}

let store: ReturnType<typeof createTasks>
let rest: RestHandler
let reported: unknown[]
beforeEach(() => {
  store = createTasks()
  reported = []
  rest = createRestHandler(store, { onError: (error) => reported.push(error) })
})

const messages = ({ body }: Reply): readonly string[] =>
  body.__ERROR.map((entry: { message: string }) => entry.message)

/** The client saw nothing of the application; the host got the attribute and the error. */
function expectOneReport(reply: Reply, attribute: string): void {
  expect([reply.text.includes('secret'), reported.length]).toEqual([false, 1])
  const [error] = reported as [Error]
  expect(error.message).toContain(`"${attribute}"`)
  expect(error.message).toContain('"Task"')
  expect(error.cause).toBeInstanceOf(Error)
}

describe('a computed attribute that fails', () => {
  test.each([
    ['unreadable', 'shout'],
    ['no JSON', 'detail'],
  ])(
    'after a save is answered with the message that the entity is saved (%s)',
    async (title, name) => {
      for (const [call, sentence] of [
        [() => post(rest, '/rest/Task', { title }), 'The entity is saved,'],
        [() => post(rest, '/rest/Task(1)', { title: `${title}2` }), 'The entity is saved,'],
        [
          () => post(rest, '/rest/Task?$atomic=true', [{ title }, { title: 'fine' }]),
          '2 of 2 entities are saved,',
        ],
        [
          () => post(rest, '/rest/Task', [{ title }, { title: 'refused' }]),
          '1 of 2 entities are saved,',
        ],
      ] as const) {
        reported = []
        const { globalStamp } = store
        const reply = await call()
        expect([reply.status, errCodes(reply)]).toEqual([500, [9199]])
        expect(messages(reply)).toEqual([
          `Internal error. ${sentence} but the answer cannot be made.`,
        ])
        expect(store.globalStamp).toBeGreaterThan(globalStamp)
        expectOneReport(reply, name)
      }
      expect(
        store.Task.all()
          .toArray()
          .map((task) => task.title),
      ).toEqual([`${title}2`, title, 'fine', title])
    },
  )

  test('is reported with the message that nothing was done, if nothing was saved', async () => {
    store.Task.insert({ title: 'unreadable' })
    const before = store.dump()
    for (const call of [
      () => post(rest, '/rest/Task?$refresh=true', { title: 'unreadable' }),
      () => post(rest, '/rest/Task?$atomic=true', [{ title: 'unreadable' }, { title: 'refused' }]),
      () => post(rest, '/rest/Task', { __KEY: '1', title: 'refused' }),
    ]) {
      reported = []
      const reply = await call()
      expect([reply.status, messages(reply)]).toEqual([
        500,
        ['Internal error. The request was not carried out.'],
      ])
      expectOneReport(reply, 'shout')
    }
    expect(Buffer.compare(Buffer.from(store.dump()), Buffer.from(before))).toBe(0)
  })

  test('fails only the item whose sent value is compared with it', async () => {
    store.Task.insert({ title: 'fine' })
    store.Task.insert({ title: 'lost' })
    const items = [{ title: 'new' }, { __KEY: '2', detail: { size: 1 } }]
    const reply = await post(rest, '/rest/Task?$attributes=title', items)
    expect([reply.status, errCodes({ body: reply.body.__ENTITIES[1] }), store.Task.count]).toEqual([
      207,
      [9199, 1517],
      3,
    ])
    expectOneReport(reply, 'detail')
  })

  test('fails a read with an error that has no details', async () => {
    store.Task.insert({ title: 'unreadable' })
    for (const url of [
      '/rest/Task',
      '/rest/Task(1)',
      '/rest/Task?$asArray=true',
      '/rest/Task(1)/shout',
    ]) {
      reported = []
      const reply = await get(rest, url)
      expect([reply.status, messages(reply)]).toEqual([
        500,
        ['Internal error. The request was not carried out.'],
      ])
      expectOneReport(reply, 'shout')
      expect((reported as [Error])[0].cause).toBe(thrown)
    }
    expect((await get(rest, '/rest/Task?$attributes=title')).status).toBe(200)
  })

  test('does not hide how many entities a deletion removed', async () => {
    for (const title of ['fine', 'unreadable kept', 'fine']) store.Task.insert({ title })
    const reply = await send(rest, 'DELETE', '/rest/Task?$filter="ID > 0"')
    expect(messages(reply)).toEqual([
      'Internal error. 2 of 3 entities are deleted, but the answer cannot be made.',
    ])
    expect(store.Task.count).toBe(1)
  })
})

describe('a hook that throws', () => {
  test.each([
    ['beforeSave', { title: 'unsavable' }],
    ['validateSave', { title: 'invalid' }],
    ['a setter', { shout: 'unsettable' }],
  ])('is answered with its codes, and its message goes to the host only: %s', async (_, body) => {
    store.Task.insert({ title: 'old' })
    for (const [call, codes] of [
      [() => post(rest, '/rest/Task', body), [9040, 1534]],
      [() => post(rest, '/rest/Task(1)', body), [9040, 1517]],
      [() => post(rest, '/rest/Task?$atomic=true', [body]), [9040, 1534]],
    ] as const) {
      reported = []
      const reply = await call()
      expect([reply.status, errCodes(reply)]).toEqual([500, codes])
      expect(reply.text).not.toContain('secret')
      expect(reported).toEqual([thrown])
      expect(reported[0]).toBe(thrown)
    }
    expect(store.Task.count).toBe(1)
  })

  test('is reported to the host even if other items were saved', async () => {
    const reply = await post(rest, '/rest/Task', [{ title: 'fine' }, { title: 'invalid' }])
    expect([reply.status, reply.text.includes('secret'), reported[0]]).toEqual([207, false, thrown])
  })

  test('keeps the entity, and its message stays on the server', async () => {
    store.Task.insert({ title: 'kept' })
    for (const url of [
      '/rest/Task(1)',
      '/rest/Task?$filter="ID = 1"',
      '/rest/Task?$filter="ID = 1"&$atomic=true',
    ]) {
      reported = []
      const reply = await send(rest, 'DELETE', url)
      expect([reply.status, errCodes(reply), reported[0]]).toEqual([500, [9040, 1518], thrown])
      expect(reply.text).not.toContain('secret')
    }
    expect(store.Task.count).toBe(1)
  })

  test('differs from a refusal that a hook returns', async () => {
    const reply = await post(rest, '/rest/Task', { title: 'refused' })
    expect([reply.status, errCodes(reply), reported]).toEqual([422, [10_007, 1570, 1534], []])
    expect(messages(reply)[0]).toBe('refused by rule 7')
  })
})

test('an error thrown by onError does not change the answer', async () => {
  const failing = createRestHandler(store, {
    onError: () => {
      throw new Error('the log is full')
    },
  })
  expect((await post(failing, '/rest/Task', { title: 'invalid' })).status).toBe(500)
  expect((await post(failing, '/rest/Task', { title: 'unreadable' })).status).toBe(500)
})
