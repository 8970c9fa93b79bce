import { openBrowserJournal } from '@entia/core/browser'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemoryBrowser, type MemoryTab } from '../../core/test/browser/memory-browser.ts'
import { patience, runs } from '../../core/test/runs.ts'
import { replicate } from '../src/index.ts'
import { CLASSES, createOffice, linkTo, PAUSES, rowsOf } from './office.ts'
import { until } from './waiting.ts'

type Office = ReturnType<typeof createOffice>
type Open = Awaited<ReturnType<typeof openTab>>

async function openTab(browser: MemoryBrowser, office: Pick<Office, 'rest'>) {
  const tab: MemoryTab = browser.openTab()
  const link = linkTo(office.rest)
  const errors: unknown[] = []
  const replica = await replicate(link.db, {
    dataClasses: CLASSES,
    shapes: { Employee: true, Company: true },
    keep: (store, options) =>
      openBrowserJournal(store, 'hr', { ...options, onError: () => undefined }, tab.ports),
    pauses: PAUSES,
    onError: (error) => errors.push(error),
  })
  return { ...link, tab, replica, errors }
}
const employees = ({ replica }: Open) => rowsOf(replica.store.Employee.all())

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

const step = fc.record({
  kind: fc.constantFrom('hire', 'hire', 'raise', 'server', 'kill', 'close', 'open', 'wire', 'wait'),
  tab: fc.nat(2),
  value: fc.nat(3),
})

test(
  'whatever tabs are killed, each transaction that was kept is applied once or is a problem',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const office = createOffice()
        const browser = new MemoryBrowser()
        for (let at = 0; at < 3; at++) office.store.Employee.insert({ name: 'x', salary: at })
        let open: Open[] = [await openTab(browser, office), await openTab(browser, office)]
        const kept: string[] = []
        let number = 0
        for (const { kind, tab, value } of steps) {
          const one = open[tab % open.length]!
          if (kind === 'hire') {
            const text = `mine ${++number}`
            const keeping = one.replica
              .transact((tx) => tx.Employee.insert({ name: text, salary: value }))
              .then(() => kept.push(text))
            await Promise.race([keeping, one.tab.ended])
          } else if (kind === 'raise') {
            const key = one.replica.store.Employee.all().keys()[value]
            const raising =
              key === undefined
                ? undefined
                : one.replica.transact((tx) => tx.Employee.update(key, { salary: value }))
            await Promise.race([raising, one.tab.ended])
          } else if (kind === 'server') {
            const key = office.store.Employee.all().keys()[value]
            if (key !== undefined) office.store.Employee.update(key, { salary: value + 10 })
          } else if (kind === 'wire') {
            if (one.wire.isUp) one.cut()
            else one.connect()
          } else if (kind === 'wait') await new Promise((resolve) => setTimeout(resolve, value))
          else if (kind === 'open') open.push(await openTab(browser, office))
          else if (open.length > 1) {
            open = open.filter((each) => each !== one)
            if (kind === 'close') await one.replica.close()
            else {
              one.tab.end()
              one.cut()
              void one.replica.close().catch(() => undefined)
            }
          }
        }
        for (const each of open) each.connect()
        const [one] = open as [Open]
        await until(() => open.some(({ replica }) => replica.state === 'current'))
        for (;;) {
          await one.replica.current()
          const [problem] = [...one.replica.problems]
          if (problem === undefined) break
          await one.replica.solve(problem.number, 'mine')
        }
        await one.replica.current()
        for (const text of kept)
          expect(office.store.Employee.query('name = :1', [text]).count).toBe(1)
        for (const each of open) {
          await until(
            () =>
              JSON.stringify(employees(each)) ===
              JSON.stringify(rowsOf(office.store.Employee.all())),
          )
          expect(each.errors).toEqual([])
        }
        for (const each of open) await each.replica.close()
      }),
      runs(40),
    )
  },
)
