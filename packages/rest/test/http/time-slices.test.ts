import { attribute, createDataStore, defineDataClass, type ReadingLimits } from '@entia/core'
import { createLocalEngine } from '@entia/engine'
import { beforeEach, describe, expect, test } from 'vitest'
import { createHandlerOf, type RestHandler } from '../../src/transport/handler/rest-handler.ts'
import type { RestOptions } from '../../src/transport/handler/rest-options.ts'

const SIZE = 1500

const Kind = defineDataClass('Kind', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  trees: attribute.relatedEntities('Tree', 'kind'),
})
const Tree = defineDataClass('Tree', {
  ID: attribute.long({ key: true }),
  label: attribute.string(),
  age: attribute.long(),
  metres: attribute.computed('number', {
    get: (tree: { age: number | null }) => (tree.age ?? 0) / 10,
  }),
  kind: attribute.relatedEntity('Kind', { onDelete: 'restrict' }),
})

/**
 * Milliseconds that pass at each reading of the clock; 0 simulates a machine that is fast enough.
 */
let pace = 0
/** The number of awaited time slices, and the action of each. */
let slices = 0
let inTurn: () => void = () => {}

function wood(options: RestOptions = {}, reading: Partial<ReadingLimits> = {}) {
  let now = 5000
  const store = createDataStore({
    name: 'wood',
    dataClasses: [Kind, Tree],
    reading: { maxMilliseconds: 1_000_000, ...reading },
    clock: {
      now: () => 1_700_000_000_000,
      monotonic: () => {
        now += pace
        return now
      },
    },
  })
  store.Kind.load(Array.from({ length: 5 }, (_, i) => ({ ID: i, name: `kind ${i}` })))
  store.Tree.load(
    Array.from({ length: SIZE }, (_, i) => ({
      ID: i,
      label: `tree "${(i * 7919) % SIZE}" of ${i % 13}`,
      age: i % 97,
      kind: i % 5,
    })),
  )
  const nextSlice = async (): Promise<void> => {
    slices++
    inTurn()
  }
  const engine = createLocalEngine(store, nextSlice)
  return { store, rest: createHandlerOf(engine, options, { host: { nextSlice } }) }
}

