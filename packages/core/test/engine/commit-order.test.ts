import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  type LiveDelta,
  type LiveQuery,
} from '../../src/index.ts'
import { watchOf } from '../../src/store/capability/live-queries.ts'
import { handleOf } from '../../src/store/kernel/capability.ts'
import { patience, runs } from '../runs.ts'

/** The writes of after-hooks and listeners: one per call, until none are left. */
type Act =
  | { readonly kind: 'save'; readonly ID: number; readonly level: number }
  | { readonly kind: 'remove'; readonly ID: number }
  | { readonly kind: 'together'; readonly acts: readonly Act[] }
  | { readonly kind: 'refused'; readonly ID: number }
  | { readonly kind: 'throw' | 'listen' | 'deafen' | 'follow' | 'unfollow' | 'restore' | 'nothing' }

let onSaved = (): void => {}
const Task = defineDataClass(
  'Task',
  {
    ID: attribute.long({ key: true }),
    level: attribute.long({ indexed: true }),
    title: attribute.computed('string', {
      get: ({ level }: { readonly level: number | null }) => `level ${level}`,
    }),
  },
  { hooks: { afterSave: () => onSaved(), afterRemove: () => onSaved() } },
)
const open = () => createDataStore({ name: 'tasks', dataClasses: [Task] })
type Store = ReturnType<typeof open>

const saves = fc.record({ kind: fc.constant('save' as const), ID: fc.nat(4), level: fc.nat(3) })
const removals = fc.record({ kind: fc.constant('remove' as const), ID: fc.nat(4) })
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: saves },
  { weight: 2, arbitrary: removals },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(saves, removals), { maxLength: 3 })
      .map((acts): Act => ({ kind: 'together', acts })),
  },
  { weight: 1, arbitrary: fc.nat(4).map((ID): Act => ({ kind: 'refused', ID })) },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(
        'throw' as const,
        'listen' as const,
        'deafen' as const,
        'follow' as const,
        'unfollow' as const,
        'restore' as const,
        'nothing' as const,
      )
      .map((kind): Act => ({ kind })),
  },
)

type Level = number | null
const levelsOf = (store: Pick<Store, 'Task'>): Map<number, Level> =>
  new Map([...store.Task.all()].map(({ ID, level }) => [ID, level]))

/** A listener of commits that keeps a copy of all data from its notices. */
class Copy {
  readonly data: Map<number, Level>
  last: number
  readonly stop: () => void
  isStopped = false

  constructor(store: Store, onTold: () => void) {
    this.data = levelsOf(store)
    this.last = store.globalStamp
    this.stop = store.on('commit', ({ globalStamp, changes }) => {
      expect(this.isStopped).toBe(false)
      expect(globalStamp).toBe(this.last + 1)
      this.last = globalStamp
      for (const { key, before, after } of changes) {
        const known = this.data.get(key as number)
        expect(known).toBe(before === null ? undefined : (before as { level: Level }).level)
        if (after === null) this.data.delete(key as number)
        else this.data.set(key as number, (after as { level: Level }).level)
      }
      onTold()
    })
  }
}

const QUERIES = [
  'level >= 1',
  'level >= 1 order by level desc, ID',
  "title = 'level 2'",
  'ID > 0',
] as const

/** A live result that is maintained by its deltas. */
class Replayed {
  readonly rows = new Map<number, Level>()
  readonly live: LiveQuery
  readonly stamps: number[] = []
  readonly store: Store
  readonly filter: string
  readonly isPage: boolean
  order: readonly unknown[] | null = null

  constructor(store: Store, filter: string, isPage: boolean, onTold: () => void) {
    this.store = store
    this.filter = filter
    this.isPage = isPage
    const listener = (delta: LiveDelta): void => {
      this.take(delta as never)
      onTold()
    }
    this.live = this.asked(store).live(listener as never) as LiveQuery
    this.stamps.push(this.live.globalStamp)
    for (const { ID, level } of this.live.initial as unknown as readonly {
      ID: number
      level: Level
    }[])
      this.rows.set(ID, level)
  }
  asked(store: Pick<Store, 'Task'>) {
    const whole = store.Task.query(this.filter)
    return this.isPage ? whole.page(0, 2) : whole
  }
  take({
    globalStamp,
    entered,
    changed,
    left,
    order,
  }: LiveDelta & { readonly left: readonly number[] }): void {
    expect(globalStamp).toBeGreaterThan(this.stamps.at(-1) as number)
    this.stamps.push(globalStamp)
    type Row = { readonly ID: number; readonly level: Level }
    for (const key of left) expect(this.rows.delete(key)).toBe(true)
    for (const { ID, level } of entered as unknown as readonly Row[]) {
      expect(this.rows.has(ID)).toBe(false)
      this.rows.set(ID, level)
    }
    for (const { ID, level } of changed as unknown as readonly Row[]) {
      expect(this.rows.has(ID)).toBe(true)
      this.rows.set(ID, level)
    }
    if (order !== null) this.order = order
    // The state after that commit, without later changes.
    const then = new Map(
      [...this.asked(this.store.at(globalStamp) as never)].map(({ ID, level }) => [ID, level]),
    )
    expect(sorted(this.rows)).toEqual(sorted(then))
  }
  mustBeCurrent(): void {
    const now = [...this.asked(this.store)]
    expect(sorted(this.rows)).toEqual(sorted(new Map(now.map(({ ID, level }) => [ID, level]))))
    if (this.isPage && this.order !== null) expect(this.order).toEqual(now.map(({ ID }) => ID))
  }
}
const sorted = (rows: ReadonlyMap<number, Level>) => [...rows].sort(([a], [b]) => a - b)

