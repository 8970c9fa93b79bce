import { connect } from '@entia/client'
import { attribute, defineDataClass } from '@entia/core'
import { afterEach, expect, test, vi } from 'vitest'
import { MemoryBrowser } from '../../core/test/browser/memory-browser.ts'
import { CLASSES, createOffice, linkTo, serve } from './office.ts'
import { type OpenTab, openTab } from './tab.ts'
import { until } from './waiting.ts'

afterEach(() => {
  vi.useRealTimers()
})

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))
const hire = ({ replica }: OpenTab, name: string) =>
  replica.transact((tx) => tx.Employee.insert({ name, salary: 1 }))
const isHeld = ({ replica }: OpenTab): boolean => {
  try {
    return replica.store.Company.all().count >= 0
  } catch {
    return false
  }
}
/** An office whose sessions are those of one user at a time. */
function withUsers() {
  const session = { user: 'ann' }
  const office = createOffice({ identify: () => ({ ID: session.user }) })
  office.store.Employee.insert({ name: 'Confidential', salary: 1 })
  return { ...office, session }
}
const kill = ({ tab, cut }: OpenTab): void => {
  tab.end()
  cut()
}

test('what a full storage does not take is not sent, and its number is free after a crash', async () => {
  const office = createOffice()
  const browser = new MemoryBrowser()
  const first = await openTab(browser, office)
  await first.replica.current()
  first.tab.faultAt = () => 'refused'
  await expect(hire(first, 'Lost')).rejects.toMatchObject({ code: 'journalFailed' })
  await pause(30)
  expect(first.replica.waiting.count).toBe(1)
  kill(first)
  const second = await openTab(browser, office)
  expect(await (await hire(second, 'Kept')).outcome).toMatchObject({ kind: 'applied' })
  await second.replica.current()
  expect([...office.store.Employee.all()].map(({ name }) => name)).toEqual(['Kept'])
  await second.replica.close()
})

test('a storage that has space again takes what waits, and other tabs get it', async () => {
  const office = createOffice()
  const browser = new MemoryBrowser()
  const first = await openTab(browser, office)
  const second = await openTab(browser, office)
  first.tab.faultAt = () => 'refused'
  await expect(hire(first, 'Mine')).rejects.toMatchObject({ code: 'journalFailed' })
  office.store.Employee.insert({ name: 'Theirs', salary: 1 })
  await pause(30)
  expect(second.replica.store.Employee.all().count).toBe(0)
  first.tab.faultAt = () => null
  await until(() => second.replica.store.Employee.all().count === 2)
  await first.replica.current()
  expect(office.store.Employee.query('name = Mine').count).toBe(1)
  await second.replica.close()
  await first.replica.close()
})

test('a tab that cannot take over says why, and refuses calls with that', async () => {
  const office = createOffice()
  const browser = new MemoryBrowser()
  const { ID } = office.store.Employee.insert({ name: 'Ann' })
  const first = await openTab(browser, office)
  const second = await openTab(browser, office)
  const { replica } = second
  await replica.current()
  second.tab.faultAt = () => 'refused'
  await first.replica.close()
  await until(() => replica.error !== null)
  const { error, store } = replica
  const call = replica.callOn as (...args: readonly string[]) => Promise<unknown>
  expect(replica.state).toBe('offline')
  expect(error).toMatchObject({ code: 'journalFailed', cause: expect.any(Error) })
  expect(String(error)).toMatch(/"?hr"?.*could not.*load the page again/i)
  for (const late of [
    () => replica.transact((tx) => tx.Employee.insert({ name: 'Ann' })),
    () => call('Employee', ID, 'raise'),
    () => replica.solve(1, 'mine'),
    () => replica.dismiss(1),
    () => replica.reshape({ Company: null }),
    () => replica.current(),
  ])
    await expect(late(), String(late)).rejects.toBe(error)
  expect(() => store.Employee.insert({ name: 'Ann' })).toThrow(/replica.transact/)
  expect(replica.error).toBe(error)
})

test('tabs whose data are gone say so, and a tab that was closed has no error', async () => {
  const office = createOffice()
  const browser = new MemoryBrowser()
  const first = await openTab(browser, office)
  const second = await openTab(browser, office)
  browser.deleteDatabase('entia:hr')
  for (const { replica } of [first, second]) {
    await until(() => replica.error !== null)
    expect(replica.error).toMatchObject({ code: 'journalRemoved' })
    await expect(replica.current()).rejects.toBe(replica.error)
  }
  for (const asks of [0, 1]) {
    const tabs = [await openTab(browser, office), await openTab(browser, office)]
    await tabs[asks]!.replica.forget()
    const { replica } = tabs[1 - asks]!
    await until(() => replica.error !== null)
    expect(String(replica.error)).toMatch(/Another tab has removed its data/)
    await expect(replica.current()).rejects.toBe(replica.error)
    expect(tabs[asks]!.replica.error).toBe(null)
  }
  const third = await openTab(browser, office)
  await third.replica.close()
  expect(third.replica.error).toBe(null)
})

test('a transaction of another tab during forget is kept for no later user', async () => {
  for (let delay = 0; delay < 30; delay += 3) {
    const office = withUsers()
    const browser = new MemoryBrowser()
    const first = await openTab(browser, office)
    const second = await openTab(browser, office)
    const forgetting = first.replica.forget()
    for (let at = 0; at < delay; at++) await undefined
    await expect(hire(second, 'Late')).rejects.toThrow('The replica is closed.')
    await forgetting
    office.session.user = 'bob'
    const third = await openTab(browser, office)
    await third.replica.current()
    expect(office.store.Employee.query('name = Late').count).toBe(0)
    expect(office.store.ReplicaState.all().count).toBe(0)
    await third.replica.close()
  }
})