async function ask(
  rest: RestHandler,
  url: string,
  method = 'GET',
  body?: unknown,
  signal?: AbortSignal,
) {
  const answer = await rest.handle({
    method,
    url,
    headers: { host: 'localhost' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  return { status: answer.status, body: JSON.parse(String(answer.body)) }
}

beforeEach(() => {
  pace = 0
  slices = 0
  inTurn = () => {}
})

describe('an answer', () => {
  const { rest } = wood({ limits: { maxTop: SIZE } })
  const FORMS = [
    '$orderby=label',
    '$attributes=label,metres',
    '$attributes=label,kind.name',
    '$expand=kind',
    '$asArray=true',
    '$asArray=true&$expand=kind',
    '$format=dashboard&$attributes=label,metres,kind.name',
  ]

  test.each(FORMS)(
    'of many entities is written in time slices, and equals its pages: %s',
    async (form) => {
      const rowsOf = ({ body }: { body: { rows?: unknown; __ENTITIES?: unknown } }) =>
        body.rows ?? body.__ENTITIES ?? body
      const whole = await ask(rest, `/rest/Tree?$top=${SIZE}&${form}`)
      expect(slices).toBeGreaterThan(4)
      slices = 0
      const pages: unknown[] = []
      for (let skip = 0; skip < SIZE; skip += 100)
        pages.push(
          ...(rowsOf(await ask(rest, `/rest/Tree?$top=100&$skip=${skip}&${form}`)) as unknown[]),
        )
      expect(slices).toBe(0)
      expect(rowsOf(whole)).toEqual(pages)
      if (!form.includes('asArray') && !form.includes('dashboard'))
        expect(whole.body.__SENT).toBe(SIZE)
    },
  )

  test('of one entity with many related ones is written in time slices, too', async () => {
    const many = wood({ limits: { maxTop: SIZE, defaultTop: SIZE } }).rest
    const { body } = await ask(many, '/rest/Kind(1)?$expand=trees,trees.kind')
    expect(slices).toBeGreaterThan(2)
    expect(body.trees.__ENTITIES).toHaveLength(SIZE / 5)
    slices = 0
    const { body: first } = await ask(many, '/rest/Kind(1)?$expand=trees.kind&$attributes=trees.*')
    expect(body.trees.__ENTITIES[7]).toEqual(first.trees.__ENTITIES[7])
  })

  test('that is too long is refused before it is complete', async () => {
    const short = wood({ limits: { maxTop: SIZE, maxAnswerCharacters: 60_000 } }).rest
    const { status, body } = await ask(short, `/rest/Tree?$top=${SIZE}&$expand=kind`)
    expect(status).toBe(400)
    expect(body.__ERROR[0].message).toContain('limits.maxAnswerCharacters')
  })

  test('is not completed if no client waits for it', async () => {
    const gone = new AbortController()
    inTurn = () => {
      if (slices === 2) gone.abort()
    }
    await ask(rest, `/rest/Tree?$top=${SIZE}&$expand=kind`, 'GET', undefined, gone.signal)
    expect(slices).toBe(2)
  })
})

describe('a read', () => {
  test('of many entities yields to other requests, with the same answer', async () => {
    const { rest } = wood()
    const path = '/rest/Tree?$filter="label = @17@"&$orderby=label desc'
    const quick = await ask(rest, path)
    expect(slices).toBe(0)
    pace = 1
    expect(await ask(rest, path)).toEqual(quick)
    expect(slices).toBeGreaterThan(1)
  })

  test.each([
    'Tree?$compute=$all&$attributes=label,metres',
    'Tree/metres?$distinct=true',
    'Tree?$method=entityset&$orderby=label&$top=3',
    'Tree:label(nothing)',
    'Tree?$filter="kind.name = @1@"&$queryplan=true&$querypath=true&$top=1',
  ])('of any kind does: %s', async (path) => {
    const { rest } = wood()
    pace = 1
    await ask(rest, `/rest/${path}`)
    expect(slices).toBeGreaterThan(0)
  })

  test('above its budget is refused with the name of the option', async () => {
    pace = 1
    const { status, body } = await ask(
      wood({}, { maxMilliseconds: 20 }).rest,
      '/rest/Tree?$orderby=label,metres',
    )
    expect(status).toBe(400)
    expect(body.__ERROR[0].message).toContain('reading.maxMilliseconds')
  })

  test('ends if the client disconnects', async () => {
    pace = 1
    const gone = new AbortController()
    inTurn = () => gone.abort()
    await ask(wood().rest, '/rest/Tree?$orderby=label,metres', 'GET', undefined, gone.signal)
    expect(slices).toBe(1)
  })

  test('delays requests that write until it ends', async () => {
    const { rest, store } = wood()
    pace = 1
    let writing: Promise<unknown> = Promise.resolve()
    inTurn = () => {
      if (slices !== 1) return
      writing = ask(rest, '/rest/Tree', 'POST', { ID: 9000, label: 'tree 17' })
    }
    const { body } = await ask(
      rest,
      '/rest/Tree?$filter="label = @17@"&$orderby=label,metres&$top=1',
    )
    await writing
    expect(store.Tree.get(9000)?.label).toBe('tree 17')
    expect(body.__COUNT).toBe(store.Tree.query("label = '@17@' and ID < 9000").count)
  })

  test('restarts if the application writes during it', async () => {
    const { rest, store } = wood()
    pace = 1
    inTurn = () => {
      if (slices < 4) store.Tree.insert({ ID: 9000 + slices, label: 'tree 17' })
    }
    const { body } = await ask(
      rest,
      '/rest/Tree?$filter="label = @17@"&$orderby=label,metres&$top=1',
    )
    expect(body.__COUNT).toBe(store.Tree.query("label = '@17@'").count)
    expect(store.Tree.query('ID >= 9000').count).toBe(3)
  })
})

describe('a change of many', () => {
  const items = Array.from({ length: 900 }, (_, i) => ({ __KEY: String(i), age: 200 + i }))

  test('runs in time slices if its items are independent', async () => {
    const { rest, store } = wood()
    const { status, body } = await ask(rest, '/rest/Tree', 'POST', [
      ...items,
      { __KEY: '77777', age: 1 },
    ])
    expect(slices).toBeGreaterThan(6)
    expect(status).toBe(207)
    expect(body.__ENTITIES).toHaveLength(901)
    expect(body.__ENTITIES[900].__STATUS.success).toBe(false)
    expect(store.Tree.query('age >= 200').count).toBe(900)
  })

  test('is one transaction of limited size if it is atomic', async () => {
    const { rest, store } = wood({ limits: { maxAtomicItems: 899 } })
    const { status, body } = await ask(rest, '/rest/Tree?$atomic=true', 'POST', items)
    expect(status).toBe(400)
    expect(body.__ERROR[0].message).toContain('limits.maxAtomicItems')
    const before = store.globalStamp
    expect((await ask(rest, '/rest/Tree?$atomic=true', 'POST', items.slice(1))).status).toBe(200)
    expect(store.globalStamp).toBe(before + 1)
    expect((await ask(rest, '/rest/Tree?$filter="ID >= 0"&$atomic=true', 'DELETE')).status).toBe(
      400,
    )
    expect(store.Tree.count).toBe(SIZE)
  })

  test('by a filter changes exactly the selected entities, also during other writes', async () => {
    const { rest, store } = wood()
    let writing: Promise<unknown> = Promise.resolve()
    inTurn = () => {
      if (slices === 1)
        writing = ask(rest, '/rest/Tree', 'POST', { __KEY: String(SIZE - 1), age: 5000 })
    }
    const { status } = await ask(rest, '/rest/Tree?$filter="age < 90"', 'DELETE')
    expect(status).toBe(200)
    expect(slices).toBeGreaterThan(5)
    await writing
    expect(store.Tree.query('age < 90').count).toBe(0)
    expect(store.Tree.count).toBe(
      Array.from({ length: SIZE }, (_, i) => i % 97).filter((age) => age >= 90).length,
    )
  })

  test('reports each entity that could not be deleted', async () => {
    const { rest, store } = wood()
    store.Kind.load(Array.from({ length: 300 }, (_, i) => ({ ID: 10 + i, name: 'free' })))
    const { status, body } = await ask(rest, '/rest/Kind?$filter="ID >= 0"', 'DELETE')
    expect(status).toBe(207)
    const refused = body.__ENTITIES.filter(
      ({ __STATUS }: { __STATUS: { success: boolean } }) => !__STATUS.success,
    )
    expect(refused.map(({ __KEY }: { __KEY: string }) => __KEY)).toEqual(['0', '1', '2', '3', '4'])
    expect(store.Kind.count).toBe(5)
  })
})
