import type { EntiaError } from '@entia/core'
import { openBrowserJournal } from '@entia/core/browser'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemoryBrowser } from '../../core/test/browser/memory-browser.ts'
import { patience, runs } from '../../core/test/runs.ts'
import { replicate } from '../src/index.ts'
import { CLASSES, createOffice, linkTo, PAUSES, rowsOf } from './office.ts'
import { type OpenTab, openTab } from './tab.ts'
import { until } from './waiting.ts'

const employees = ({ replica }: OpenTab) => rowsOf(replica.store.Employee.all())

test('one tab holds the stream, all tabs show what it brings', async () => {
  const office = createOffice()
  const browser = new MemoryBrowser()
  const ann = office.store.Employee.insert({ name: 'Ann', salary: 1 })
  const first = await openTab(browser, office)
  const second = await openTab(browser, office)
  expect(second.wire.sent).toHaveLength(0)
  expect(second.replica.store.Employee.get(ann.ID)?.salary).toBe(1)
  office.store.Employee.update(ann.ID, { salary: 2 })
  await until(() => second.replica.store.Employee.get(ann.ID)?.salary === 2)
  expect(second.replica.state).toBe('current')
  expect(() => second.replica.store.Employee.update(ann.ID, { salary: 3 })).toThrow(/transact/)
  first.cut()
  await until(() => second.replica.state === 'offline')
  first.connect()
  await until(() => second.replica.state === 'current')
  await first.replica.close()
  // The other tab takes over.
  office.store.Employee.update(ann.ID, { salary: 4 })
  await until(() => second.replica.store.Employee.get(ann.ID)?.salary === 4)
  expect(second.wire.sent).toHaveLength(1)
  await second.replica.close()
})

test('every tab writes, learns the outcome and solves problems', async () => {
  const office = createOffice()
  const browser = new MemoryBrowser()
  const ann = office.store.Employee.insert({ name: 'Ann', salary: 1 })
  const first = await openTab(browser, office)
  const second = await openTab(browser, office)
  const { replica } = second
  const sent = await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 2 }))
  expect(first.replica.store.Employee.get(ann.ID)?.salary).toBe(2)
  expect(await sent.outcome).toMatchObject({ kind: 'applied' })
  await until(() => office.store.Employee.get(ann.ID)?.salary === 2)
  await replica.current()
  first.cut()
  await until(() => replica.state === 'offline')
  const lost = await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 3 }))
  office.store.Employee.update(ann.ID, { salary: 99 })
  expect(replica.waiting.count).toBe(1)
  first.connect()
  const outcome = await lost.outcome
  expect(outcome).toMatchObject({ kind: 'problem', problem: { number: lost.number } })
  await expect(replica.solve(lost.number, { salary: 'x' } as never)).rejects.toThrow(TypeError)
  expect((await replica.solve(lost.number, { salary: 50 })).kind).toBe('applied')
  await until(() => office.store.Employee.get(ann.ID)?.salary === 50)
  for (const _ of [1, 2])
    await expect(replica.reshape({ Company: { attributes: 'unknown' } })).rejects.toThrow(/unknown/)
  await replica.reshape({ Company: null })
  expect(() => replica.store.Company.all().count).toThrow(/does not hold/)
  expect(() => first.replica.store.Company.all().count).toThrow(/does not hold/)
  // The shapes that were asked last count, whichever tab asked.
  await first.replica.reshape({ Company: true })
  await (await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 51 }))).outcome
  await replica.current()
  expect(replica.store.Company.all().count).toBe(0)
  expect(second.wire.sent).toHaveLength(0)
  await first.replica.close()
  await second.replica.close()
})

test('forget in any tab removes the data and ends all of them', async () => {
  const office = createOffice()
  const browser = new MemoryBrowser()
  office.store.Employee.insert({ name: 'Confidential', salary: 1 })
  const first = await openTab(browser, office)
  const second = await openTab(browser, office)
  await second.replica.forget()
  expect(employees(second)).toEqual([])
  await until(() => first.replica.state === 'offline')
  const link = linkTo(office.rest)
  link.cut()
  const third = replicate(link.db, {
    dataClasses: CLASSES,
    shapes: { Employee: true },
    keep: (store, options) => openBrowserJournal(store, 'hr', options, browser.openTab().ports),
    pauses: PAUSES,
  })
  await expect(third).rejects.toThrow()
})

