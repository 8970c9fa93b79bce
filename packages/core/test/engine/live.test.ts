import { expect, test } from 'vitest'
import {
  type AnySelection,
  attribute,
  createDataStore,
  defineDataClass,
  isEntiaError,
  type LiveDelta,
} from '../../src/index.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { CheckedDump } from '../../src/store/dump/read-dump.ts'
import { codeOrDone } from '../filter/refusal.ts'

const Grove = defineDataClass('Grove', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  trees: attribute.relatedEntities('Tree', 'grove'),
})
const Tree = defineDataClass('Tree', {
  ID: attribute.long({ key: true, autoSequence: true }),
  kind: attribute.string({ indexed: true }),
  height: attribute.number({ indexed: true }),
  grove: attribute.relatedEntity('Grove', { onDelete: 'cascade' }),
  twice: attribute.computed('number', {
    get: (tree: { readonly height: number | null }) => {
      if (tree.height === 13) throw new Error('unlucky')
      return (tree.height ?? 0) * 2
    },
  }),
})

const woodOf = () => createDataStore({ name: 'wood', dataClasses: [Grove, Tree] })

/** Two groves; an oak of 12 and an elm of 7 in the first, an ash of 9 in the second. */
function planted() {
  const store = woodOf()
  store.Grove.load([{ name: 'North' }, { name: 'South' }])
  store.Tree.load([
    { kind: 'oak', height: 12, grove: 1 },
    { kind: 'elm', height: 7, grove: 1 },
    { kind: 'ash', height: 9, grove: 2 },
  ])
  return store
}

const brief = ({ entered, changed, left, order }: LiveDelta) => ({
  entered: entered.map(({ key }) => key),
  changed: changed.map(({ key }) => key),
  left,
  order,
})

/** Collects the deltas of a selection in a short form. */
function follow(selection: AnySelection) {
  const notices: ReturnType<typeof brief>[] = []
  const live = selection.live((delta) => void notices.push(brief(delta)))
  return { notices, live }
}

test('a commit produces one delta with entered, changed and left entities', () => {
  const store = planted()
  const { notices } = follow(store.Tree.query('height > 8').orderBy('height desc'))
  store.Tree.update(2, { height: 20 })
  store.Tree.update(1, { kind: 'old oak' })
  store.Tree.update(3, { height: 1 })
  store.Tree.update(3, { kind: 'small' })
  store.transact((tx) => {
    tx.Tree.insert({ kind: 'fir', height: 30 })
    tx.Tree.insert({ kind: 'fir', height: 40 })
    tx.Tree.update(1, { height: 13.5 })
    tx.Tree.remove(2)
    tx.Tree.update(3, { height: 9 })
    tx.Tree.update(3, { height: 2 })
  })
  expect(notices).toEqual([
    { entered: [2], changed: [], left: [], order: null },
    { entered: [], changed: [1], left: [], order: null },
    { entered: [], changed: [], left: [3], order: null },
    { entered: [5, 4], changed: [1], left: [2], order: null },
  ])
})

test('a load, a batch, a cascade and a restore produce one delta each', () => {
  const store = planted()
  const { notices } = follow(store.Tree.all())
  const before = store.snapshot()
  store.Tree.load([{ kind: 'yew' }, { kind: 'fig' }])
  store.Tree.updateAll([
    { key: 4, patch: { height: 1 } },
    { key: 5, patch: { height: 2 } },
  ])
  store.Grove.remove(1)
  store.restore(before)
  expect(notices.map(({ order: _, ...delta }) => delta)).toEqual([
    { entered: [4, 5], changed: [], left: [] },
    { entered: [], changed: [4, 5], left: [] },
    { entered: [], changed: [], left: [1, 2] },
    { entered: [1, 2], changed: [], left: [4, 5] },
  ])
})

test('a condition over a to-many relation tests the owners that a commit may affect', () => {
  const store = planted()
  const tall = follow(store.Grove.query('trees.height > 8'))
  const none = follow(store.Grove.query('not (trees.height > 8)'))
  expect([tall, none].map(({ live }) => live.plan)).toEqual(['incremental', 'incremental'])
  const members = (): unknown => store.Grove.query('trees.height > 8').keys()
  const before = members()
  // Neither a new height below the condition nor another attribute affects a grove.
  store.Tree.update(1, { kind: 'fir' })
  expect(tall.notices).toEqual([])
  const { judged } = tall.live.work
  const grove = store.Grove.insert({ name: 'East' })
  const tree = store.Tree.insert({ kind: 'oak', height: 5, grove: grove.ID })
  expect(members()).toEqual(before)
  store.Tree.update(tree.ID, { height: 9 })
  expect(tall.notices.at(-1)).toEqual({ entered: [grove.ID], changed: [], left: [], order: null })
  expect(none.notices.at(-1)).toEqual({ entered: [], changed: [], left: [grove.ID], order: null })
  store.Tree.remove(tree.ID)
  expect(tall.notices.at(-1)).toEqual({ entered: [], changed: [], left: [grove.ID], order: null })
  expect(tall.live.work).toEqual({ judged: judged + 3, runs: 0 })
})

