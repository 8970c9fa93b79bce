import { where } from '@entia/core/query'
import { replicate } from '@entia/replica'
import { BTreeIndex, createCollection, createLiveQueryCollection, eq, gt } from '@tanstack/db'
import { expect, test } from 'vitest'
import { entiaCollectionOptions, MutationError } from '../src/index.ts'
import { CLASSES, createOffice, keyAt } from './office.ts'

/** A collection of tasks of a server that has three. */
function createTasks(syncMode: 'on-demand' | 'eager') {
  const office = createOffice()
  office.store.Task.load([
    { title: 'Read', rank: 1 },
    { title: 'Write', rank: 2 },
    { title: 'Rest', rank: 3 },
  ])
  const options = entiaCollectionOptions({ dataClass: office.db.Task, key: 'ID', syncMode })
  const tasks = createCollection({ ...options, autoIndex: 'eager', defaultIndexType: BTreeIndex })
  return { ...office, tasks }
}

test('a live query loads what it needs, and follows it', async () => {
  const { store, tasks, requests } = createTasks('on-demand')
  const late = createLiveQueryCollection((q) =>
    q
      .from({ task: tasks })
      .where(({ task }) => gt(task.rank, 1))
      .orderBy(({ task }) => task.rank)
      .select(({ task }) => ({ title: task.title })),
  )
  await late.preload()
  const titles = () => late.toArray.map(({ title }) => title)
  expect(titles()).toEqual(['Write', 'Rest'])
  expect(tasks.size).toBe(2)
  store.Task.insert({ title: 'Plan', rank: 2.5 })
  store.Task.update(3, { rank: 1 })
  await expect.poll(titles).toEqual(['Write', 'Plan'])
  expect(requests.filter((each) => each.includes('$live'))).toHaveLength(1)
})

test('a page of many entities loads the page, also under a condition on a text', async () => {
  const { store, db } = createOffice()
  store.Task.load(
    Array.from({ length: 1000 }, (_, at) => ({ title: at % 2 ? 'Read' : 'read', rank: at })),
  )
  const tasks = createCollection({
    ...entiaCollectionOptions({ dataClass: db.Task, key: 'ID' }),
    autoIndex: 'eager',
    defaultIndexType: BTreeIndex,
  })
  const newest = createLiveQueryCollection((q) =>
    q
      .from({ task: tasks })
      .where(({ task }) => eq(task.title, 'Read'))
      .orderBy(({ task }) => task.rank, 'desc')
      .limit(3),
  )
  await newest.preload()
  const ranks = () => newest.toArray.map(({ rank }) => rank)
  expect(ranks()).toEqual([999, 997, 995])
  expect(tasks.size).toBeLessThan(20)
  store.Task.remove(1000)
  store.Task.insert({ title: 'Read', rank: 5000 })
  await expect.poll(ranks).toEqual([5000, 997, 995])
  expect(tasks.size).toBeLessThan(30)
})

test('a page in the order of a text loads everything that matches', async () => {
  const { tasks, requests } = createTasks('on-demand')
  const first = createLiveQueryCollection((q) =>
    q
      .from({ task: tasks })
      .orderBy(({ task }) => task.title)
      .limit(1),
  )
  await first.preload()
  expect(first.toArray.map(({ title }) => title)).toEqual(['Read'])
  expect(tasks.size).toBe(3)
  expect(requests.some((each) => each.includes('$top'))).toBe(false)
})

test('a join loads the entities that it meets', async () => {
  const { store, db } = createOffice()
  store.Company.load([1, 2, 3].map((ID) => ({ ID, name: `Company ${ID}` })))
  store.Employee.load([{ ID: keyAt(1), name: 'Ann', employer: 2 }])
  const companies = createCollection({
    ...entiaCollectionOptions({ dataClass: db.Company, key: 'ID' }),
    autoIndex: 'eager',
    defaultIndexType: BTreeIndex,
  })
  const employees = createCollection(entiaCollectionOptions({ dataClass: db.Employee, key: 'ID' }))
  const employed = createLiveQueryCollection((q) =>
    q
      .from({ employee: employees })
      .join({ company: companies }, ({ employee, company }) =>
        eq(employee.employer?.key, company.ID),
      )
      .select(({ employee, company }) => ({ name: employee.name, company: company?.name })),
  )
  await employed.preload()
  await expect.poll(() => employed.toArray).toMatchObject([{ name: 'Ann', company: 'Company 2' }])
  expect(companies.size).toBe(1)
})

