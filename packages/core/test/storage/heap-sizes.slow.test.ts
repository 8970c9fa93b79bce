import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type AnyDataClass, attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { tableSizes } from '../../src/storage/table-sizes.ts'
import { handleOf } from '../../src/store/kernel/capability.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Bytes of the heap and of buffers, once collections free no more: what other tests of the process
 * have left goes when their weak references, finalizers and timers have had their turns.
 */
async function used(): Promise<number> {
  let before = Number.POSITIVE_INFINITY
  for (let quiet = 0; quiet < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    const bytes = heapUsed + arrayBuffers
    quiet = bytes > before - 10_000 ? quiet + 1 : 0
    before = Math.min(before, bytes)
  }
  return before
}

/** Values are made here, so that only the store keeps them. */
function filled(given: object, make: (at: number) => unknown, count: number): object {
  const One: AnyDataClass = defineDataClass('One', {
    ID: attribute.long({ key: true }),
    value: given as never,
  })
  const dataClasses: readonly AnyDataClass[] = [One]
  const store = createDataStore({ name: 'one', dataClasses, history: { bytes: 0 } })
  const rows = Array.from({ length: count }, (_, at) => ({ ID: at + 1, value: make(at) }))
  store.dataClass('One').load(rows as never)
  return store
}

test.each<[string, object, (at: number) => unknown]>([
  ['numbers', attribute.number(), (at) => at / 7],
  ['indexed numbers', attribute.number({ indexed: true }), (at) => at / 7],
  ['dates', attribute.date({ indexed: true }), (at) => new Date(at * 1e6)],
  ['few texts', attribute.string(), (at) => `Town ${at % 100}`],
  ['many texts', attribute.string(), (at) => `a text of some length ${at}`],
  ['unique texts', attribute.string({ unique: true }), (at) => `code-${at}`],
  ['objects', attribute.object(), (at) => ({ part: at / 7, name: `n${at}` })],
])('%s take about the memory that their sizes say', async (_, given, make) => {
  const warm = filled(given, make, 2000)
  const before = await used()
  const store = filled(given, make, 100_000)
  const taken = (await used()) - before
  const { bytes } = tableSizes(handleOf(store).writer.tables[0]!)
  expect(bytes / taken).toBeGreaterThan(0.8)
  expect(bytes / taken).toBeLessThan(1.25)
  expect(tableSizes(handleOf(warm).writer.tables[0]!).bytes).toBeLessThan(bytes)
})
