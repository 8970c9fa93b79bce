import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import type { BrowserJournal } from '../../src/persistence/browser/browser-options.ts'
import {
  deleteBrowserJournal,
  openBrowserJournal,
} from '../../src/persistence/browser/open-browser-journal.ts'
import { createDataStore } from '../../src/store/create-store.ts'
import { type League, newLeague, textOf } from '../node/league.ts'
import { patience, runs } from '../runs.ts'
import { type Fault, MemoryBrowser, type MemoryTab } from './memory-browser.ts'

type Tables = Pick<League, 'Team' | 'Player'>

/** A tab with its store. */
interface Opened {
  readonly tab: MemoryTab
  readonly store: League
  readonly journal: BrowserJournal<Tables>
  /** The names that its live query reported. */
  readonly seen: string[]
}

async function openTab(browser: MemoryBrowser, tab = browser.openTab()): Promise<Opened> {
  const store = newLeague()
  const journal = await openBrowserJournal(store, 'league', { onError: () => undefined }, tab.ports)
  const seen: string[] = store.Player.all()
    .toArray()
    .map(({ name }) => name ?? '')
  store.Player.query('ID > 0').live(({ entered }) => {
    for (const { name } of entered) seen.push(name ?? '')
  })
  return { tab, store, journal, seen }
}

const roleOf = ({ journal }: Opened): string => journal.role
const namesOf = ({ store }: Opened): readonly string[] =>
  store.Player.all()
    .toArray()
    .map(({ name }) => name ?? '')

/** Lets every message arrive. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

interface Step {
  readonly tab: number
  readonly kind: 'transact' | 'write' | 'flush' | 'compact' | 'kill' | 'close' | 'open'
  /** How many steps of other tabs run before the next one. */
  readonly ticks: number
}

const steps = fc.array(
  fc.record({
    tab: fc.nat(3),
    kind: fc.constantFrom<Step['kind']>(
      'transact',
      'transact',
      'transact',
      'write',
      'write',
      'flush',
      'compact',
      'kill',
      'close',
      'open',
    ),
    ticks: fc.nat(30),
  }),
  { maxLength: 40, size: 'max' },
)
const faults = fc.record({
  at: fc.nat(60),
  fault: fc.constantFrom<Fault>('before', 'after', 'torn'),
})

test(
  'every saved transaction is in all tabs exactly once, for any order of writes, ends and takeovers',
  patience,
  async () => {
    let forwarded = 0
    let takenOver = 0
    const wanted = runs(200)
    await fc.assert(
      fc.asyncProperty(steps, faults, async (given, { at, fault }) => {
        const browser = new MemoryBrowser()
        let changes = 0
        const newTab = (): MemoryTab => {
          const tab = browser.openTab()
          tab.faultAt = () => (changes++ === at ? fault : null)
          return tab
        }
        let tabs: Opened[] = []
        const saved: string[] = []
        const waiting: Promise<unknown>[] = []
        const unlessEnded = (tab: MemoryTab, done: Promise<unknown>): void =>
          void waiting.push(Promise.race([done, tab.ended]))
        const open = (): void => {
          const tab = newTab()
          unlessEnded(
            tab,
            openTab(browser, tab).then((opened) => tabs.push(opened)),
          )
        }
        open()
        let names = 0
        for (const { tab, kind, ticks } of [...given]) {
          for (let tick = 0; tick < ticks; tick++) await undefined
          tabs = tabs.filter((one) => !one.tab.hasEnded)
          const one = tabs[tab % Math.max(1, tabs.length)]
          if (one === undefined || kind === 'open') {
            if (tabs.length < 4) open()
            continue
          }
          const { store, journal } = one
          const name = `n${names++}`
          const wasFollower = journal.role === 'follower'
          if (kind === 'transact')
            unlessEnded(
              one.tab,
              journal
                .transact((tx) => {
                  const count = tx.Player.all().count
                  return tx.Player.insert({ name, notes: { count } }).name
                })
                .then(
                  (result) => {
                    expect(result).toBe(name)
                    saved.push(name)
                    if (wasFollower) forwarded++
                    if (wasFollower && roleOf(one) === 'writer') takenOver++
                  },
                  (error: unknown) => expect(error).toMatchObject({ code: 'journalFailed' }),
                ),
            )
          else if (kind === 'write') {
            if (journal.role === 'writer') store.Player.insert({ name })
            else if (wasFollower)
              expect(() => store.Player.insert({ name })).toThrow(/journal\.transact/)
          } else if (kind === 'flush') {
            const before = namesOf(one)
            const isOpen = journal.role !== 'closed'
            unlessEnded(
              one.tab,
              journal.flush().then(
                () => isOpen && saved.push(...before.filter((old) => !saved.includes(old))),
                () => undefined,
              ),
            )
          } else if (kind === 'compact')
            unlessEnded(
              one.tab,
              journal.compact().catch(() => undefined),
            )
          else if (kind === 'kill') one.tab.end()
          else {
            unlessEnded(one.tab, journal.close())
            tabs = tabs.filter((other) => other !== one)
          }
        }
        await Promise.all(waiting)
        await settle()
        tabs = tabs.filter((one) => !one.tab.hasEnded && one.journal.role !== 'closed')
        if (tabs.length === 0) {
          // The tab with the fault may have been the last one.
          tabs = [await openTab(browser)]
        }
        expect(tabs.filter(({ journal }) => journal.role === 'writer')).toHaveLength(1)
        for (const one of tabs) await one.journal.flush()
        await settle()
        const [state] = tabs.map(({ store }) => textOf(store))
        for (const one of tabs) {
          one.store.verify()
          expect(textOf(one.store)).toBe(state)
          const found = namesOf(one)
          expect(new Set(found).size).toBe(found.length)
          expect(found).toEqual(expect.arrayContaining(saved))
          expect([...one.seen].sort()).toEqual([...found].sort())
        }
        // The database has them too.
        for (const one of tabs) one.tab.end()
        const last = await openTab(browser)
        expect(textOf(last.store)).toBe(state)
        await last.journal.close()
      }),
      wanted,
    )
    // Fewer runs may meet none.
    if (wanted.numRuns < 200) return
    expect(forwarded).toBeGreaterThan(100)
    expect(takenOver).toBeGreaterThan(20)
  },
)