test('only records that a commit may affect are tested, related ones too; otherwise the query runs again if its data changed', () => {
  const store = planted()
  const own = follow(store.Tree.query("height > 8 or not (kind begin 'e')"))
  const related = follow(store.Tree.query('grove.name = North'))
  const computed = follow(store.Tree.query('twice > 10'))
  const page = follow(store.Tree.query('height < 200').orderBy('height').page(0, 2))
  expect([own, related, computed, page].map(({ live }) => live.plan)).toEqual([
    'incremental',
    'incremental',
    'recompute',
    'recompute',
  ])
  store.Tree.load(Array.from({ length: 500 }, (_, i) => ({ kind: 'fir', height: 100 + i })))
  const loaded = own.live.work.judged
  expect(loaded).toBe(500)
  store.Tree.update(1, { height: 11 })
  store.Grove.update(2, { name: 'North' })
  expect(own.live.work).toEqual({ judged: 501, runs: 0 })
  // A query does not run again for an attribute that it does not read, or for an entity behind its
  // page. One grove changed its name, so its trees are tested.
  expect(related.live.work).toEqual({ judged: 2, runs: 0 })
  expect(page.live.work.runs).toBe(0)
  expect(related.notices.at(-1)).toEqual({ entered: [3], changed: [], left: [], order: null })
})

test('a delta of a page has its order', () => {
  const store = planted()
  const { notices } = follow(store.Tree.all().orderBy('height desc').page(0, 2))
  store.Tree.update(3, { height: 20 })
  store.Tree.update(2, { height: 8 })
  store.Tree.update(1, { height: 30 })
  store.Tree.remove(1)
  expect(notices).toEqual([
    { entered: [], changed: [3], left: [], order: [3, 1] },
    { entered: [], changed: [1], left: [], order: [1, 3] },
    { entered: [2], changed: [], left: [1], order: [3, 2] },
  ])
})

test('a key that leaves and enters in one commit has changed; a reused slot is another entity', () => {
  const store = planted()
  const { notices } = follow(store.Tree.query('height > 8'))
  store.transact((tx) => {
    tx.Tree.remove(1)
    tx.Tree.insert({ ID: 1, kind: 'new', height: 50 })
    tx.Tree.remove(3)
    tx.Tree.insert({ ID: 90, height: 60 })
  })
  expect(notices).toEqual([{ entered: [90], changed: [1], left: [3], order: null }])
})

test('live listeners run after commit listeners, in order, and their errors go to `error`', async () => {
  const store = planted()
  const received: unknown[] = []
  store.on('error', (error) => received.push(`error ${(error as Error).message}`))
  store.Tree.all().live(() => {
    throw new Error('one')
  })
  store.Tree.all().live((async () => {
    throw new Error('two')
  }) as () => void)
  store.Tree.all().live(({ globalStamp }) => void received.push(`live ${globalStamp}`))
  store.on('commit', ({ globalStamp }) => void received.push(`commit ${globalStamp}`))
  store.Tree.update(1, { height: 14 })
  await Promise.resolve()
  expect(received).toEqual(['commit 3', 'error one', 'live 3', 'error two'])
})

test('a listener that writes gets its delta after all deltas of the commit before', () => {
  const store = planted()
  const received: string[] = []
  store.Tree.query('height > 8').live(({ globalStamp, entered }) => {
    received.push(`a ${globalStamp}`)
    for (const { key } of entered) store.Tree.update(key, { kind: 'tall' })
  })
  store.Tree.query('height > 8').live(
    ({ globalStamp, changed }) => void received.push(`b ${globalStamp} ${changed.length}`),
  )
  const tree = store.Tree.insert({ kind: 'fir', height: 30 })
  expect(tree.kind).toBe('fir')
  expect(received).toEqual(['a 3', 'b 3 0', 'a 4', 'b 4 1'])
})

test('a chain of writes by listeners is cut, and the next delta contains the undelivered changes', () => {
  const store = planted()
  const errors: unknown[] = []
  store.on('error', (error) => errors.push(error))
  let isWriting = true
  const rows = new Map<number, number | null>()
  const live = store.Tree.all().live(({ entered, changed }) => {
    for (const { ID, height } of [...entered, ...changed]) rows.set(ID, height)
    if (isWriting) store.Tree.update(1, { height: (store.Tree.get(1)?.height ?? 0) + 1 })
  })
  for (const { ID, height } of live.initial) rows.set(ID, height)
  store.Tree.update(1, { height: 100 })
  expect(errors.map((error) => isEntiaError(error) && error.code)).toEqual(['hookTooDeep'])
  expect(rows.get(1)).not.toBe(store.Tree.get(1)?.height)
  isWriting = false
  store.Tree.update(2, { height: 1 })
  expect(rows.get(1)).toBe(store.Tree.get(1)?.height)
})

