import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal } from '@entia/core/node'
import { afterAll, expect, test, vi } from 'vitest'
import { replicate } from '../src/index.ts'
import { CLASSES, createOffice, linkTo, PAUSES } from './office.ts'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

test('a replica that is kept starts without a connection, and sends what waits', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-replica-'))
  folders.push(folder)
  const office = createOffice()
  const ann = office.store.Employee.insert({ name: 'Ann', salary: 10 })
  const bob = office.store.Employee.insert({ name: 'Bob', salary: 20 })
  const start = (link: ReturnType<typeof linkTo>) =>
    replicate(link.db, {
      dataClasses: CLASSES,
      shapes: { Employee: true, Company: true },
      keep: (store) => openJournal(store, folder),
      pauses: PAUSES,
    })
  const first = linkTo(office.rest)
  const replica = await start(first)
  first.cut()
  await replica.transact((tx) => tx.Employee.update(ann.ID, { salary: 11 }))
  await replica.transact((tx) => tx.Employee.update(bob.ID, { salary: 21 }))
  office.store.Employee.update(bob.ID, { salary: 99 })
  await replica.close()

  const second = linkTo(office.rest)
  second.cut()
  const again = await start(second)
  expect(again.state).not.toBe('current')
  expect(
    again.store.Employee.query('salary > 0')
      .orderBy('name')
      .toArray()
      .map((e) => e.salary),
  ).toEqual([11, 21])
  expect(again.waiting.count).toBe(2)
  expect(() => again.store.Company.query('city = Paris').count).not.toThrow()
  second.connect()
  await again.current()
  expect(office.store.Employee.get(ann.ID)).toMatchObject({ salary: 11, stamp: 2 })
  expect(second.wire.lines.join('')).toMatch(/"mode":"continue"/)
  expect(again.store.Employee.get(bob.ID)?.salary).toBe(99)
  expect(again.problems.count).toBe(1)
  await again.close()

  // The problem is kept too.
  const third = await start(linkTo(office.rest))
  expect(third.problem(third.problems.first()!.number)?.conflicts).toHaveLength(1)
  await third.solve(third.problems.first()!.number, 'mine')
  await third.current()
  expect(office.store.Employee.get(bob.ID)?.salary).toBe(21)
  await third.close()
})

test('other shapes than those that are kept are answered once they are here', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-replica-'))
  folders.push(folder)
  const office = createOffice()
  office.store.Company.insert({ name: 'A', city: 'Paris' })
  office.store.Company.insert({ name: 'B', city: 'Rome' })
  const start = (link: ReturnType<typeof linkTo>, filter: string) =>
    replicate(link.db, {
      dataClasses: CLASSES,
      shapes: { Company: { filter } },
      keep: (store) => openJournal(store, folder),
      pauses: PAUSES,
    })
  await (await start(office, 'city = Paris')).close()
  const link = linkTo(office.rest)
  link.cut()
  const replica = await start(link, 'city = Rome')
  expect(() => replica.store.Company.query('city = Rome')).toThrow(/notReplicated|does not hold/)
  expect(replica.store.Company.query('city = Paris').count).toBe(1)
  link.connect()
  await replica.current()
  expect(
    replica.store.Company.query('city = Rome')
      .toArray()
      .map(({ name }) => name),
  ).toEqual(['B'])
  expect(() => replica.store.Company.query('city = Paris')).toThrow(/does not hold/)
  await replica.close()
})

test('forget leaves nothing of the data in the files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-replica-'))
  folders.push(folder)
  const office = createOffice()
  office.store.Company.insert({ name: 'Confidential' })
  const replica = await replicate(office.db, {
    dataClasses: CLASSES,
    shapes: { Company: true },
    keep: (store) => openJournal(store, folder),
    pauses: PAUSES,
  })
  const contents = async (): Promise<string> => {
    const names = await readdir(folder)
    const files = names.filter((name) => name !== 'lock')
    return (await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')))).join()
  }
  expect(await contents()).not.toBe('')
  await replica.transact((tx) => tx.Company.insert({ name: 'Second' }))
  await replica.current()
  expect(await contents()).toContain('Confidential')
  await replica.forget()
  expect(await contents()).not.toMatch(/Confidential|Second/)
})

test('a journal that cannot be written is reported once per failure, until it can be', async () => {
  const office = createOffice()
  const errors: unknown[] = []
  let failure: string | null = null
  let attempts = 0
  const attempt = async (): Promise<void> => {
    attempts++
    if (failure !== null) throw new Error(failure)
  }
  const replica = await replicate(office.db, {
    dataClasses: CLASSES,
    shapes: { Employee: true, Company: true },
    pauses: PAUSES,
    keep: async () => ({ flush: attempt, compact: attempt, close: async () => {} }),
    onError: (error) => errors.push((error as Error).message),
  })
  /** Fails so for several attempts. */
  const failing = async (next: string): Promise<void> => {
    failure = next
    const until = attempts + 12
    await vi.waitFor(() => expect(attempts).toBeGreaterThan(until), { timeout: 60_000 })
  }
  failure = 'full'
  await replica.transact((tx) => tx.Employee.insert({ name: 'Ann' })).catch(() => {})
  await failing('full')
  await failing('gone')
  await failing('full')
  expect(errors).toEqual(['full', 'gone'])
  failure = null
  await replica.current()
  expect(office.store.Employee.all().count).toBe(1)
  failure = 'full'
  await replica.transact((tx) => tx.Employee.insert({ name: 'Bob' })).catch(() => {})
  await failing('full')
  expect(errors).toEqual(['full', 'gone', 'full'])
  failure = null
  await replica.current()
  await replica.close()
})
