import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import type { BrowserJournal } from '../../src/persistence/browser/browser-options.ts'
import { openBrowserJournal } from '../../src/persistence/browser/open-browser-journal.ts'
import { type League, newLeague, textOf } from '../node/league.ts'
import { patience, runs } from '../runs.ts'
import { MemoryBrowser, type MemoryTab } from './memory-browser.ts'

// What becomes of transactions that the disk of the writing tab does not take.

interface Opened {
  readonly tab: MemoryTab
  readonly store: League
  readonly journal: BrowserJournal<Pick<League, 'Player'>>
  readonly errors: unknown[]
}

async function openTab(browser: MemoryBrowser, tab = browser.openTab()): Promise<Opened> {
  const store = newLeague()
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const journal = await openBrowserJournal(store, 'league', { onError }, tab.ports)
  return { tab, store, journal, errors }
}

const namesOf = ({ store }: Opened): readonly string[] =>
  store.Player.all()
    .toArray()
    .map(({ name }) => name ?? '')

/** Lets every message arrive. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

const write = ({ journal }: Opened, name: string): Promise<unknown> =>
  journal.transact((tx) => tx.Player.insert({ name }).name)

const steps = fc.array(
  fc.record({
    tab: fc.nat(2),
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant('transact' as const) },
      { weight: 2, arbitrary: fc.constantFrom('fill' as const, 'free' as const) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'compact' as const,
          'write' as const,
          'kill' as const,
          'close' as const,
          'open' as const,
        ),
      },
    ),
    /** How many steps of other tabs run before the next one. */
    ticks: fc.nat(40),
  }),
  { minLength: 5, maxLength: 40 },
)
/** The disk is full when the tab that writes gets transactions of itself and of others. */
const FULL = (
  [
    ['compact', 0, 40],
    ['write', 0, 4],
    ['open', 0, 23],
    ['fill', 2, 38],
    ['transact', 0, 10],
    ['compact', 0, 39],
    ['transact', 1, 23],
    ['transact', 2, 40],
    ['transact', 2, 37],
  ] as const
).map(([kind, tab, ticks]) => ({ kind, tab, ticks }))

test(
  'a kept transaction is there once, a refused one nowhere, an unknown one at most once, for any order of failing writes, compactions and takeovers',
  patience,
  async () => {
    const count = { kept: 0, refused: 0, unknown: 0 }
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const browser = new MemoryBrowser()
        let isFull = false
        const kept: string[] = []
        const refused: string[] = []
        const waiting: Promise<unknown>[] = []
        let tabs: Opened[] = []
        const open = (): void => {
          const tab = browser.openTab()
          tab.faultAt = () => (isFull ? 'refused' : null)
          const opened = openTab(browser, tab).then(
            (one) => tabs.push(one),
            // A tab that takes over while the disk is full.
            () => undefined,
          )
          waiting.push(Promise.race([opened, tab.ended]))
        }
        open()
        open()
        let names = 0
        for (const { tab, kind, ticks } of given) {
          for (let tick = 0; tick < ticks; tick++) await undefined
          tabs = tabs.filter((one) => !one.tab.hasEnded && one.journal.role !== 'closed')
          const one = tabs[tab % Math.max(1, tabs.length)]
          if (kind === 'fill' || kind === 'free') isFull = kind === 'fill'
          else if (one === undefined || kind === 'open') {
            if (tabs.length < 3) open()
          } else if (kind === 'transact') {
            const name = `n${names++}`
            const done = write(one, name).then(
              () => void kept.push(name),
              (error: unknown) => {
                if (isEntiaError(error, 'notWriter')) refused.push(name)
                else {
                  if (isEntiaError(error, 'outcomeUnknown')) count.unknown++
                  else expect(error).toMatchObject({ code: 'journalFailed' })
                  expect(String(error)).not.toMatch(/run the transaction again once/i)
                }
                expect(namesOf(one).filter((each) => refused.includes(each))).toEqual([])
              },
            )
            waiting.push(Promise.race([done, one.tab.ended]))
          } else if (kind === 'write') {
            if (one.journal.role === 'writer') one.store.Player.insert({ name: `n${names++}` })
          } else if (kind === 'compact') one.journal.compact().catch(() => undefined)
          else if (kind === 'kill') one.tab.end()
          else
            waiting.push(Promise.race([one.journal.close().catch(() => undefined), one.tab.ended]))
        }
        isFull = false
        await Promise.all(waiting)
        await settle()
        const isOpen = ({ tab, journal }: Opened): boolean =>
          !tab.hasEnded && journal.role !== 'closed'
        tabs = tabs.filter(isOpen)
        if (tabs.length === 0) tabs = [await openTab(browser)]
        for (const { journal } of tabs) if (journal.role === 'writer') await journal.compact()
        await settle()
        const state = textOf(tabs[0]!.store)
        for (const one of tabs) {
          one.store.verify()
          expect(textOf(one.store)).toBe(state)
          one.tab.end()
        }
        const found = namesOf(await openTab(browser))
        expect([...found].sort()).toEqual([...namesOf(tabs[0]!)].sort())
        expect(new Set(found).size).toBe(found.length)
        expect(found).toEqual(expect.arrayContaining(kept))
        expect(found.filter((name) => refused.includes(name))).toEqual([])
        count.kept += kept.length
        count.refused += refused.length
      }),
      { ...runs(80, 80), examples: Array.from({ length: 6 }, (): [typeof FULL] => [FULL]) },
    )
    expect(count.kept).toBeGreaterThan(20)
    expect(count.refused).toBeGreaterThan(5)
    expect(count.unknown).toBeGreaterThan(5)
  },
)

