import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  type HistoryOptions,
} from '../../src/index.ts'
import type { Table } from '../../src/storage/table.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { CheckedDump } from '../../src/store/dump/read-dump.ts'
import { handleOf } from '../../src/store/kernel/capability.ts'
import { codeOrDone } from '../filter/refusal.ts'

const Grove = defineDataClass('Grove', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
  trees: attribute.relatedEntities('Tree', 'grove'),
})
const Tree = defineDataClass('Tree', {
  ID: attribute.long({ key: true, autoSequence: true }),
  kind: attribute.string({ indexed: true }),
  height: attribute.number({ indexed: true }),
  age: attribute.long(),
  grove: attribute.relatedEntity('Grove'),
  neighbours: attribute.computed('long', {
    get: (tree: { grove: { trees: { count: number } } | null }) =>
      (tree.grove?.trees.count ?? 1) - 1,
  }),
})

const woodOf = (history: HistoryOptions = {}) =>
  createDataStore({
    name: 'wood',
    dataClasses: [Grove, Tree],
    history: { commits: 1000, ...history },
  })

/** Two groves with three trees, each written by a separate commit: the global stamp is 5. */
function planted(history?: HistoryOptions) {
  const store = woodOf(history)
  const [north, south] = ['North', 'South'].map((name) => store.Grove.insert({ name }).ID)
  store.Tree.insert({ kind: 'oak', height: 12, age: 90, grove: north })
  store.Tree.insert({ kind: 'elm', height: 7, age: 20, grove: north })
  store.Tree.insert({ kind: 'ash', height: 9, age: 40, grove: south })
  return store
}

test('a past looks at the dataclasses that are read, and no others', () => {
  const store = planted()
  const live = handleOf(store).writer.tables as Table[]
  const past = store.at(5)
  const trees = live[1]!
  let looks = 0
  const get = (): Table => {
    looks++
    return trees
  }
  Object.defineProperty(live, 1, { get })
  const earlier = store.at(1)
  expect([earlier.Grove.count, past.Grove.count, looks]).toEqual([1, 2, 0])
  expect([earlier.Tree.count, past.Tree.count]).toEqual([0, 3])
  expect(looks).toBeGreaterThan(0)
})

test('relations, computed values and entities of the past lead to the past', () => {
  const store = planted()
  const past = store.at(5)
  const oak = past.Tree.get(1)
  store.Tree.update(1, { height: 13, grove: null })
  store.Tree.remove(2)
  store.Grove.update(1, { name: 'cut down' })
  expect(oak?.grove?.name).toBe('North')
  expect(oak?.neighbours).toBe(1)
  expect(past.Tree.query('neighbours = 1 and grove.name = north').keys()).toEqual([1, 2])
  expect(past.Tree.query('height > 8').except(past.Tree.query('kind = oak')).keys()).toEqual([3])
  expect(past.Tree.findBy('kind', 'elm')?.grove?.trees.orderBy('height').keys()).toEqual([2, 1])
  expect(past.Grove.findBy('name', 'NORTH')?.key).toBe(1)
  expect(past.Grove.findBy('name', 'SOUTH')?.key).toBe(2)
  expect(past.Tree.all().dataClass.count).toBe(3)
  expect(past.dataClass('Grove').from([2, 1, 9]).select('name')).toEqual([
    { name: 'South' },
    { name: 'North' },
  ])
  expect(store.at(3).Tree.all().json('kind, grove.name')).toBe(
    '[{"kind":"oak","grove":{"name":"North"}}]',
  )
  expect(store.at(0).Grove.count).toBe(0)
  expect(codeOrDone(() => past.dataClass('Shrub'))).toBe('dataClassNotFound')
})

test('sums of the past are exact, even if the present has no fractions', () => {
  const store = woodOf()
  store.Tree.load([0.1, 0.2, 0.3].map((height) => ({ height })))
  const later = store.at(1)
  expect(store.at(1).Tree.all().sum('height')).toBe(0.6)
  for (const key of [1, 2, 3]) store.Tree.update(key, { height: 1 })
  expect(later.Tree.all().sum('height')).toBe(0.6)
})

test('only an earlier global stamp within the history can be read', () => {
  const store = planted({ commits: 2 })
  for (const wrong of [6, 1e9, -1, 4.5, Number.NaN, '4', null, undefined, 4n]) {
    expect(codeOrDone(() => store.at(wrong as number))).toBe('argumentInvalid')
    expect(codeOrDone(() => store.changes({ since: wrong as number }))).toBe('argumentInvalid')
  }
  expect(codeOrDone(() => store.changes(undefined as never))).toBe('argumentInvalid')
  for (const stamp of [0, 1, 2]) {
    expect(codeOrDone(() => store.at(stamp))).toBe('historyTrimmed')
    expect(codeOrDone(() => store.changes({ since: stamp }))).toBe('historyTrimmed')
  }
  expect([3, 4, 5].map((stamp) => store.at(stamp).Tree.count)).toEqual([1, 2, 3])
  expect([3, 4, 5].map((since) => store.changes({ since }).length)).toEqual([2, 1, 0])
})