test.each(['the next tab', 'the next start'])(
  'a forget that the tab with the stream has not done is done by %s',
  async (by) => {
    const office = withUsers()
    const browser = new MemoryBrowser()
    const first = await openTab(browser, office)
    const second = await openTab(browser, office)
    await until(() => second.replica.state === 'current')
    first.tab.faultAt = () => 'after'
    const forgetting = second.replica.forget()
    await first.tab.ended
    if (by === 'the next tab') await forgetting
    else second.tab.end()
    const link = linkTo(office.rest)
    link.cut()
    // What the tab that has ended asked for may arrive again, at this one.
    const opening = openTab(browser, office, {}, link)
    await expect(opening).rejects.toThrow(/no connection|The replica is closed/)
    await expect(openTab(browser, office, {}, link)).rejects.toThrow('no connection')
  },
)

test('the data of another user are removed when a tab starts for a user', async () => {
  const office = withUsers()
  const browser = new MemoryBrowser()
  const first = await openTab(browser, office, { user: 'ann' })
  await first.replica.current()
  await first.replica.close()
  office.session.user = 'bob'
  office.store.Employee.query('salary = 1').remove()
  const second = await openTab(browser, office, { user: 'bob' })
  await second.replica.current()
  expect(second.replica.store.Employee.all().count).toBe(0)
  expect(second.errors).toEqual([])
  await second.replica.close()
})

test('a tab that follows shows no data that the tab with the stream does not show', async () => {
  const office = withUsers()
  const browser = new MemoryBrowser()
  const expires = { days: 30 }
  const first = await openTab(browser, office, { expires })
  first.cut()
  await hire(first, 'Mine')
  await first.replica.close()
  // Expired, and the server does not answer.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 86_400_000 })
  const link = linkTo(office.rest)
  const db = connect('http://office.test/rest', { fetch: () => new Promise(() => {}) })
  const shown: unknown[] = []
  const show = (opening: Promise<OpenTab>) => void opening.then((tab) => shown.push(tab))
  show(openTab(browser, office, { expires }, { ...link, db: db as never }))
  show(openTab(browser, office, { expires, partial: true }))
  await pause(30)
  expect(shown).toEqual([])
})

test.each([
  ['other columns', { age: attribute.long() }],
  ['other relations', { older: attribute.alias('manager.name') }],
])(
  'a tab with %s than the tab with the stream is refused, and sends what waits after it',
  async (_, more) => {
    const other = { code: 'modelDiffers', message: expect.stringContaining('Another tab holds') }
    const office = createOffice()
    const browser = new MemoryBrowser()
    const [Company, Employee] = CLASSES
    const attributes = { ...Employee.attributes, ...more }
    const dataClasses = [Company, defineDataClass('Employee', attributes)] as never
    const renewed = serve(dataClasses)
    const first = await openTab(browser, office)
    await until(() => first.replica.state === 'current')
    await expect(openTab(browser, renewed, { dataClasses })).rejects.toMatchObject(other)
    first.cut()
    await hire(first, 'Mine')
    await first.replica.close()
    const second = await openTab(browser, renewed, { dataClasses })
    await second.replica.current()
    expect(renewed.store.Employee.query('name = Mine').count).toBe(1)
    const third = await openTab(browser, renewed, { dataClasses })
    expect(third.replica.store.Employee.all().count).toBe(1)
    await third.replica.close()
    // The page of before, from a cache.
    await expect(openTab(browser, office)).rejects.toMatchObject(other)
    await second.replica.close()
  },
)

test.each([false, true])(
  'another login hides the data in all tabs, with partial: %s',
  async (partial) => {
    const office = withUsers()
    const browser = new MemoryBrowser()
    const first = await openTab(browser, office, { partial })
    const second = await openTab(browser, office, { partial })
    first.cut()
    await hire(first, 'Mine')
    office.session.user = 'bob'
    first.connect()
    for (const { replica } of [first, second]) {
      // A request with batches may have been refused before.
      await until(() => (replica.error as { code?: string } | null)?.code === 'anotherUser')
      expect(replica.state).toBe('refused')
      expect(() => replica.store.Employee.all().count).toThrow(/does not hold/)
    }
    await expect(openTab(browser, office)).rejects.toMatchObject({ code: 'anotherUser' })
    await expect(openTab(browser, office, { user: 'bob' })).rejects.toMatchObject({
      code: 'anotherUser',
    })
    // The user who made the transaction logs in again.
    office.session.user = 'ann'
    first.replica.reconnect()
    await second.replica.current()
    expect(second.replica.store.Employee.all().count).toBe(2)
    expect(second.replica.error).toBe(null)
    await second.replica.close()
    await first.replica.close()
  },
)

test('the shapes of reshape outlive the tab with the stream, and not all tabs', async () => {
  const office = createOffice()
  const browser = new MemoryBrowser()
  const first = await openTab(browser, office)
  const second = await openTab(browser, office)
  // Asked for by the tab with the stream, then by one that follows.
  await first.replica.reshape({ Company: null })
  await first.replica.close()
  await second.replica.current()
  await hire(second, 'A')
  await second.replica.current()
  expect(isHeld(second)).toBe(false)
  const third = await openTab(browser, office)
  await third.replica.reshape({ Company: true })
  await third.replica.reshape({ Company: null })
  await second.replica.close()
  await third.replica.close()
  // The options count again, also after a transaction of another tab.
  const fourth = await openTab(browser, office)
  await fourth.replica.current()
  const fifth = await openTab(browser, office)
  await (await hire(fifth, 'B')).outcome
  await fourth.replica.current()
  await until(() => isHeld(fifth))
  expect(isHeld(fourth)).toBe(true)
  await fifth.replica.close()
  await fourth.replica.close()
})
