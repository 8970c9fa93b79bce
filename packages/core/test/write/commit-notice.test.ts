import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CommitNotice, RecordChange } from '../../src/model/store-types.ts'
import { recordChanges } from '../../src/write/record-changes.ts'
import { runs } from '../runs.ts'
import { actions, performAll } from './firm-actions.ts'
import { firmStore, type TestStore } from './firm-store.ts'

type Content = Map<string, object>

/** All entities by dataclass and key, as a listener sees them. */
function contentOf(store: TestStore): Content {
  const content: Content = new Map()
  for (const name of ['Firm', 'Person', 'Badge']) {
    for (const key of store.keys(name)) {
      const { stamp: _, ...values } = store.read(name, key) as { stamp: unknown }
      content.set(`${name}/${String(key)}`, values)
    }
  }
  return content
}

const day = (value: unknown) =>
  typeof value === 'string' ? Math.floor(Date.parse(`${value}T00:00:00Z`) / 86_400_000) : value
const stored = (values: { readonly [attribute: string]: unknown }) =>
  'day' in values ? { ...values, day: day(values.day) } : { ...values }

function replay(content: Content, changes: readonly RecordChange[]): void {
  for (const { dataClass, key, kind, before, after } of changes) {
    const id = `${dataClass}/${key}`
    expect(content.get(id)).toEqual(before === null ? undefined : stored(before))
    expect(kind).toBe(before === null ? 'insert' : after === null ? 'remove' : 'update')
    if (after === null) content.delete(id)
    else content.set(id, stored(after))
  }
}

test('replaying the notices of commits gives the state of the store, and `changes` returns the same notices', () => {
  fc.assert(
    fc.property(fc.array(actions, { maxLength: 6 }), fc.nat(6), (transactions, from) => {
      const store = firmStore()
      const received: CommitNotice[] = []
      store.writer.listeners.onCommit((notice) => void received.push(notice))
      const content: Content = new Map()
      let since = 0
      for (const [place, transaction] of transactions.entries()) {
        if (place === from) since = store.writer.globalStamp
        const count = received.length
        const { globalStamp } = store.writer
        performAll(store, transaction)
        const isChanged = store.writer.globalStamp > globalStamp
        expect(received.length - count).toBe(isChanged ? 1 : 0)
        if (isChanged) replay(content, received[count].changes)
        expect(contentOf(store)).toEqual(content)
      }
      const again = recordChanges(store.writer.history.since(since))
      expect(again).toEqual(
        received.filter((notice) => notice.globalStamp > since).flatMap((notice) => notice.changes),
      )
    }),
    runs(300),
  )
})

test('a restore reports its changes', () => {
  const store = firmStore()
  store.insert('Firm', { name: 'a' })
  const snapshot = store.snapshots.take()
  store.update('Firm', 1, { name: 'b' })
  store.insert('Firm', { name: 'c' })
  const received: CommitNotice[] = []
  store.writer.listeners.onCommit((notice) => void received.push(notice))
  store.snapshots.restore(snapshot)
  expect(received).toHaveLength(1)
  expect(received[0].changes.map(({ kind, key }) => [kind, key])).toEqual([
    ['remove', 2],
    ['update', 1],
  ])
})

test('an error of a listener is reported, and the other listeners still run', () => {
  const store = firmStore()
  const reported: unknown[] = []
  const received: number[] = []
  store.writer.listeners.onError((error) => void reported.push(error))
  store.writer.listeners.onCommit(() => {
    throw new RangeError('listener')
  })
  const stop = store.writer.listeners.onCommit(({ globalStamp }) => void received.push(globalStamp))
  store.insert('Firm', { name: 'a' })
  stop()
  store.insert('Firm', { name: 'b' })
  expect(store.keys('Firm')).toEqual([1, 2])
  expect(received).toEqual([1])
  expect(reported).toEqual([new RangeError('listener'), new RangeError('listener')])
})

test('commits of listeners are reported in order, and their chain is bounded', () => {
  const store = firmStore()
  const reported: unknown[] = []
  const first: number[] = []
  const second: number[] = []
  store.writer.listeners.onError((error) => void reported.push(error))
  store.writer.listeners.onCommit(({ globalStamp }) => {
    first.push(globalStamp)
    store.insert('Firm', {})
  })
  store.writer.listeners.onCommit(({ globalStamp }) => void second.push(globalStamp))
  store.insert('Firm', { name: 'a' })
  expect(first).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(second).toEqual(first)
  expect(store.keys('Firm')).toHaveLength(9)
  expect(reported).toHaveLength(1)
})