function run(first: readonly Act[], reactions: readonly Act[], queries: readonly number[]): void {
  const store = open()
  store.Task.load([1, 2, 3].map((ID) => ({ ID, level: ID })))
  const failures: unknown[] = []
  store.on('error', (error) => {
    if (!String((error as Error).message).endsWith('of the application')) failures.push(error)
  })
  const measured: number[] = []
  watchOf(store).watcher = {
    observesQueries: false,
    observesCommits: true,
    query: () => {},
    commit: ({ globalStamp }) => {
      measured.push(globalStamp)
      react()
    },
  }
  const seed = store.snapshot()
  const left = [...reactions]
  const copies: Copy[] = []
  const followed: Replayed[] = []
  const react = (): void => {
    const next = left.shift()
    if (next !== undefined) act(next)
  }
  const begin = store.globalStamp
  const act = (one: Act): void => {
    switch (one.kind) {
      case 'save':
        if (store.Task.has(one.ID)) store.Task.update(one.ID, { level: one.level })
        else store.Task.insert({ ID: one.ID, level: one.level })
        break
      case 'remove':
        if (store.Task.has(one.ID)) store.Task.remove(one.ID)
        break
      case 'together':
        store.transact(() => one.acts.forEach(act))
        break
      case 'refused':
        expect(() => store.Task.update(one.ID, { level: 1.5 })).toThrow()
        break
      case 'listen':
        copies.push(new Copy(store, react))
        break
      case 'deafen': {
        const copy = copies.find(({ isStopped }) => !isStopped)
        if (copy === undefined) break
        copy.stop()
        copy.isStopped = true
        break
      }
      case 'follow':
        followed.push(
          new Replayed(store, QUERIES[followed.length % 4], followed.length % 3 === 0, react),
        )
        break
      case 'unfollow':
        followed.shift()?.live.stop()
        break
      case 'restore':
        store.restore(seed)
        break
      case 'throw':
        throw new Error('of the application')
    }
  }
  onSaved = react
  try {
    copies.push(new Copy(store, react))
    for (const query of queries)
      followed.push(new Replayed(store, QUERIES[query % 4], query > 3, react))
    for (const one of first) {
      if (one.kind !== 'throw') act(one)
      for (const copy of copies) {
        if (copy.isStopped) continue
        expect(copy.last).toBe(store.globalStamp)
        expect(sorted(copy.data)).toEqual(sorted(levelsOf(store)))
      }
      for (const one of followed) one.mustBeCurrent()
    }
    expect(failures).toEqual([])
    expect(measured).toEqual(
      Array.from({ length: store.globalStamp - begin }, (_, i) => begin + 1 + i),
    )
    store.verify()
  } finally {
    onSaved = () => {}
  }
}

describe('commits are reported in their order', () => {
  test(
    'to listeners, live queries and watchers, even if hooks and listeners write',
    patience,
    () => {
      const first = fc.array(acts, { minLength: 1, maxLength: 5 })
      const reactions = fc.array(acts, { maxLength: 7 })
      fc.assert(
        fc.property(first, reactions, fc.array(fc.nat(7), { maxLength: 3 }), run),
        runs(600),
      )
    },
  )

  test('an after-hook that writes', () => {
    const store = open()
    const notices: string[] = []
    store.on('commit', ({ globalStamp }) => void notices.push(`commit ${globalStamp}`))
    store.Task.query('level > 0').live(
      (({ globalStamp }: LiveDelta) => void notices.push(`live ${globalStamp}`)) as never,
    )
    onSaved = () => {
      onSaved = () => {}
      store.Task.update(1, { level: 2 })
      notices.push(`hook sees ${store.Task.get(1)?.level}`)
    }
    store.Task.insert({ ID: 1, level: 1 })
    expect(notices).toEqual(['hook sees 2', 'commit 1', 'live 1', 'commit 2', 'live 2'])
  })

  test('a new listener receives later commits only, not earlier ones that are still queued', () => {
    const store = open()
    const notices: number[] = []
    let isFirst = true
    store.on('commit', () => {
      if (!isFirst) return
      isFirst = false
      store.Task.insert({ ID: 2 })
      store.on('commit', ({ globalStamp }) => void notices.push(globalStamp))
      store.Task.insert({ ID: 3 })
    })
    store.Task.insert({ ID: 1 })
    expect(notices).toEqual([3])
  })

  test('nothing is reported after the store is closed, even if a hook closes it', () => {
    const store = open()
    const notices: number[] = []
    const reported: unknown[] = []
    store.on('error', (error) => reported.push(error))
    store.on('commit', ({ globalStamp }) => void notices.push(globalStamp))
    onSaved = () => {
      onSaved = () => {}
      store.Task.insert({ ID: 2 })
      store.close()
    }
    store.Task.insert({ ID: 1 })
    expect([notices, reported]).toEqual([[], []])
    expect(() => store.Task.count).toThrow(expect.objectContaining({ code: 'storeClosed' }))
  })
})

test('changes are listed only for listeners that read them', () => {
  const store = open()
  const { listeners } = handleOf(store).writer
  const seen: (readonly [listener: string, changes: number])[] = []
  listeners.onCommit(({ changes }) => seen.push(['ignores', changes.length]), false)
  store.Task.insert({ ID: 1, level: 1 })
  expect(seen).toEqual([['ignores', 0]])
  const end = store.on('commit', ({ changes }) => seen.push(['reads', changes.length]))
  store.Task.insert({ ID: 2, level: 1 })
  expect(seen.at(-1)).toEqual(['reads', 1])
  end()
  store.Task.insert({ ID: 3, level: 1 })
  expect(seen.at(-1)).toEqual(['ignores', 0])
})