test('the history is kept exactly as long as a past may need it', () => {
  const store = planted({ commits: 1 })
  const past = store.at(5)
  const other = store.at(5)
  for (let i = 0; i < 9; i++) store.Tree.update(1, { height: 20 + i })
  expect(past.Tree.get(1)?.height).toBe(12)
  expect(past.Grove.count).toBe(2)
  // All of the first one was copied; the other still holds history.
  expect(store.changes({ since: 5 })).toHaveLength(9)
  other.dispose()
  expect(codeOrDone(() => store.changes({ since: 5 }))).toBe('historyTrimmed')
  expect(codeOrDone(() => store.at(5))).toBe('historyTrimmed')
  // Copied data stays readable.
  expect(past.Tree.query('height = 12').keys()).toEqual([1])
})

test('a disposed past and its selections throw', () => {
  const store = planted()
  const read = () => {
    using past = store.at(5)
    return { past, all: past.Tree.all(), oak: past.Tree.get(1) }
  }
  const { past, all, oak } = read()
  past.dispose()
  for (const act of [
    () => past.Tree.count,
    () => past.Tree.has(1),
    () => past.Tree.get('no key' as never),
    () => past.Grove.all(),
    () => all.count && all.keys(),
    () => oak?.grove,
  ])
    expect(codeOrDone(act)).toBe('storeClosed')
  expect(oak?.kind).toBe('oak')
  const open = store.at(5)
  store.close()
  expect(codeOrDone(() => open.Tree.all())).toBe('storeClosed')
  expect(codeOrDone(() => store.at(5))).toBe('storeClosed')
})

test('inside a transaction the past does not show staged writes', () => {
  const store = planted()
  const early = store.at(4)
  store.transact((tx) => {
    tx.Tree.update(1, { height: 50 })
    tx.Tree.insert({ kind: 'fir', height: 60, grove: 1 })
    tx.Tree.remove(3)
    expect(tx.Tree.query('height >= 50').keys()).toEqual([1, 4])
    const past = store.at(5)
    expect(past.Tree.query('height >= 9').keys()).toEqual([1, 3])
    expect(past.Tree.get(3)?.kind).toBe('ash')
    expect(early.Tree.all().keys()).toEqual([1, 2])
    expect(past.Grove.get(1)?.trees.count).toBe(2)
  })
  expect(store.Tree.count).toBe(3)
})

test('a listener can read the state before its commit', () => {
  const store = planted()
  const received: unknown[] = []
  store.on('error', (error) => received.push(error))
  store.on('commit', ({ globalStamp, changes }) => {
    for (const { key } of changes)
      received.push(store.at(globalStamp - 1).Tree.get(key as number)?.height)
  })
  store.Tree.update(2, { height: 8 })
  store.Tree.remove(2)
  expect(received).toEqual([7, 8])
})

test('a plan of the past says so and shows that it has no indexes', () => {
  const store = planted()
  const past = store.at(4)
  const { root } = past.Tree.explain('height > 8')
  expect([root.operator, root.detail, root.inputs[0].operator]).toEqual([
    'asOf',
    'Tree at global stamp 4',
    'scan',
  ])
  expect(store.Tree.explain('height > 8').root.operator).toBe('indexRange')
  expect(String(past.Tree.query('height > 8').explain())).toMatch(
    /^Tree: height > 8\nasOf {2}.*, found 1\)\n└─ scan/,
  )
  expect(past.Tree.from([1]).explain().root.operator).toBe('asOf')
  expect(past.Tree.explain('ID = 1').root.inputs[0].operator).toBe('keyLookup')
  expect(past.Tree.plans('grove = 1')[0].root.inputs[0].operator).toBe('postingList')
  expect(past.Tree.trace('height > 8').root?.found).toBe(1)
})

test('views and entity sets refuse a selection of the past', () => {
  const store = planted()
  const selection = store.at(4).Tree.all()
  expect(codeOrDone(() => store.view().apply(selection as never))).toBe('argumentInvalid')
  expect(codeOrDone(() => store.entitySets.create(selection as never))).toBe('argumentInvalid')
  expect(codeOrDone(() => selection.or(store.at(4).Tree.all() as never))).toBe('selectionMismatch')
})

