import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { patience, runs } from '../runs.ts'
import { firmStore } from '../write/firm-store.ts'

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true, autoSequence: true }),
  n: attribute.long({ indexed: true }),
  text: attribute.string(),
})
const open = (history = {}) => createDataStore({ name: 'items', dataClasses: [Item], history })
type Store = ReturnType<typeof open>

interface Figures {
  readonly historyCommits: number
  readonly historyBytes: number
}
const figuresOf = (store: Store): Figures =>
  (store as unknown as { readonly figures: Figures }).figures
/** A dump without the global stamp and the checksum that covers it. */
const contentOf = (store: Store): string =>
  Buffer.from(store.dump())
    .toString('utf8')
    .split('\n')
    .slice(0, -2)
    .join('\n')
    .replace(/"globalStamp":\d+/, '')

describe('a snapshot that is restored repeatedly', () => {
  test('costs O(changes since the last restore), the thousandth time as the first', () => {
    let steps = 0
    const store = firmStore({ allocation: () => void steps++ })
    store.insert('Firm', { name: 'first' })
    const seed = store.snapshots.take()
    const state = store.state()
    const costs = new Set<number>()
    for (let i = 0; i < 1000; i++) {
      store.insert('Firm', { name: `firm ${i}` })
      store.update('Firm', 1, { name: `renamed ${i}` })
      const before = steps
      expect(store.snapshots.restore(seed)).toBe(true)
      costs.add(steps - before)
    }
    expect([...costs]).toEqual([2])
    expect(store.state()).toBe(state)
    expect(store.writer.history.commits).toBeLessThanOrEqual(1000)
    store.verify()
  })

  test('keeps no more history than a store without snapshots', () => {
    const store = open({ commits: 20, bytes: 1 << 16 })
    store.Item.load(Array.from({ length: 100 }, (_, i) => ({ n: i })))
    const seed = store.snapshot()
    const content = contentOf(store)
    let most = 0
    for (let i = 0; i < 1000; i++) {
      store.Item.insert({ n: i, text: 'x'.repeat(100) })
      if (i % 3 === 0) store.Item.remove(1 + (i % 100))
      store.restore(seed)
      most = Math.max(most, figuresOf(store).historyBytes)
      expect(figuresOf(store).historyCommits).toBeLessThanOrEqual(20)
    }
    expect(most).toBeLessThanOrEqual(1 << 16)
    expect(contentOf(store)).toBe(content)
    store.verify()
    seed.dispose()
  })

  test('keeps nothing for changes that were already undone', () => {
    const store = open({ commits: 5 })
    store.Item.insert({ ID: 1, n: 1 })
    const seed = store.snapshot()
    for (let i = 0; i < 100; i++) {
      store.Item.insert({ ID: 0, n: 1 })
      store.Item.remove(0)
      const before = store.globalStamp
      store.restore(seed)
      expect(store.globalStamp).toBe(before)
    }
    expect(figuresOf(store).historyCommits).toBeLessThanOrEqual(5)
  })

  test('keeps settled selections correct, whatever is left of the history', () => {
    const store = open({ commits: 2 })
    store.Item.load(Array.from({ length: 5000 }, (_, i) => ({ n: i, text: `${i % 7}` })))
    const seed = store.snapshot()
    store.Item.update(1, { text: 'x' })
    const settled = store.Item.query("text = 'x'").settle()
    for (let i = 0; i < 5; i++) store.Item.update(2, { text: `${i}` })
    store.restore(seed)
    for (let i = 0; i < 5; i++) store.Item.update(2, { text: `${i}` })
    expect(settled.keys()).toEqual([1])
    store.restore(seed)
    expect(store.Item.get(2)?.text).toBe('1')
  })

  test('can be restored by a listener of its own restore', () => {
    const store = open()
    store.Item.insert({ ID: 1, n: 1 })
    const seed = store.snapshot()
    let left = 3
    store.on('commit', () => {
      if (left-- <= 0) return
      store.Item.update(1, { n: 100 + left })
      store.restore(seed)
    })
    store.Item.update(1, { n: 2 })
    store.Item.update(1, { n: 3 })
    store.restore(seed)
    expect(store.Item.get(1)).toMatchObject({ n: 1, stamp: 1 })
    expect(seed.globalStamp).toBe(store.globalStamp)
  })
})