function endOf({ tab, replica, cut }: OpenTab): void {
  tab.end()
  cut()
  void replica.close().catch(() => undefined)
}
/** Closes the replicas of tabs that have ended, and returns the other tabs. */
function living(tabs: readonly OpenTab[]): OpenTab[] {
  for (const each of tabs) if (each.tab.hasEnded) endOf(each)
  return tabs.filter(({ tab }) => !tab.hasEnded)
}
/** Solves the problems of a tab until the server has what is wanted, or the tab ends. */
async function settle({ tab, replica }: OpenTab, isReached: () => boolean): Promise<void> {
  for (;;) {
    await replica.current()
    for (const { number } of [...replica.problems])
      await replica.solve(number, 'mine').catch(isOfStorage)
    if (isReached() || tab.hasEnded) return
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
/** Throws other errors than those of a storage that refuses writes. */
function isOfStorage(error: unknown): void {
  expect(['journalFailed', 'notWriter', 'outcomeUnknown']).toContain((error as EntiaError).code)
}

const step = fc.record({
  kind: fc.constantFrom(
    ...([
      'hire',
      'hire',
      'hire',
      'raise',
      'server',
      'kill',
      'close',
      'open',
      'wire',
      'wait',
    ] as const),
    // The storage takes nothing, or takes a part of the next write before the tab ends.
    ...(['full', 'before', 'after', 'torn'] as const),
  ),
  tab: fc.nat(2),
  value: fc.nat(3),
})

test(
  'whatever tabs are killed and storage refuses, each kept transaction is applied once or is a problem',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const office = createOffice()
        const browser = new MemoryBrowser()
        for (let at = 0; at < 3; at++) office.store.Employee.insert({ name: 'x', salary: at })
        let open: OpenTab[] = [await openTab(browser, office), await openTab(browser, office)]
        const kept: string[] = []
        let number = 0
        for (const { kind, tab, value } of steps) {
          open = living(open)
          if (open.length === 0) open.push(await openTab(browser, office))
          const one = open[tab % open.length]!
          if (kind === 'hire') {
            const text = `mine ${++number}`
            const keeping = one.replica
              .transact((tx) => tx.Employee.insert({ name: text, salary: value }))
              .then(() => kept.push(text))
              .catch(isOfStorage)
            await Promise.race([keeping, one.tab.ended])
          } else if (kind === 'raise') {
            const key = one.replica.store.Employee.all().keys()[value]
            const raising =
              key === undefined
                ? undefined
                : one.replica.transact((tx) => tx.Employee.update(key, { salary: value }))
            await Promise.race([raising?.catch(isOfStorage), one.tab.ended])
          } else if (kind === 'server') {
            const key = office.store.Employee.all().keys()[value]
            if (key !== undefined) office.store.Employee.update(key, { salary: value + 10 })
          } else if (kind === 'wire') {
            if (one.wire.isUp) one.cut()
            else one.connect()
          } else if (kind === 'wait') await new Promise((resolve) => setTimeout(resolve, value))
          else if (kind === 'open') open.push(await openTab(browser, office))
          else if (kind === 'full')
            one.tab.faultAt = one.tab.faultAt(0) === null ? () => 'refused' : () => null
          else if (kind !== 'kill' && kind !== 'close') one.tab.faultAt = () => kind
          else if (open.length > 1) {
            open = open.filter((each) => each !== one)
            if (kind === 'close')
              await Promise.race([one.replica.close().catch(isOfStorage), one.tab.ended])
            else endOf(one)
          }
        }
        for (const each of open) {
          each.tab.faultAt = () => null
          each.connect()
        }
        const countOf = (text: string) => office.store.Employee.query('name = :1', [text]).count
        // A tab that could not take over while its storage was full ends later than the last step.
        for (;;) {
          open = living(open)
          if (open.length === 0) open.push(await openTab(browser, office))
          const one = open[0]!
          await Promise.race([
            settle(one, () => kept.every((text) => countOf(text) > 0)),
            one.tab.ended,
          ])
          if (!one.tab.hasEnded) break
        }
        for (const each of open) {
          await until(
            () =>
              each.tab.hasEnded ||
              JSON.stringify(employees(each)) ===
                JSON.stringify(rowsOf(office.store.Employee.all())),
          )
          each.errors.forEach(isOfStorage)
        }
        for (let at = 1; at <= number; at++) expect(countOf(`mine ${at}`)).toBeLessThan(2)
        for (const each of living(open)) await each.replica.close()
      }),
      runs(40),
    )
  },
)
