import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  createMedia,
  defineDataClass,
  isEntiaError,
  type Media,
} from '../../src/index.ts'
import { patience, runs } from '../runs.ts'

const Paper = defineDataClass('Paper', {
  ID: attribute.long({ key: true }),
  text: attribute.string(),
  notes: attribute.object(),
  scan: attribute.blob(),
  face: attribute.image(),
})
const KIBIBYTE = 1024
const blob = (size: number, byte = 0): Media =>
  createMedia('application/octet-stream', new Uint8Array(size).fill(byte))

function open(history: { readonly commits?: number; readonly bytes?: number }) {
  return createDataStore({ name: 'papers', dataClasses: [Paper], history })
}
type Store = ReturnType<typeof open>
const historyBytes = (store: Store): number =>
  (store as unknown as { readonly figures: { readonly historyBytes: number } }).figures.historyBytes

type Values = { readonly [name: string]: unknown }
const NAMES = ['ID', 'text', 'notes', 'scan', 'face']

/** A lower bound for the bytes of a value, computed in the simplest way. */
function leastBytes(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if ('bytes' in value) return (value as Media).size
  return JSON.stringify(value).length
}
const isOther = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) !== JSON.stringify(b) || leastBytes(a) !== leastBytes(b)

/** The size of the before-values of all commits in the history. */
function leastHistory(store: Store): { readonly bytes: number; readonly records: number } {
  for (let since = 0; since <= store.globalStamp; since++) {
    try {
      const reported = store.changes({ since })
      let bytes = 0
      for (const { before, after } of reported) {
        if (before === null) continue
        for (const name of NAMES)
          if (after === null || isOther((before as Values)[name], (after as Values)[name]))
            bytes += leastBytes((before as Values)[name])
      }
      return { bytes, records: reported.length }
    } catch (error) {
      if (!isEntiaError(error, 'historyTrimmed')) throw error
    }
  }
  throw new Error('No stamp is within the history.')
}

const sizes = fc.oneof(fc.nat(20), fc.nat(3000), fc.constant(6 * KIBIBYTE))
const media = fc.option(fc.tuple(sizes, fc.nat(3)).map(([size, byte]) => blob(size + 1, byte)))
const values = fc.record(
  {
    text: fc.option(sizes.map((size) => 'é'.repeat(size))),
    notes: fc.option(
      fc.oneof(
        sizes.map((size) => ({ deep: { long: 'x'.repeat(size) } })),
        fc
          .array(fc.record({ a: fc.integer(), bc: fc.string() }), { maxLength: 40 })
          .map((list) => ({ list })),
        sizes.map((size) =>
          Object.fromEntries(Array.from({ length: size % 200 }, (_, i) => [`name${i}`, i])),
        ),
      ),
    ),
    scan: media,
    face: media,
  },
  { requiredKeys: [] },
)
const writes = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), ID: fc.nat(3), values }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), ID: fc.nat(3) }) },
)
const commits = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.array(writes, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant('back' as const) },
  ),
  { minLength: 1, maxLength: 30, size: 'max' },
)

function write(
  store: Store,
  one: { readonly kind: 'put' | 'remove'; readonly ID: number; readonly values?: object },
): void {
  const { ID } = one
  if (one.kind === 'remove') {
    if (store.Paper.has(ID)) store.Paper.remove(ID)
  } else if (store.Paper.has(ID)) store.Paper.update(ID, one.values as object)
  else store.Paper.insert({ ID, ...one.values })
}

describe('the history counts its values by their size', () => {
  test(
    'never less than the before-values take, never much more, and never above the limit',
    patience,
    () => {
      fc.assert(
        fc.property(commits, fc.constantFrom(4, 16, 64), (all, kibibytes) => {
          const bytes = kibibytes * KIBIBYTE
          const store = open({ commits: 20, bytes })
          for (const commit of all) {
            if (commit === 'back') {
              using snapshot = store.snapshot()
              write(store, { kind: 'put', ID: 0, values: { scan: blob(2000, 9) } })
              store.restore(snapshot)
            } else store.transact(() => commit.forEach((one) => void write(store, one)))
            const counted = historyBytes(store)
            const least = leastHistory(store)
            expect(counted).toBeGreaterThanOrEqual(least.bytes)
            expect(counted).toBeLessThanOrEqual(
              40 * (least.bytes + 1) + 2000 * (least.records + 20),
            )
            expect(counted).toBeLessThanOrEqual(bytes)
          }
          store.verify()
        }),
        runs(60),
      )
    },
  )

  test.each([
    ['a BLOB', { scan: blob(1 << 20) }],
    ['an image', { face: blob(1 << 20) }],
    ['an object', { notes: { text: 'x'.repeat(1 << 20) } }],
    ['a list in an object', { notes: { list: Array.from({ length: 1 << 17 }, (_, i) => i) } }],
    ['a text', { text: 'x'.repeat(1 << 20) }],
  ])('%s that is replaced again and again', (_, large) => {
    const store = open({ bytes: 4 << 20 })
    store.Paper.insert({ ID: 1 })
    for (let i = 0; i < 20; i++)
      store.Paper.update(
        1,
        i % 2 === 0 ? large : { scan: null, face: null, notes: null, text: null },
      )
    expect(historyBytes(store)).toBeLessThanOrEqual(4 << 20)
    expect(leastHistory(store).bytes).toBeLessThanOrEqual(4 << 20)
    expect(leastHistory(store).bytes).toBeGreaterThan(0)
  })

  test('a commit larger than the limit is kept only while a snapshot needs it', () => {
    const store = open({ bytes: 1 << 20 })
    store.Paper.insert({ ID: 1, scan: blob(3 << 20) })
    const before = store.globalStamp
    const received: number[] = []
    store.on('commit', ({ changes }) => void received.push(changes.length))
    const snapshot = store.snapshot()
    store.Paper.update(1, { scan: null })
    expect(historyBytes(store)).toBeGreaterThanOrEqual(3 << 20)
    expect(store.changes({ since: before })).toHaveLength(1)
    snapshot.dispose()
    expect(historyBytes(store)).toBe(0)
    expect(() => store.changes({ since: before })).toThrow(
      expect.objectContaining({ code: 'historyTrimmed' }),
    )
    expect(store.changes({ since: store.globalStamp })).toEqual([])
    // Listeners still receive it.
    store.Paper.update(1, { scan: blob(3 << 20) })
    store.Paper.update(1, { scan: null })
    expect(received).toEqual([1, 1, 1])
    expect(historyBytes(store)).toBe(0)
  })
})