test('a collection has only the entities of its filter', async () => {
  const { db, store } = createTasks('eager')
  const late = createCollection(
    entiaCollectionOptions({
      dataClass: db.Task,
      key: 'ID',
      filter: where(db.Task)('rank', '>', 1),
      syncMode: 'eager',
    }),
  )
  await late.preload()
  expect([...late.keys()]).toEqual([2, 3])
  store.Task.update(2, { rank: 0 })
  await expect.poll(() => [...late.keys()]).toEqual([3])
})

test('a change shows at once, and is never replaced by the state before it', async () => {
  const { store, tasks } = createTasks('eager')
  await tasks.preload()
  const shown: unknown[] = []
  tasks.subscribeChanges((changes) => {
    for (const { value } of changes) shown.push(value.title)
  })
  const saved = tasks.update(1, (draft) => {
    draft.title = 'Look'
  })
  expect(tasks.get(1)?.title).toBe('Look')
  await saved.isPersisted.promise
  expect(tasks.get(1)).toMatchObject({ title: 'Look', stamp: 2 })
  expect(store.Task.get(1)?.title).toBe('Look')
  expect(new Set(shown)).toEqual(new Set(['Look']))
})

test('changes of one row follow each other without a conflict', async () => {
  const { store, tasks } = createTasks('eager')
  await tasks.preload()
  const edits = ['a', 'b', 'c'].map((title) =>
    tasks.update(1, (draft) => {
      draft.title = title
    }),
  )
  const removed = tasks.delete(2)
  await Promise.all([...edits, removed].map(({ isPersisted }) => isPersisted.promise))
  expect(tasks.get(1)).toMatchObject({ title: 'c', stamp: 4 })
  expect(store.Task.all().keys()).toEqual([1, 3])
})

test('a conflict rejects, and the collection shows what somebody else has saved', async () => {
  const { store, tasks } = createTasks('eager')
  await tasks.preload()
  store.Task.update(1, { title: 'theirs' })
  const mine = tasks.update(1, (draft) => {
    draft.title = 'mine'
  })
  const error = await mine.isPersisted.promise.catch((each: unknown) => each)
  expect(error).toBeInstanceOf(MutationError)
  expect(error).toMatchObject({
    message:
      'Task 1 was saved by somebody else since it was read. The collection shows what they saved.',
    dataClass: 'Task',
    key: 1,
    outcome: { kind: 'stampChanged', current: { title: 'theirs' } },
  })
  expect(tasks.get(1)?.title).toBe('theirs')
  expect(store.Task.get(1)?.title).toBe('theirs')
})

test('a stale row is not deleted', async () => {
  const { store, tasks } = createTasks('eager')
  await tasks.preload()
  store.Task.update(1, { title: 'theirs' })
  const error = await tasks.delete(1).isPersisted.promise.catch((each: unknown) => each)
  expect(error).toBeInstanceOf(MutationError)
  await expect.poll(() => tasks.get(1)?.title).toBe('theirs')
  expect(store.Task.get(1)?.title).toBe('theirs')
})

test('of several rows all are saved, or none', async () => {
  const { store, tasks } = createTasks('eager')
  await tasks.preload()
  const edit = tasks.update([1, 2, 3], (drafts) => {
    for (const [at, draft] of drafts.entries()) draft.rank = 1 - at
  })
  const error = await edit.isPersisted.promise.catch((each: unknown) => each)
  expect(error).toMatchObject({ key: 3, outcome: { kind: 'refused' } })
  expect(
    store.Task.all()
      .toArray()
      .map(({ rank }) => rank),
  ).toEqual([1, 2, 3])
  expect(tasks.toArray.map(({ rank }) => rank)).toEqual([1, 2, 3])
})

