import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { createRestHandler, ReplicaState } from '@entia/rest'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ReplicateOptions, replicate } from '../src/index.ts'
import { CLASSES, createOffice, linkTo, PAUSES } from './office.ts'
import { until } from './waiting.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-replica-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true, force: true })
})

const keep = (store: Parameters<typeof openJournal>[0]) => openJournal(store, folder)
const SHAPES = { Employee: { filter: 'salary > 0' } }
const start = (
  link: Pick<ReturnType<typeof linkTo>, 'db'>,
  more: Partial<ReplicateOptions<typeof CLASSES>> = {},
) => replicate(link.db, { dataClasses: CLASSES, shapes: SHAPES, keep, pauses: PAUSES, ...more })
const contents = async (): Promise<string> => {
  const files = (await readdir(folder)).filter((name) => name !== 'lock')
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')))).join()
}

/** Waits until the folder has what is confidential, or has not. */
const untilKept = (isKept: boolean) =>
  expect.poll(async () => (await contents()).includes('Confidential')).toBe(isKept)

/** An office whose users log in by a header of the link. */
function withUsers() {
  let user: string | null = 'ann'
  const office = createOffice({
    identify: () => (user === null ? null : { ID: user }),
    authorize: ({ dataClass, action, attribute, user: asking }) =>
      asking?.ID !== 'ann' &&
      dataClass === 'Employee' &&
      action === 'read' &&
      attribute === undefined
        ? 'salary < 50'
        : true,
  })
  office.store.Employee.insert({ name: 'Low', salary: 10 })
  office.store.Employee.insert({ name: 'Confidential', salary: 90 })
  return {
    ...office,
    as(next: string | null) {
      user = next
    },
  }
}

test('a kept replica whose relations lead to entities that it does not hold is opened again', async () => {
  const office = createOffice()
  const employer = office.store.Company.insert({ name: 'Elsewhere' })
  office.store.Employee.insert({ name: 'Ann', salary: 10, employer })
  await (await start(office)).close()
  const link = linkTo(office.rest)
  link.cut()
  const again = await start(link)
  expect(again.store.Employee.query('salary > 0').count).toBe(1)
  await again.close()
})

test('data of another user are removed before they are shown, if the program names the user', async () => {
  const office = withUsers()
  await (await start(office)).close()
  expect(await contents()).toContain('Confidential')
  office.as('bob')
  const link = linkTo(office.rest)
  link.cut()
  await expect(start(link, { user: 'bob' })).rejects.toThrow()
  expect(await contents()).not.toContain('Confidential')
})

test('another login removes the data and begins as another replica', async () => {
  const office = withUsers()
  const replica = await start(office)
  const own = replica.store.Employee
  expect(own.query('salary > 0').count).toBe(2)
  office.as('bob')
  office.cut()
  office.connect()
  await until(() => own.query('salary > 0').count === 1)
  await replica.current()
  const sent = await replica.transact((tx) => tx.Employee.insert({ name: 'New', salary: 20 }))
  expect((await sent.outcome).kind).toBe('applied')
  await until(() => office.store.ReplicaState.query("user = 'bob'").count === 1)
  await replica.close()
  expect(await contents()).not.toContain('Confidential')
})

test.each(['an entity', 'an attribute', 'a shape'])(
  'a journal does not keep what the server no longer sends: %s',
  async (what) => {
    for (const isOnline of [true, false]) {
      let isRevoked = false
      const office = createOffice({
        authorize: ({ dataClass, action, attribute }) => {
          if (!isRevoked || action !== 'read' || dataClass !== 'Employee') return true
          if (what === 'an attribute') return attribute !== 'name'
          return attribute === undefined && what === 'an entity' ? 'salary < 50' : true
        },
      })
      office.store.Employee.insert({ name: 'Low', salary: 10 })
      office.store.Employee.insert({ name: 'Confidential', salary: 90 })
      const replica = await start(office, { partial: true })
      await untilKept(true)
      isRevoked = true
      if (!isOnline) office.cut()
      const reshaped =
        what === 'a shape' && replica.reshape({ Employee: { filter: 'salary < 50' } })
      if (!isOnline) office.connect()
      else if (what !== 'a shape') office.rest.permissionsChanged()
      await reshaped
      const names = () => Array.from(replica.store.Employee.all(), ({ name }) => name)
      const left = what === 'an attribute' ? [null, null] : ['Low']
      await until(() => JSON.stringify(names()) === JSON.stringify(left))
      // While the program runs: a device is lost as it is.
      await untilKept(false)
      await replica.close()
      const again = await start(office, { partial: true })
      await until(() => again.store.Employee.count === (what === 'an entity' ? 1 : 2))
      await again.forget()
    }
  },
)

test('transactions of another user are neither sent nor lost, and name what to do', async () => {
  const office = withUsers()
  const replica = await start(office)
  office.cut()
  const sent = await replica.transact((tx) => tx.Employee.insert({ name: 'Mine', salary: 20 }))
  office.as('bob')
  office.connect()
  await until(() => (replica.error as { code?: string } | null)?.code === 'anotherUser')
  expect(replica.state).toBe('refused')
  expect((replica.error as Error).message).toMatch(/1 transactions/)
  expect(() => replica.store.Employee.query('salary > 0')).toThrow(/does not hold/)
  expect(office.store.Employee.query('name = Mine').count).toBe(0)
  // The same at the next start.
  await replica.close()
  await expect(start(office, { user: 'bob' })).rejects.toMatchObject({ code: 'anotherUser' })
  office.as('ann')
  const again = await start(office, { user: 'ann' })
  await again.current()
  expect(office.store.Employee.query('name = Mine').count).toBe(1)
  expect(sent.number).toBe(1)
  await again.close()
  office.as('bob')
  const dropped = await start(office, { user: 'bob', drop: true })
  expect(dropped.store.Employee.query('salary > 0').count).toBe(2)
  await dropped.close()
})