test('data that was replaced as a whole has no past', () => {
  const store = planted()
  const past = store.at(5)
  expect(past.Grove.count).toBe(2)
  persistenceOf(store).replace(new CheckedDump(woodOf().dump()))
  expect(codeOrDone(() => past.Tree.count)).toBe('historyTrimmed')
  expect(past.Grove.get(1)?.name).toBe('North')
  expect(store.at(store.globalStamp).Tree.count).toBe(0)
})

test('changes of one commit are listed in the order of their first writes, with a reused key after its release', () => {
  const store = planted()
  const apply = () => store.Tree.query('height > 0').count
  store.transact((tx) => {
    tx.Tree.update(2, { height: 1 })
    apply()
    tx.Tree.update(1, { height: 2 })
    tx.Tree.remove(3)
    apply()
    tx.Tree.update(2, { height: 3 })
    tx.Tree.insert({ ID: 3, kind: 'yew', height: 4, grove: 2 })
    tx.Tree.insert({ ID: 9, kind: 'fir' })
    apply()
    tx.Tree.remove(9)
  })
  const reported = store
    .changes({ since: 5 })
    .map(({ kind, key, before, after }) => [kind, key, before?.height, after?.height])
  expect(reported).toEqual([
    ['update', 2, 7, 3],
    ['update', 1, 12, 2],
    ['remove', 3, 9, undefined],
    ['insert', 3, undefined, 4],
  ])
})

test('words that a column has forgotten or turned into plain text are read as they were', () => {
  const store = woodOf({ bytes: 2 ** 26 })
  const kinds = Array.from({ length: 5000 }, (_, i) => `kind ${i}`)
  store.Tree.load(
    Array.from({ length: 10_000 }, (_, i) => ({ kind: kinds[i % 5000], height: i % 7, age: i })),
  )
  const [coded, first] = [store.globalStamp, store.at(store.globalStamp)]
  // Most words become unused, and their codes are reused.
  store.Tree.query('age >= 2000 and age < 5000').remove()
  store.Tree.query('age >= 7000').remove()
  for (let i = 0; i < 40; i++) store.Tree.update(i + 1, { kind: `other ${i}` })
  const swept = store.globalStamp
  store.Tree.load(
    Array.from({ length: 9000 }, (_, i) => ({ kind: `unlike ${i}`, height: 1, age: -1 })),
  )
  store.Tree.update(50, { kind: 'last' })
  store.verify()

  const kindsAt = (stamp: number) =>
    store
      .at(stamp)
      .Tree.all()
      .orderBy('age')
      .toArray()
      .map(({ kind }) => kind)
  const all = Array.from({ length: 10_000 }, (_, i) => kinds[i % 5000])
  expect(kindsAt(coded)).toEqual(all)
  expect(first.Tree.all().distinct('kind')).toEqual([...kinds].sort())
  const left = all.filter((_, age) => age < 2000 || (age >= 5000 && age < 7000))
  expect(kindsAt(swept)).toEqual(left.map((kind, i) => (i < 40 ? `other ${i}` : kind)))
  expect(store.at(swept).Tree.query("kind = 'kind 45'").count).toBe(2)
  expect(store.at(coded).Tree.query("kind begin 'kind 499'").keys().length).toBe(22)
})

test('deferred scans of an old past run when they are read, however much was written since', () => {
  const store = woodOf({ commits: 3, bytes: 2 ** 26 })
  store.Tree.load(
    Array.from({ length: 6000 }, (_, i) => ({ kind: 'oak', height: i % 7, age: i % 100 })),
  )
  const past = store.at(1)
  const young = past.Tree.query('age < 10').orderBy('height desc, ID')
  for (let i = 0; i < 20; i++) store.Tree.query(`age = ${i}`).remove()
  expect(young.count).toBe(600)
  expect(young.page(0, 2).keys()).toEqual([7, 105])
})

test('an unreferenced past releases its history; one with references does not', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const store = planted({ commits: 2 })
  // In frames of their own: that of this function stays, and may keep what a call in it returned.
  const selection = (() => store.at(4).Tree.all())()
  ;(() => void store.at(3))()
  for (let i = 0; i < 5; i++) store.Tree.update(1, { height: i })
  const isKept = (since: number) => codeOrDone(() => store.changes({ since })) === 'done'
  expect([isKept(3), isKept(4)]).toEqual([true, true])
  for (let i = 0; i < 100 && isKept(3); i++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 5))
    store.Tree.update(2, { height: i })
  }
  expect([isKept(3), isKept(4)]).toEqual([false, true])
  expect(selection.first()?.grove?.name).toBe('North')
  expect(selection.keys()).toEqual([1, 2])
})