test('a row with a temporary key gets that of the server, and can be changed before', async () => {
  const { store, tasks } = createTasks('eager')
  await tasks.preload()
  const ID = tasks.utils.temporaryKey()
  const inserted = tasks.insert({ ID, title: 'Plan', rank: 4 })
  const changed = tasks.update(ID, (draft) => {
    draft.title = 'Plan more'
  })
  expect(tasks.get(ID)?.title).toBe('Plan more')
  await inserted.isPersisted.promise
  await changed.isPersisted.promise
  expect(tasks.get(4)).toMatchObject({ title: 'Plan more', stamp: 2 })
  expect(tasks.has(ID)).toBe(false)
  expect(store.Task.get(4)?.title).toBe('Plan more')
})

test('a new row stays also where no live query has it', async () => {
  const { store, tasks } = createTasks('on-demand')
  const plan = tasks.insert({ ID: 9, title: 'Plan', rank: 4 })
  await plan.isPersisted.promise
  expect(tasks.get(9)?.title).toBe('Plan')
  store.Task.update(9, { title: 'Plan more' })
  await expect.poll(() => tasks.get(9)?.title).toBe('Plan more')
})

test('without a connection a change rejects; after it the collection follows again', async () => {
  const { store, tasks, cut, connect } = createTasks('eager')
  await tasks.preload()
  cut()
  const lost = tasks.update(1, (draft) => {
    draft.title = 'lost'
  })
  await expect(lost.isPersisted.promise).rejects.toMatchObject({ status: 0 })
  expect(tasks.get(1)?.title).toBe('Read')
  store.Task.update(1, { title: 'theirs' })
  connect()
  await expect.poll(() => tasks.get(1)?.title).toBe('theirs')
})

test('a refused request is the error of the live query', async () => {
  const { db } = createOffice({ live: false })
  const tasks = createCollection(entiaCollectionOptions({ dataClass: db.Task, key: 'ID' }))
  const all = createLiveQueryCollection((q) => q.from({ task: tasks }))
  await expect(all.preload()).rejects.toThrow('live')
})

test('the conditions of a collection share one live query', async () => {
  const { store, tasks, requests } = createTasks('on-demand')
  const above = (rank: number) =>
    createLiveQueryCollection((q) =>
      q.from({ task: tasks }).where(({ task }) => gt(task.rank, rank)),
    )
  const [some, all] = [above(2), above(0)]
  await some.preload()
  await all.preload()
  const followed = requests.filter((each) => each.includes('$live'))
  expect(followed.at(-1)).toContain('rank > :1 or rank > :2')
  await all.cleanup()
  store.Task.insert({ title: 'Plan', rank: 4 })
  await expect.poll(() => some.size).toBe(2)
  await some.cleanup()
  await tasks.cleanup()
  expect(tasks.size).toBe(0)
})

test('rows of a replica follow it, and changes wait there for a connection', async () => {
  const { store, db, cut } = createOffice()
  store.Employee.load([1, 2, 3].map((at) => ({ ID: keyAt(at), name: `Name ${at}`, salary: at })))
  const replica = await replicate(db, { dataClasses: CLASSES, shapes: { Employee: true } })
  const employees = createCollection(
    entiaCollectionOptions({ dataClass: replica.store.Employee, replica, key: 'ID' }),
  )
  const rich = createLiveQueryCollection((q) =>
    q
      .from({ employee: employees })
      .where(({ employee }) => gt(employee.salary, 1))
      .orderBy(({ employee }) => employee.salary, 'desc'),
  )
  await rich.preload()
  const names = () => rich.toArray.map(({ name }) => name)
  expect(names()).toEqual(['Name 3', 'Name 2'])
  store.Employee.update(keyAt(1), { salary: 9 })
  await expect.poll(names).toEqual(['Name 1', 'Name 3', 'Name 2'])
  cut()
  const ID = keyAt(4)
  await employees.insert({ ID, name: 'Name 4', salary: 4 }).isPersisted.promise
  const renamed = employees.update(ID, (draft) => {
    draft.name = 'New name'
  })
  await renamed.isPersisted.promise
  await employees.delete(keyAt(2)).isPersisted.promise
  expect(names()).toEqual(['Name 1', 'New name', 'Name 3'])
  expect(replica.waiting.count).toBe(3)
  expect(store.Employee.all().count).toBe(3)
  await replica.close()
})