describe('when the disk of the writing tab is full, a tab that follows', () => {
  test('learns that its first transaction may be kept, and that later ones are not', async () => {
    const browser = new MemoryBrowser()
    const first = await openTab(browser)
    const second = await openTab(browser)
    first.tab.faultAt = () => 'refused'
    await expect(write(second, 'a')).rejects.toMatchObject({
      code: 'outcomeUnknown',
      message: expect.stringContaining('do not run the transaction again'),
    })
    await expect(write(second, 'b')).rejects.toMatchObject({ code: 'notWriter' })
    expect(namesOf(first)).toEqual(['a'])
    first.tab.faultAt = () => null
    await first.journal.compact()
    await write(second, 'b')
    expect([namesOf(first), namesOf(second)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  test('gets the same answer when it writes itself', async () => {
    const browser = new MemoryBrowser()
    const only = await openTab(browser)
    only.tab.faultAt = () => 'refused'
    await expect(write(only, 'a')).rejects.toMatchObject({ code: 'outcomeUnknown' })
    await expect(write(only, 'b')).rejects.toMatchObject({ code: 'journalFailed' })
    expect(namesOf(only)).toEqual(['a'])
    only.tab.faultAt = () => null
    await only.journal.compact()
    await write(only, 'b')
    expect(namesOf(only)).toEqual(['a', 'b'])
  })
})

describe('after the data of the site were cleared', () => {
  test('tabs that had them end, write nothing back, and a tab opened later starts empty', async () => {
    const browser = new MemoryBrowser()
    const first = await openTab(browser)
    const second = await openTab(browser)
    await write(second, 'a')
    browser.deleteDatabase('entia:league')
    const third = await openTab(browser)
    expect([first, second, third].map(({ journal }) => journal.role)).toEqual([
      'closed',
      'closed',
      'writer',
    ])
    for (const { errors, journal } of [first, second]) {
      const removed = { code: 'journalRemoved' }
      expect(errors).toMatchObject([removed])
      expect(journal.error).toMatchObject(removed)
      await expect(journal.flush()).rejects.toMatchObject(removed)
      await expect(journal.transact(() => 1)).rejects.toMatchObject(removed)
    }
    expect([namesOf(third), third.errors]).toEqual([[], []])
    await write(third, 'b')
    expect(namesOf(await openTab(browser))).toEqual(['b'])
    // The stores of the tabs that ended stay usable, in memory.
    first.store.Player.insert({ name: 'c' })
    expect(namesOf(first)).toEqual(['a', 'c'])
  })

  test('a tab that takes over before it learns of it writes nothing back', async () => {
    const browser = new MemoryBrowser()
    const first = await openTab(browser)
    const second = await openTab(browser)
    await write(first, 'a')
    first.tab.end()
    browser.deleteDatabase('entia:league')
    const third = await openTab(browser)
    expect([second.journal.role, third.journal.role]).toEqual(['closed', 'writer'])
    expect(second.journal.error).toMatchObject({ code: 'journalRemoved' })
    expect(third.journal.error).toBe(null)
    expect(namesOf(third)).toEqual([])
  })
})
