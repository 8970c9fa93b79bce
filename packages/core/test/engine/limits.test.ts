import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  createMedia,
  type DataStoreOptions,
  defineDataClass,
} from '../../src/index.ts'
import { ALL_CAPABILITIES } from '../../src/store/create-store.ts'
import { kernelOptions } from '../../src/store/kernel/kernel-options.ts'
import { refusalOf } from '../filter/refusal.ts'
import { serverStateStore, userNamed } from './server-state-store.ts'

type Options = Omit<DataStoreOptions, 'name' | 'dataClasses' | 'functions' | 'singletons'>

/**
 * What happens at a limit: `refused` names the option; `cut` keeps that much and drops the rest.
 * Returns the kept amount.
 */
type Row =
  | { readonly kind: 'refused'; readonly size: number; readonly ask: (options: Options) => unknown }
  | { readonly kind: 'cut'; readonly size: number; readonly ask: (options: Options) => number }
  /** The limit neither refuses nor drops anything: another test shows its effect. */
  | { readonly kind: 'elsewhere'; readonly shownBy: string }

const times = <R>(count: number, make: (i: number) => R): R[] =>
  Array.from({ length: count }, (_, i) => make(i))

const asking = (filter: string, parameters?: readonly unknown[]) => (options: Options) =>
  serverStateStore(options).store.Employee.query(
    filter,
    ...(parameters === undefined ? [] : [parameters]),
  ).count

/** Sessions that cannot be evicted, since each holds a lock. */
function lockers(
  options: Options,
  count: number,
  address: (i: number) => string,
  user: boolean,
): void {
  const { store } = serverStateStore(options)
  for (let i = 0; i < count; i++) {
    const holder = store.sessions.open({
      ipAddress: address(i),
      ...(user ? { user: userNamed(`${i}`) } : {}),
    })
    store.locks.lock('Employee', i + 1, holder)
  }
}

/** The milliseconds that pass at each reading of the clock. */
function reading(options: Options): void {
  const Tree = defineDataClass('Tree', {
    ID: attribute.long({ key: true }),
    label: attribute.string(),
  })
  let now = 1000
  const clock = { now: () => 1_700_000_000_000, monotonic: () => ++now }
  const store = createDataStore({ name: 'wood', dataClasses: [Tree], clock, ...options })
  store.Tree.load(times(3000, (i) => ({ ID: i, label: `${(i * 7919) % 3000}` })))
  const read = store.reading(() => store.Tree.query("label = '@17@'").count)
  while (!read.advance());
}

/** The lifetime in seconds of a session, used every second or not. */
function lifeOf(options: Options, isUsed: boolean): number {
  const { store, clock } = serverStateStore(options)
  const { token } = store.sessions.open()
  for (let seconds = 1; ; seconds++) {
    clock.advance(1000)
    if ((isUsed ? store.sessions.touch(token) : store.sessions.peek(token)) === undefined)
      return seconds
    if (seconds > 100) throw new Error('the session does not end')
  }
}

/** How many of five commits the store still knows. */
function remembered(options: Options): number {
  const { store } = serverStateStore(options)
  const before = store.globalStamp
  for (let i = 0; i < 5; i++) store.Note.update('n', { text: 'x'.repeat(100 + i) })
  for (let back = 5; back > 0; back--) {
    try {
      store.changes({ since: before + 5 - back })
      return back
    } catch {
      // The history does not reach so far back.
    }
  }
  return 0
}