describe('a tab that follows', () => {
  async function twoTabs() {
    const browser = new MemoryBrowser()
    return { browser, first: await openTab(browser), second: await openTab(browser) }
  }

  test('refuses writes and compactions, and names the remedy', async () => {
    const { first, second } = await twoTabs()
    expect([roleOf(first), roleOf(second)]).toEqual(['writer', 'follower'])
    const before = textOf(second.store)
    expect(() => second.store.Team.insert({ code: 'A' })).toThrow(
      /Another tab writes the journal "league": .*`await journal.transact/,
    )
    expect(() => second.store.transact((tx) => tx.Team.insert({ code: 'A' }))).toThrow(/league/)
    expect(textOf(second.store)).toBe(before)
    await expect(second.journal.compact()).rejects.toMatchObject({ code: 'notWriter' })
    await second.journal.flush()
  })

  test('returns the results and errors of its transactions', async () => {
    const { first, second } = await twoTabs()
    const { journal } = second
    expect(await journal.transact((tx) => tx.Team.query('code = "A"').count)).toBe(0)
    const team = await journal.transact((tx) => tx.Team.insert({ code: 'A', motto: 'm' }))
    expect(first.store.Team.query('code = "A"').first()).toEqual(team)
    await expect(
      journal.transact((tx) => tx.Team.insert({ code: 'B', motto: 'm' })),
    ).rejects.toMatchObject({ code: 'uniqueViolation' })
    await expect(
      journal.transact(() => {
        throw new Error('mine')
      }),
    ).rejects.toThrow('mine')
    expect(textOf(first.store)).toBe(textOf(second.store))
  })

  test('runs a transaction again when another commit comes first', async () => {
    const { first, second } = await twoTabs()
    let runs = 0
    const saved = second.journal.transact((tx) => {
      if (++runs === 1) first.store.Team.insert({ code: 'A' })
      return tx.Team.insert({ code: `B${tx.Team.all().count}` }).code
    })
    expect(await saved).toBe('B1')
    expect(runs).toBe(2)
  })

  test('sees moved unique values, cascades, loads and restores as the writer does', async () => {
    const { first, second } = await twoTabs()
    const one = first.store
    one.Team.load([
      { code: 'A', motto: 'a' },
      { code: 'B', motto: 'b' },
    ])
    const snapshot = one.snapshot()
    one.transact(() => {
      one.Team.update('A', { motto: null })
      one.Team.update('B', { motto: 'a' })
      one.Team.update('A', { motto: 'b' })
      one.Player.insert({ name: 'of A', team: 'A' })
    })
    one.Team.remove('A')
    one.Team.insert({ code: 'A', motto: 'b' })
    one.restore(snapshot)
    await first.journal.flush()
    await settle()
    expect(textOf(second.store)).toBe(textOf(one))
    second.store.verify()
    await second.journal.transact((tx) => tx.Team.update('A', { motto: 'z' }))
    expect(textOf(second.store)).toBe(textOf(one))
  })

  test('learns of a compaction that repaired a failed journal', async () => {
    const { first, second } = await twoTabs()
    first.tab.faultAt = () => 'refused'
    first.store.Team.insert({ code: 'A' })
    await expect(first.journal.flush()).rejects.toMatchObject({ code: 'journalFailed' })
    await expect(
      second.journal.transact((tx) => tx.Team.insert({ code: 'B' })),
    ).rejects.toMatchObject({ code: 'notWriter' })
    first.tab.faultAt = () => null
    await first.journal.compact()
    await settle()
    expect(textOf(second.store)).toBe(textOf(first.store))
    expect(second.store.Team.query('code = "A"').count).toBe(1)
  })

  test('that had commits of its own takes the data and writes a new dump when it takes over', async () => {
    const browser = new MemoryBrowser()
    const first = await openTab(browser)
    first.store.Team.insert({ code: 'A' })
    await first.journal.flush()
    const store = newLeague()
    for (const code of ['X', 'Y', 'Z']) store.Team.insert({ code })
    const tab = browser.openTab()
    const journal = await openBrowserJournal(store, 'league', {}, tab.ports)
    const third = await openTab(browser)
    await journal.transact((tx) => tx.Team.insert({ code: 'B' }))
    first.tab.end()
    await journal.transact((tx) => tx.Team.insert({ code: 'C' }))
    await third.journal.transact((tx) => tx.Team.insert({ code: 'D' }))
    const codes = ({ Team }: League) =>
      Team.all()
        .toArray()
        .map(({ code }) => code)
    expect(codes(store)).toEqual(['A', 'B', 'C', 'D'])
    expect(codes(third.store)).toEqual(codes(store))
    expect(textOf(third.store)).toBe(textOf(store))
  })

  test('runs hooks before a commit itself, and leaves those after it to the writer', async () => {
    const calls: string[] = []
    const create = (tab: string) =>
      createDataStore({
        name: 'hooks',
        dataClasses: [
          defineDataClass(
            'Task',
            { ID: attribute.long({ key: true, autoSequence: true }), title: attribute.string() },
            {
              hooks: {
                beforeSave: () => void calls.push(`${tab} before`),
                afterSave: (_, { before }) => void calls.push(`${tab} after ${before === null}`),
                afterRemove: ({ title }) => void calls.push(`${tab} removed ${title}`),
              },
            },
          ),
        ],
      })
    const browser = new MemoryBrowser()
    const open = async (tab: string) =>
      openBrowserJournal(create(tab), 'hooks', {}, browser.openTab().ports)
    const first = await open('first')
    const second = await open('second')
    const task = await second.transact((tx) => tx.Task.insert({ title: 'a' }))
    await second.transact((tx) => tx.Task.update(task.ID, { title: 'b' }))
    await second.transact((tx) => tx.Task.remove(task.ID))
    expect(calls).toEqual([
      'second before',
      'first after true',
      'second before',
      'first after false',
      'first removed b',
    ])
    await first.close()
    await second.close()
  })

  test('reports its roles, and a closed store ends it', async () => {
    const browser = new MemoryBrowser()
    const first = await openTab(browser)
    const roles: string[] = []
    const store = newLeague()
    const second = await openBrowserJournal(
      store,
      'league',
      { onRole: (role) => roles.push(role) },
      browser.openTab().ports,
    )
    await first.journal.close()
    await settle()
    expect(roles).toEqual(['writer'])
    await second.close()
    expect(roles).toEqual(['writer', 'closed'])
    await expect(second.flush()).rejects.toMatchObject({ code: 'journalFailed' })
    await expect(second.transact(() => 1)).rejects.toMatchObject({ code: 'journalFailed' })
    // The store stays usable, in memory only.
    store.Team.insert({ code: 'late' })
    const third = await openTab(browser)
    const fourth = await openTab(browser)
    expect(third.store.Team.all().count).toBe(0)
    fourth.store.close()
    await third.journal.transact((tx) => tx.Team.insert({ code: 'A' }))
    await settle()
    expect(roleOf(fourth)).toBe('closed')
  })
})

describe('arguments', () => {
  test('that are wrong are refused, and change nothing', async () => {
    const browser = new MemoryBrowser()
    const { ports } = browser.openTab()
    const store = newLeague()
    const open = (name: string, options?: object) => openBrowserJournal(store, name, options, ports)
    await expect(open('')).rejects.toMatchObject({ code: 'argumentInvalid' })
    await expect(open('x', { onRole: 1 })).rejects.toMatchObject({ code: 'argumentInvalid' })
    await expect(open('x', { flush: 1 })).rejects.toMatchObject({ code: 'argumentInvalid' })
    const journal = await open('x')
    await expect(open('y')).rejects.toMatchObject({ code: 'argumentInvalid' })
    await expect(deleteBrowserJournal('x', ports)).rejects.toMatchObject({
      code: 'argumentInvalid',
    })
    await journal.close()
    await deleteBrowserJournal('x', ports)
    await (await open('y')).close()
  })

  test('where the browser lacks something are refused with the remedy', async () => {
    await expect(openBrowserJournal(newLeague(), 'x')).rejects.toThrow(
      /HTTPS, or of localhost, not one without IndexedDB/,
    )
  })

  test('another model is refused by a tab that follows, and its store stays as it is', async () => {
    const browser = new MemoryBrowser()
    await openTab(browser)
    const Other = defineDataClass('Other', { ID: attribute.uuid({ key: true }) })
    const other = createDataStore({ name: 'league', dataClasses: [Other] })
    const opening = openBrowserJournal(other, 'league', {}, browser.openTab().ports)
    await expect(opening).rejects.toMatchObject({ code: 'dumpInvalid' })
    other.Other.insert({})
    expect(other.globalStamp).toBe(1)
  })
})
