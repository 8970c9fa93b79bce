import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  createMedia,
  defineDataClass,
  type StoreFigures,
} from '../../src/index.ts'

const Page = defineDataClass('Page', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ indexed: true }),
  even: attribute.bool({ indexed: true }),
  scan: attribute.blob(),
  notes: attribute.object(),
})
const MEBIBYTE = 1 << 20

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/**
 * Resolves in the next iteration of the event loop: until then targets of weak references are not
 * collected.
 */
const used = async (): Promise<number> => {
  await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < 3; i++) collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / MEBIBYTE
}

/** The memory in MiB that `act` leaves allocated. */
async function growth(act: () => void): Promise<number> {
  const before = await used()
  act()
  return (await used()) - before
}

function open() {
  const store = createDataStore({
    name: 'pages',
    dataClasses: [Page],
    history: { bytes: 4 * MEBIBYTE },
  })
  store.Page.insert({})
  return store
}

test('the dictionary forgets replaced texts', async () => {
  const store = open()
  const replace = (from: number): void => {
    for (let i = 0; i < 40; i++)
      store.Page.update(1, { text: `${from + i}`.padStart(MEBIBYTE, 'x') })
  }
  replace(0)
  expect(await growth(() => replace(40))).toBeLessThan(12)
  store.verify()
  expect(store.Page.query('text = :1', ['79'.padStart(MEBIBYTE, 'x')]).count).toBe(1)
})

test('a BLOB larger than the history is dropped with its commit, not some commits later', async () => {
  const store = open()
  store.Page.update(1, { scan: createMedia('text/plain', new Uint8Array(32 * MEBIBYTE)) })
  expect(await growth(() => store.Page.update(1, { scan: null }))).toBeLessThan(-30)
  // Many small commits in the history beside it.
  for (let i = 0; i < 50; i++) store.Page.update(1, { even: i % 2 === 0 })
  store.Page.update(1, { scan: createMedia('text/plain', new Uint8Array(3 * MEBIBYTE)) })
  store.Page.update(1, { scan: null })
  const before = await used()
  for (let i = 0; i < 2; i++) store.Page.update(1, { text: `${i}`.padStart(MEBIBYTE, 'y') })
  expect((await used()) - before).toBeLessThan(8)
  store.verify()
})

test('sessions keep only the shown part of their origin in memory', async () => {
  const store = open()
  const opened = await growth(() => {
    for (let i = 0; i < 1000; i++)
      store.sessions.open({
        ipAddress: `${i}`,
        userAgent: `${i}`.padEnd(16_384, 'agent ').split('').join(''),
      })
  })
  expect(store.sessions.size).toBe(1000)
  expect(opened).toBeLessThan(4)
})

test('an entity set stores its members and not the selection that created it', async () => {
  const store = open()
  store.Page.load(Array.from({ length: 40_000 }, (_, i) => ({ even: i % 2 === 0 })))
  const kept = await growth(() => {
    for (let i = 0; i < 100; i++) {
      const whole = store.Page.query('ID > 0 order by even, ID')
      store.entitySets.create(whole.page(i, 1))
      store.entitySets.create(
        store.Page.query('even = true').and(store.Page.query('ID <= :1', [20])),
      )
    }
  })
  expect(store.entitySets.size).toBe(200)
  expect(kept).toBeLessThan(4)
})

test('an entity set derived from others does not keep them in memory', async () => {
  const store = open()
  store.Page.load(Array.from({ length: 20_000 }, (_, i) => ({ even: i % 2 === 0 })))
  let id = store.entitySets.create(store.Page.query('even = true'))
  const kept = await growth(() => {
    for (let i = 0; i < 2000; i++) {
      const narrowed = store.entitySets.get(id)?.query('ID > :1', [i])
      store.entitySets.release(id)
      id = store.entitySets.create(narrowed as never)
    }
  })
  expect(store.entitySets.size).toBe(1)
  expect(kept).toBeLessThan(4)
})

test('the memory of cached filters is bounded, even for long ones', async () => {
  const store = open()
  const kept = await growth(() => {
    for (let i = 0; i < 300; i++) {
      const filter = `ID in [${Array.from({ length: 1000 }, (_, at) => at + i).join(', ')}]`
      for (let again = 0; again < 2; again++) void store.Page.query(filter).count
    }
  })
  expect(kept).toBeLessThan(12)
})

const list = <T>(length: number, each: (i: number) => T): T[] =>
  Array.from({ length }, (_, i) => each(i))
const named = (count: number, name: (i: number) => string) =>
  Object.fromEntries(list(count, (i) => [name(i), i + 0.5]))
test.each<[string, number, (i: number) => unknown]>([
  ['numbers', 100, (i) => list(20_000, (at) => at / 7 + i)],
  ['small integers', 100, (i) => list(20_000, (at) => at + i)],
  ['texts', 100, (i) => list(2000, (at) => `text ${i} ${at}`)],
  ['empty objects', 100, (i) => [i, ...list(2000, () => ({}))]],
  ['empty arrays', 100, (i) => [i, ...list(2000, () => [])]],
  ['objects of one shape', 100, (i) => list(1000, (at) => ({ at, i, name: 'x' }))],
  ['objects of many names', 15, (i) => list(20, (at) => named(500, (of) => `${i} ${at} ${of}`))],
  ['an object of other names each time', 1000, (i) => named(50, (of) => `${i} ${of}`)],
])('the history holds at most twice what it counts for %s', async (_, commits, content) => {
  const store = open()
  const held = await growth(() => {
    for (let i = 0; i < commits; i++) store.Page.update(1, { notes: { content: content(i) } })
    store.Page.update(1, { notes: null })
  })
  const { historyBytes } = (store as unknown as { readonly figures: StoreFigures }).figures
  expect(historyBytes / MEBIBYTE).toBeGreaterThan(3)
  expect(held).toBeLessThan((2 * historyBytes) / MEBIBYTE)
})