test('no delta comes after stop, abort, dispose or close, whatever stopped the query and when', () => {
  const store = planted()
  const received: string[] = []
  const abort = new AbortController()
  const first = store.Tree.all().live(() => {
    received.push('first')
    first.stop()
    second.stop()
  })
  const second = store.Tree.all().live(() => received.push('second'))
  store.Tree.all().live(() => received.push('third'), { signal: abort.signal })
  {
    using _live = store.Tree.all().live(() => received.push('fourth'))
  }
  store.Tree.update(1, { height: 1 })
  abort.abort()
  store.Tree.update(1, { height: 2 })
  const late = store.Tree.all().live(() => received.push('late'), { signal: abort.signal })
  expect(late.initial.length).toBe(3)
  store.Tree.update(1, { height: 3 })
  expect(received).toEqual(['first', 'third'])
  const signal = new CountingSignal()
  const stopped = store.Tree.all().live(() => {}, { signal })
  store.Tree.all().live(() => {}, { signal })
  expect(signal.listeners.size).toBe(2)
  stopped.stop()
  stopped.stop()
  expect(signal.listeners.size).toBe(1)
  store.close()
  expect(signal.listeners.size).toBe(0)
})

class CountingSignal {
  readonly aborted = false
  readonly listeners = new Set<() => void>()
  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener)
  }
  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener)
  }
}

test('an error in a computed attribute undoes nothing, is reported, and loses no delta', () => {
  const store = planted()
  const errors: unknown[] = []
  store.on('error', (error) => errors.push((error as Error).message))
  const { notices } = follow(store.Tree.query('twice >= 18'))
  store.Tree.update(2, { height: 13 })
  store.Tree.update(3, { kind: 'new' })
  expect(store.Tree.get(2)?.height).toBe(13)
  expect([notices, errors]).toEqual([[], ['unlucky', 'unlucky']])
  store.Tree.update(2, { height: 10 })
  expect(notices).toEqual([{ entered: [2], changed: [3], left: [], order: null }])
  const ordered = follow(store.Tree.query('height > 8').orderBy('twice'))
  store.Tree.load([{ height: 13 }, { height: 20 }])
  expect(ordered.notices).toEqual([])
  store.Tree.update(4, { height: 30 })
  expect(ordered.notices).toEqual([{ entered: [5, 4], changed: [], left: [], order: null }])
})

test('only queries can be live, and neither in a transaction nor in the past', () => {
  const store = planted()
  const all = store.Tree.all()
  const listener = () => {}
  for (const selection of [
    store.Tree.from([1, 2]),
    all.and(all),
    all.clean(),
    all.page(0, 2).orderBy('kind'),
    all.page(0, 2).query('height > 1'),
    all.page(0, 3).page(1, 1),
    all.page(0, 3).query('height > 1').query('height > 2').orderBy('kind'),
  ])
    expect(codeOrDone(() => selection.live(listener))).toBe('argumentInvalid')
  for (const selection of [
    store.Tree.empty(),
    all.query('height > 1').query('kind = oak'),
    all.page(1, 1),
  ])
    expect(codeOrDone(() => selection.live(listener))).toBe('done')
  expect(codeOrDone(() => store.Grove.get(1)?.trees.live(listener))).toBe('done')
  expect(codeOrDone(() => store.transact(() => all.live(listener)))).toBe('notInTransaction')
  expect(codeOrDone(() => (store.at(1).Tree.all() as unknown as typeof all).live(listener))).toBe(
    'pastReadOnly',
  )
  for (const [wrong, options] of [
    [null, {}],
    [listener, { sinse: 1 }],
    [listener, { since: 99 }],
    [listener, { signal: {} }],
    [listener, null],
  ])
    expect(codeOrDone(() => all.live(wrong as never, options as never))).toBe('argumentInvalid')
})

test('related entities and views can have live queries', () => {
  const store = planted()
  const north = store.Grove.get(1)
  const trees = follow(north?.trees as NonNullable<typeof north>['trees'])
  const view = store.view({ rows: { Tree: 'height > 8' } })
  const seen = follow(view.dataClass('Tree').query("kind != 'elm'"))
  store.Tree.update(3, { grove: 1 })
  store.Tree.update(1, { height: 3 })
  store.Tree.update(1, { height: 4 })
  expect(trees.notices.map(({ entered, changed }) => [entered, changed])).toEqual([
    [[3], []],
    [[], [1]],
    [[], [1]],
  ])
  expect(seen.notices).toEqual([
    { entered: [], changed: [3], left: [], order: null },
    { entered: [], changed: [], left: [1], order: null },
  ])
  expect(seen.live.plan).toBe('incremental')
})

test('replacing all data produces deltas too', () => {
  const store = planted()
  const { notices } = follow(store.Tree.query('height > 8'))
  const other = woodOf()
  other.Tree.load([{ ID: 3, height: 10 }, { ID: 7, height: 70 }, { ID: 8 }])
  persistenceOf(store).replace(new CheckedDump(other.dump()))
  expect(notices).toEqual([{ entered: [7], changed: [3], left: [1], order: null }])
  store.Tree.remove(7)
  expect(notices[1]).toEqual({ entered: [], changed: [], left: [7], order: null })
})
