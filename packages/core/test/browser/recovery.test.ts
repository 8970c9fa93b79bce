import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Follower } from '../../src/persistence/browser/follower.ts'
import { openBrowserJournal } from '../../src/persistence/browser/open-browser-journal.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { handleOf } from '../../src/store/kernel/capability.ts'
import { byHand, type League, newLeague, textOf } from '../node/league.ts'
import { patience, runs } from '../runs.ts'
import { type Fault, MemoryBrowser, type MemoryTab } from './memory-browser.ts'

type Step =
  | { readonly kind: 'write'; readonly value: number }
  | { readonly kind: 'flush' | 'compact' | 'flushLater' | 'compactLater' | 'reopen' }

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('write' as const), value: fc.nat(9) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('flush', 'compact', 'flushLater', 'compactLater', 'reopen'),
      }) as fc.Arbitrary<Step>,
    },
  ),
  { maxLength: 25 },
)
const faults = fc.record({
  at: fc.nat(40),
  // Only after a refused write is the tab still there to report it.
  fault: fc.oneof(
    { weight: 1, arbitrary: fc.constant<Fault>('refused') },
    { weight: 1, arbitrary: fc.constantFrom<Fault>('before', 'after', 'torn') },
  ),
})

/** One commit of several records. */
function write(store: League, value: number): void {
  store.transact((tx) => {
    const code = `t${value}`
    const team = tx.Team.query('code = :1', [code]).first() ?? tx.Team.insert({ code })
    tx.Player.insert({ name: `n${value}`, notes: { value, é: [null, 'x'] }, team })
    tx.Player.query('name = :1', [`n${value - 1}`]).remove()
  })
}

interface Life {
  readonly states: Map<number, string>
  /** The global stamp of the last state that a call reported as saved; -1 if there is none. */
  promised: number
  refusals: number
}

/** Runs the steps in a tab. Returns after the last step; the tab may end before. */
async function live(tab: MemoryTab, given: readonly Step[], life: Life): Promise<void> {
  const waiting: Promise<void>[] = []
  const open = async (store: League) => openBrowserJournal(store, 'league', byHand, tab.ports)
  let store = newLeague()
  let journal = await open(store)
  const note = (): void => void life.states.set(store.globalStamp, textOf(store))
  note()
  life.promised = store.globalStamp
  const promise = (saved: Promise<void>): Promise<void> => {
    const stamp = store.globalStamp
    return saved.then(
      () => void (life.promised = Math.max(life.promised, stamp)),
      () => void life.refusals++,
    )
  }
  for (const step of given) {
    if (step.kind === 'write') {
      write(store, step.value)
      note()
    } else if (step.kind === 'flush') await promise(journal.flush())
    else if (step.kind === 'compact') await promise(journal.compact())
    else if (step.kind === 'reopen') {
      await Promise.all(waiting)
      // After a reported failure, commits are in memory only.
      if (life.refusals === 0) await promise(journal.close())
      else await journal.close().catch(() => undefined)
      store = newLeague()
      journal = await open(store)
    } else waiting.push(promise(step.kind === 'flushLater' ? journal.flush() : journal.compact()))
  }
  await Promise.all(waiting)
}

test(
  'whenever a tab ends, or a write is refused, the next tab opens an earlier state, not older than the last saved one',
  patience,
  async () => {
    let endings = 0
    let refusals = 0
    const wanted = runs(400)
    await fc.assert(
      fc.asyncProperty(steps, faults, async (given, { at, fault }) => {
        const browser = new MemoryBrowser()
        const tab = browser.openTab()
        tab.faultAt = (change) => (change === at ? fault : null)
        const life: Life = { states: new Map(), promised: -1, refusals: 0 }
        await Promise.race([live(tab, given, life).catch(() => undefined), tab.ended])
        if (tab.hasEnded) endings++
        tab.end()
        refusals += life.refusals
        const store = newLeague()
        const journal = await openBrowserJournal(store, 'league', byHand, browser.openTab().ports)
        expect(journal.role).toBe('writer')
        store.verify()
        expect(store.globalStamp).toBeGreaterThanOrEqual(life.promised)
        const state = life.states.get(store.globalStamp)
        if (life.promised < 0) expect([undefined, textOf(store)]).toContain(state)
        else expect(textOf(store)).toBe(state)
        // The journal continues and can be opened again.
        write(store, 1)
        await journal.close()
        const again = newLeague()
        const second = await openBrowserJournal(again, 'league', byHand, browser.openTab().ports)
        expect(textOf(again)).toBe(textOf(store))
        await second.close()
      }),
      wanted,
    )
    // Fewer runs may meet none.
    if (wanted.numRuns < 400) return
    expect(endings).toBeGreaterThan(30)
    expect(refusals).toBeGreaterThan(5)
  },
)

test('a torn end is recognised by its checksum, dropped and counted', async () => {
  const browser = new MemoryBrowser()
  const tab = browser.openTab()
  const store = newLeague()
  const journal = await openBrowserJournal(store, 'league', byHand, tab.ports)
  write(store, 1)
  await journal.flush()
  const saved = textOf(store)
  write(store, 2)
  tab.faultAt = () => 'torn'
  journal.flush()
  await tab.ended
  const next = newLeague()
  const opened = await openBrowserJournal(next, 'league', byHand, browser.openTab().ports)
  expect(opened.recovered.commits).toBe(1)
  expect(opened.recovered.droppedBytes).toBeGreaterThan(0)
  expect(textOf(next)).toBe(saved)
  write(next, 3)
  await opened.close()
})

test('a full storage rejects every flush and keeps the store usable, and compact repairs it', async () => {
  const browser = new MemoryBrowser()
  const tab = browser.openTab()
  const store = newLeague()
  const errors: unknown[] = []
  const journal = await openBrowserJournal(
    store,
    'league',
    { onError: (error) => errors.push(error) },
    tab.ports,
  )
  tab.faultAt = () => 'refused'
  write(store, 1)
  await expect(journal.flush()).rejects.toMatchObject({
    code: 'journalFailed',
    details: { file: 'entia:league/0.journal' },
  })
  write(store, 2)
  await expect(journal.flush()).rejects.toMatchObject({ code: 'journalFailed' })
  await expect(journal.compact()).rejects.toMatchObject({ code: 'journalFailed' })
  // The callers of flush receive the error.
  expect(errors).toEqual([])
  tab.faultAt = () => null
  await journal.compact()
  write(store, 3)
  await journal.flush()
  tab.end()
  const next = newLeague()
  await openBrowserJournal(next, 'league', byHand, browser.openTab().ports)
  expect(textOf(next)).toBe(textOf(store))
})

test('a tab whose database was removed and begun again by another one takes the newer one, which has less', async () => {
  const browser = new MemoryBrowser()
  const fillOf = async (name: string, commits: number): Promise<League> => {
    const store = newLeague()
    const journal = await openBrowserJournal(store, name, byHand, browser.openTab().ports)
    for (let i = 0; i < commits; i++) store.Team.insert({ code: `${name} ${commits} ${i}` })
    await journal.flush()
    await journal.close()
    return store
  }
  await fillOf('league', 5)
  const store = newLeague()
  const { ports } = browser.openTab()
  const follower = new Follower(persistenceOf(store), handleOf(store).writer, 'entia:league', ports)
  await follower.catchUp()
  expect([follower.at, store.Team.count]).toEqual([5, 5])
  browser.deleteDatabase('entia:league')
  const newer = await fillOf('league', 2)
  await follower.catchUp()
  expect(follower.at).toBe(2)
  expect(store.Team.all().select('code')).toEqual(newer.Team.all().select('code'))
  store.verify()
})