type Act =
  | { readonly kind: 'save'; readonly ID: number; readonly n: number }
  | { readonly kind: 'remove' | 'restore' | 'dispose' | 'look'; readonly at: number }
  | { readonly kind: 'mark' | 'past' }

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('save' as const), ID: fc.nat(4), n: fc.nat(3) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('restore' as const), at: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dispose' as const), at: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), at: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.constantFrom<Act>({ kind: 'mark' }, { kind: 'past' }) },
)

test(
  'snapshots and pasts lead to the earlier states, in any order and with any history limit',
  patience,
  () => {
    fc.assert(
      fc.property(
        fc.array(acts, { minLength: 3, maxLength: 40, size: 'max' }),
        fc.nat(6),
        (all, commits) => {
          const store = open({ commits })
          const marks = [
            { snapshot: store.snapshot(), content: contentOf(store), rows: rowsOf(store) },
          ]
          const pasts: { readonly past: ReturnType<Store['at']>; readonly rows: unknown }[] = []
          const live = new Map<unknown, unknown>()
          const followed = store.Item.query('n > 0').live(({ entered, changed, left }) => {
            for (const key of left) live.delete(key)
            for (const entity of [...entered, ...changed]) live.set(entity.ID, entity.n)
          })
          const selections: { readonly keys: readonly unknown[]; readonly id: string }[] = []
          for (const act of all) {
            switch (act.kind) {
              case 'save':
                if (store.Item.has(act.ID))
                  store.Item.update(act.ID, { n: act.n, text: `${act.n}` })
                else store.Item.insert({ ID: act.ID, n: act.n })
                break
              case 'remove':
                if (store.Item.has(act.at)) store.Item.remove(act.at)
                break
              case 'mark':
                marks.push({
                  snapshot: store.snapshot(),
                  content: contentOf(store),
                  rows: rowsOf(store),
                })
                break
              case 'past':
                pasts.push({ past: store.at(store.globalStamp), rows: rowsOf(store) })
                break
              case 'restore': {
                const { snapshot, content } = marks[act.at % marks.length]
                store.restore(snapshot)
                expect(contentOf(store)).toBe(content)
                break
              }
              case 'dispose':
                if (marks.length > 1) marks.splice(act.at % marks.length, 1)[0].snapshot.dispose()
                break
              case 'look': {
                // It leads to the state at its stamp until it is disposed.
                const { snapshot, rows } = marks[act.at % marks.length]
                using past = store.at(snapshot.globalStamp)
                expect(rowsOf(past)).toEqual(rows)
                selections.push({
                  keys: store.Item.all().keys(),
                  id: store.entitySets.create(store.Item.all()),
                })
              }
            }
            for (const { past, rows } of pasts)
              if (act.kind === 'look') expect(rowsOf(past)).toEqual(rows)
            expect([...live].sort()).toEqual(
              store.Item.query('n > 0')
                .toArray()
                .map(({ ID, n }) => [ID, n])
                .sort(),
            )
          }
          for (const { past, rows } of pasts) expect(rowsOf(past)).toEqual(rows)
          followed.stop()
          store.verify()
        },
      ),
      runs(300),
    )
  },
)

interface Row {
  readonly ID: number
  readonly n: number | null
  readonly text: string | null
  readonly stamp: number
}
const rowsOf = ({ Item }: { readonly Item: { all(): { toArray(): readonly Row[] } } }): unknown =>
  Item.all()
    .toArray()
    .map(({ ID, n, text, stamp }) => [ID, n, text, stamp])