const ROWS: { readonly [option: string]: Row } = {
  'limits.maxFilterLength': { kind: 'refused', size: 12, ask: asking('name = "abc"') },
  'limits.maxFilterDepth': { kind: 'refused', size: 3, ask: asking('(not (ID = 1))') },
  'limits.maxPathSegments': { kind: 'refused', size: 3, ask: asking('employer.staff.name = x') },
  'limits.maxListItems': { kind: 'refused', size: 4, ask: asking('ID in :1', [[1, 2, 3, 4]]) },
  'limits.maxPlaceholders': { kind: 'refused', size: 2, ask: asking('ID = :1 or ID = :2', [1, 2]) },
  'limits.maxSortKeys': { kind: 'refused', size: 3, ask: asking('order by name, ID, salary') },
  'limits.maxPatternLength': { kind: 'refused', size: 4, ask: asking('name = abc@') },
  'limits.maxWildcards': { kind: 'refused', size: 3, ask: asking('name = a@b@c@') },
  'reading.maxRowVisits': { kind: 'refused', size: 0, ask: reading },
  'reading.maxMilliseconds': { kind: 'refused', size: 0, ask: reading },
  'reading.turnMilliseconds': { kind: 'elsewhere', shownBy: 'engine/reading.test.ts' },
  'sessions.max': {
    kind: 'refused',
    size: 3,
    ask: (options) => lockers(options, 3, (i) => `10.0.0.${i}`, true),
  },
  'sessions.maxGuests': {
    kind: 'refused',
    size: 3,
    ask: (options) => lockers(options, 3, (i) => `10.0.0.${i}`, false),
  },
  'sessions.maxPerAddress': {
    kind: 'refused',
    size: 3,
    ask: (options) => lockers(options, 3, () => '10.0.0.1', false),
  },
  'sessions.idleSeconds': { kind: 'cut', size: 20, ask: (options) => lifeOf(options, false) },
  'sessions.maxSeconds': { kind: 'cut', size: 20, ask: (options) => lifeOf(options, true) },
  'locks.maxPerSession': {
    kind: 'refused',
    size: 3,
    ask: (options) => {
      const { store } = serverStateStore(options)
      const holder = store.sessions.open()
      for (const key of [1, 2, 3]) store.locks.lock('Employee', key, holder)
    },
  },
  'entitySets.max': {
    kind: 'cut',
    size: 4,
    ask: (options) => {
      const { store } = serverStateStore(options)
      times(10, () => store.entitySets.create(store.Employee.all()))
      return store.entitySets.size
    },
  },
  'entitySets.maxPerSession': {
    kind: 'cut',
    size: 4,
    ask: (options) => {
      const { store } = serverStateStore(options)
      const owner = store.sessions.open()
      times(10, () => store.entitySets.create(store.Employee.all(), { owner }))
      return store.entitySets.size
    },
  },
  'entitySets.maxBytes': {
    kind: 'refused',
    size: 24,
    ask: (options) => {
      const { store } = serverStateStore(options)
      store.entitySets.create(store.Employee.all())
    },
  },
  'uploads.max': {
    kind: 'cut',
    size: 4,
    ask: (options) => {
      const { store } = serverStateStore(options)
      times(10, () => store.uploads.put(createMedia('text/plain', Uint8Array.of(1))))
      return store.uploads.size
    },
  },
  'uploads.maxBytes': {
    kind: 'refused',
    size: 5,
    ask: (options) => {
      const { store } = serverStateStore(options)
      store.uploads.put(createMedia('text/plain', new Uint8Array(5)))
    },
  },
  'history.commits': { kind: 'cut', size: 3, ask: remembered },
  'history.bytes': { kind: 'elsewhere', shownBy: 'storage/history.test.ts' },
  'keptTexts.characters': { kind: 'elsewhere', shownBy: 'storage/row-cache.test.ts' },
}

/** Every numeric option of a store. */
const { sizes: _, ...GROUPS } = kernelOptions({}, ALL_CAPABILITIES).groups

/** The options of a store with one number set. */
function withNumber(option: string, value: number): Options {
  const [group = '', name = ''] = option.split('.')
  // A session cannot be idle longer than its lifetime.
  const more = option === 'sessions.maxSeconds' ? { idleSeconds: 5 } : {}
  return { [group]: { ...more, [name]: value } }
}

/** The lowest limit that does not refuse, for limits in internal units. */
function leastOf(option: string, ask: (options: Options) => unknown): number {
  let [refused, done] = [0, 10_000_000]
  while (done - refused > 1) {
    const middle = Math.floor((refused + done) / 2)
    try {
      ask(withNumber(option, middle))
      done = middle
    } catch {
      refused = middle
    }
  }
  return done
}

describe('limits of a store', () => {
  test('each has a row in this file', () => {
    const all = Object.entries(GROUPS).flatMap(([group, numbers]) =>
      Object.keys(numbers).map((name) => `${group}.${name}`),
    )
    expect(Object.keys(ROWS).sort()).toEqual(all.sort())
  })

  for (const [option, row] of Object.entries(ROWS)) {
    if (row.kind === 'refused')
      test(`${option}: a limit of the used amount or one more is enough, and one less is refused by name`, () => {
        const size = row.size > 0 ? row.size : leastOf(option, row.ask)
        expect(size).toBeGreaterThan(1)
        row.ask(withNumber(option, size + 1))
        row.ask(withNumber(option, size))
        const { code, details, message } = refusalOf(() => row.ask(withNumber(option, size - 1)))
        expect(['filterTooLarge', 'budgetExceeded', 'tooManySessions']).toContain(code)
        const shortName = option.replace(/^limits\./, '')
        expect(details).toMatchObject({ option: shortName, limit: size - 1 })
        expect(message).toContain(shortName)
      })
    if (row.kind === 'elsewhere')
      test(`${option}: has a separate test`, () => {
        expect(existsSync(new URL(`../${row.shownBy}`, import.meta.url))).toBe(true)
      })
    if (row.kind === 'cut')
      test.each([row.size - 1, row.size, row.size + 1])(
        `${option}: a limit of %i keeps that much`,
        (limit) => {
          expect(row.ask(withNumber(option, limit))).toBe(limit)
        },
      )
  }
})