test('a replica that was refused goes on after a login', async () => {
  let user: string | null = 'ann'
  const office = createOffice({
    identify: () => (user === null ? null : { ID: user }),
    authorize: ({ user: asking }) => asking !== null,
  })
  office.store.Employee.insert({ name: 'Ann', salary: 1 })
  const replica = await start(office)
  user = null
  office.cut()
  office.connect()
  await until(() => replica.state === 'refused')
  await replica.transact((tx) => tx.Employee.insert({ name: 'Eve', salary: 2 }))
  expect(replica.waiting.count).toBe(1)
  user = 'ann'
  replica.reconnect()
  await replica.current()
  expect(office.store.Employee.query('name = Eve').count).toBe(1)
  await replica.close()
})

test('an expired replica is removed, or waits for the server if it has transactions', async () => {
  const office = createOffice()
  office.store.Employee.insert({ name: 'Confidential', salary: 1 })
  const expires = { days: 30 }
  await (await start(office, { expires })).close()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 29 * 86_400_000 })
  const link = linkTo(office.rest)
  link.cut()
  const inTime = await start(link, { expires })
  expect(inTime.store.Employee.query('salary > 0').count).toBe(1)
  await inTime.transact((tx) => tx.Employee.insert({ name: 'Mine', salary: 2 }))
  await inTime.close()
  vi.setSystemTime(Date.now() + 31 * 86_400_000)
  await expect(start(link, { expires })).rejects.toThrow()
  const later = await start(office, { expires })
  await later.current()
  expect(office.store.Employee.query('name = Mine').count).toBe(1)
  await later.close()
  vi.setSystemTime(Date.now() + 31 * 86_400_000)
  await expect(start(link, { expires })).rejects.toThrow()
  expect(await contents()).not.toContain('Confidential')
})

test.each([
  { expires: { days: Number.NaN } },
  { expires: { days: '30' } },
  { expires: { day: 30 } },
  { expires: {} },
  { expires: 30 },
  { expires: null },
  { pauses: { first: 10, longest: Number.NaN } },
  { pauses: { first: 0, longest: 10 } },
  { pauses: 100 },
])('wrong options are refused before anything is read: %j', async (wrong) => {
  const opening = start(createOffice(), wrong as never)
  await expect(opening).rejects.toMatchObject({ code: 'argumentInvalid' })
  expect(await readdir(folder)).toEqual([])
})

test('with other definitions a kept replica waits for the server, and keeps what waits', async () => {
  const version = (more: object) =>
    defineDataClass('Note', {
      ID: attribute.uuid({ key: true, autoSequence: true }),
      text: attribute.string(),
      ...more,
    })
  const Other = defineDataClass('Other', {
    ID: attribute.uuid({ key: true, autoSequence: true }),
    text: attribute.string(),
  })
  const Old = version({ old: attribute.string() })
  const New = version({ rank: attribute.number() })
  const serve = (Note: typeof Old) => {
    const store = createDataStore({ name: 'notes', dataClasses: [Note, Other, ReplicaState] })
    const rest = createRestHandler(store, { replicas: true })
    return { store, ...linkTo(rest) }
  }
  const begin = (link: Pick<ReturnType<typeof linkTo>, 'db'>, Note: typeof Old) =>
    replicate(link.db, {
      dataClasses: [Note, Other],
      shapes: { Note: true, Other: true },
      keep,
      pauses: PAUSES,
    })
  const before = serve(Old)
  const { ID } = before.store.Note.insert({ text: 'a' })
  before.store.Other.insert({ text: 'kept' })
  const replica = await begin(before, Old)
  before.cut()
  await replica.transact((tx) => tx.Note.update(ID, { text: 'b' }))
  await replica.transact((tx) => tx.Note.insert({ text: 'c', old: 'gone' } as never))
  await replica.close()

  const after = serve(New as never)
  after.store.Note.insert({ ID, text: 'a', rank: 5 } as never)
  after.cut()
  await expect(begin(after, New as never)).rejects.toThrow()
  after.connect()
  const again = await begin(after, New as never)
  expect(again.store.Note.get(ID)).toMatchObject({ text: 'b', rank: 5 })
  await until(() => again.problems.count === 1 && again.waiting.count === 0)
  expect(after.store.Note.get(ID)).toMatchObject({ text: 'b', rank: 5 })
  const [problem] = again.problems.toArray().map(({ number }) => again.problem(number))
  expect(problem?.errors[0]?.message).toMatch(/old/)
  await again.close()
  // The files continue with the new definitions.
  after.cut()
  const third = await begin(after, New as never)
  expect(third.store.Note.get(ID)).toMatchObject({ text: 'b', rank: 5 })
  expect(third.problems.count).toBe(1)
  await third.close()
})

test('a value of another type than the definitions have is refused by name', async () => {
  const version = (ofText: ReturnType<typeof attribute.string>) =>
    defineDataClass('Note', { ID: attribute.uuid({ key: true }), text: ofText })
  const Note = version(attribute.string())
  const store = createDataStore({ name: 'notes', dataClasses: [Note, ReplicaState] })
  store.Note.insert({ ID: '0'.repeat(31) + '1', text: 'a' })
  const link = linkTo(createRestHandler(store, { replicas: true }))
  const wrong = replicate(link.db, {
    dataClasses: [version(attribute.number() as never)],
    shapes: { Note: true },
    pauses: PAUSES,
  })
  await expect(wrong).rejects.toMatchObject({ code: 'modelDiffers' })
  await expect(wrong).rejects.toThrow(/"Note.text" that is not a number/)
})
