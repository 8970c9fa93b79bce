import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { codeOf, refusalOf, TestStore } from './firm-store.ts'

type Hooks = NonNullable<Parameters<typeof defineDataClass>[2]>['hooks']

/** A store of tasks whose hooks may write to it. */
function taskStore(hooksOf: (store: () => TestStore) => object): TestStore {
  const Task = defineDataClass(
    'Task',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ unique: true, notNull: true, default: 'new' }),
      count: attribute.long({ default: 0, min: 0 }),
      seal: attribute.string({ readOnly: true }),
      data: attribute.object<{ tags: string[] }>({ default: { tags: [] } }),
      due: attribute.date(),
      parent: attribute.relatedEntity('Task', { onDelete: 'cascade' }),
    },
    { hooks: hooksOf(() => store) as Hooks as never },
  )
  const store: TestStore = new TestStore([Task])
  return store
}

test('init runs for new entities only, before their values are set', () => {
  const store = taskStore(() => ({
    init: (draft: { name: string; count: number; seal: string }) => {
      draft.name += ' task'
      draft.count = 7
      draft.seal = 'by init'
    },
  }))
  store.insert('Task', { count: 1 })
  store.update('Task', 1, { count: 2 })
  expect(store.read('Task', 1)).toMatchObject({
    name: 'new task',
    count: 2,
    seal: 'by init',
    stamp: 2,
  })
})

test('beforeSave receives the draft and the entity before, and its changes are checked and saved', () => {
  const seen: unknown[] = []
  const store = taskStore(() => ({
    beforeSave: (
      draft: Record<string, unknown>,
      context: { before: { name: string } | null; session: unknown },
    ) => {
      seen.push([draft.ID, draft.name, draft.due, context.before?.name, context.session])
      ;(draft.data as { tags: string[] }).tags.push('saved')
      draft.seal = 'sealed'
      if (draft.name === 'negative') draft.count = -1
      if (draft.name === 'text') draft.count = 'many'
      if (draft.name === 'odd') draft.nope = 1
      if (draft.name === 'other key') draft.ID = 9
      if (draft.name === 'parent') draft.parent = 1
    },
  }))
  store.writer.context.as('session', () => store.insert('Task', { name: 'a', due: '2024-02-29' }))
  store.update('Task', 1, { name: 'b' })
  expect(seen).toEqual([
    [1, 'a', '2024-02-29T00:00:00.000Z', undefined, 'session'],
    [1, 'b', '2024-02-29T00:00:00.000Z', 'a', null],
  ])
  expect(store.read('Task', 1)).toMatchObject({
    seal: 'sealed',
    data: { tags: ['saved', 'saved'] },
  })
  expect(codeOf(() => store.update('Task', 1, { name: 'negative' }))).toBe('validationFailed')
  expect(codeOf(() => store.update('Task', 1, { name: 'text' }))).toBe('valueInvalid')
  expect(codeOf(() => store.update('Task', 1, { name: 'odd' }))).toBe('attributeNotFound')
  expect(codeOf(() => store.update('Task', 1, { name: 'other key' }))).toBe('attributeReadOnly')
  store.update('Task', 1, { name: 'parent' })
  expect(store.read('Task', 1)).toMatchObject({ parent: 1, stamp: 3 })
  expect(codeOf(() => store.update('Task', 1, { seal: 'mine' }))).toBe('attributeReadOnly')
})

test('an entity is not saved if a hook undoes its only change', () => {
  const store = taskStore(() => ({
    beforeSave: (draft: { count: number }) => {
      draft.count = 0
    },
  }))
  store.insert('Task', {})
  store.update('Task', 1, { count: 5 })
  expect(store.read('Task', 1)).toMatchObject({ count: 0, stamp: 1 })
  expect(store.writer.globalStamp).toBe(1)
})

test('all failures of an entity are reported, with those of its hooks', () => {
  const store = taskStore(() => ({
    validateSave: (task: { name: string | null }) => {
      if (task.name === 'stop') return { errCode: 10001, message: 'stopped' }
      return task.name!.length > 20 ? { errCode: 10002, message: 'long' } : undefined
    },
  }))
  const stopped = refusalOf(() => store.insert('Task', { name: 'stop', count: -1 }))
  expect(stopped.code).toBe('validationFailed')
  const failures = (stopped.details as unknown as { failures: { code: string; errCode: number }[] })
    .failures
  expect(failures.map(({ code, errCode }) => [code, errCode])).toEqual([
    ['valueTooSmall', 1568],
    ['hookRefused', 10001],
  ])
  // The hook throws on a name that is null; the reported error is the null name.
  const empty = refusalOf(() => store.insert('Task', { name: null }))
  expect(
    (empty.details as unknown as { failures: { code: string }[] }).failures.map(({ code }) => code),
  ).toEqual(['notNullViolation'])
})

test.each<[string, unknown, string]>([
  ['a promise', Promise.resolve(undefined), 'promiseReturned'],
  // biome-ignore lint/suspicious/noThenProperty: what is refused
  ['anything with a then', { then: () => {} }, 'promiseReturned'],
  ['false', false, 'hookFailed'],
  ['a refusal without message', { errCode: 10001 }, 'hookFailed'],
  ['a refusal whose code is not a number', { errCode: 'x', message: 'no' }, 'hookFailed'],
])('a validateSave that returns %s is refused by name', (_, answer, code) => {
  const store = taskStore(() => ({ validateSave: () => answer }))
  const before = store.state()
  const refusal = refusalOf(() => store.insert('Task', {}))
  expect(refusal.code).toBe(code)
  expect(refusal.message).toContain('"validateSave"')
  expect(store.state()).toBe(before)
})

test('an error thrown by a hook is the cause of hookFailed; an error of the store is passed on', () => {
  const cause = new RangeError('inside')
  const store = taskStore((self) => ({
    beforeSave: (draft: { name: string }) => {
      if (draft.name === 'throws') throw cause
      if (draft.name === 'store') self().update('Task', 99, {})
    },
  }))
  const refusal = refusalOf(() => store.insert('Task', { name: 'throws' }))
  expect(refusal).toMatchObject({ code: 'hookFailed', cause })
  expect(codeOf(() => store.insert('Task', { name: 'store' }))).toBe('entityNotFound')
})

test('writes of hooks join the transaction', () => {
  const store = taskStore((self) => ({
    beforeSave: (draft: { name: string; parent: unknown }) => {
      if (draft.name.startsWith('child'))
        draft.parent = self().insert('Task', { name: `parent of ${draft.name}` }) + 1
    },
  }))
  store.insert('Task', { name: 'child' })
  expect(store.writer.globalStamp).toBe(1)
  expect(store.keys('Task')).toEqual([2, 1])
  const before = store.state()
  expect(codeOf(() => store.insert('Task', { name: 'child' }))).toBe('uniqueViolation')
  expect(store.state()).toBe(before)
})

test('a transaction fails if a save is refused after its hook has written, even if the error is caught', () => {
  const store = taskStore((self) => ({
    beforeSave: (draft: { name: string }) => {
      if (draft.name === 'noisy') self().insert('Task', { name: 'noise' })
    },
    validateSave: (task: { name: string }) =>
      task.name === 'noisy' ? { errCode: 10001, message: 'no' } : undefined,
  }))
  const before = store.state()
  const refused = codeOf(() => {
    store.writer.transact(() => {
      store.insert('Task', { name: 'first' })
      expect(codeOf(() => store.insert('Task', { name: 'noisy' }))).toBe('validationFailed')
    })
  })
  expect(refused).toBe('validationFailed')
  expect(store.state()).toBe(before)
})

test('an endless chain of hooks is stopped', () => {
  const store = taskStore((self) => ({
    beforeSave: (draft: { name: string }) => {
      self().insert('Task', { name: `${draft.name}+` })
    },
  }))
  const before = store.state()
  expect(codeOf(() => store.insert('Task', {}))).toBe('hookTooDeep')
  expect(store.state()).toBe(before)
  store.verify()
})

test('a hook may write to the entity that is being saved', () => {
  const store = taskStore((self) => ({
    beforeSave: (draft: { ID: number; name: string }) => {
      if (draft.name === 'b') self().update('Task', draft.ID, { name: 'c', count: 3 })
      if (draft.name === 'gone') self().remove('Task', draft.ID)
    },
  }))
  store.insert('Task', { name: 'a' })
  store.update('Task', 1, { name: 'b' })
  expect(store.read('Task', 1)).toMatchObject({ name: 'b', count: 3, stamp: 3 })
  expect(codeOf(() => store.update('Task', 1, { name: 'gone' }))).toBe('entityNotFound')
  expect(store.keys('Task')).toEqual([1])
  store.verify()
})

test('validateRemove runs for cascaded entities too, and can refuse the removal', () => {
  const asked: string[] = []
  const store = taskStore(() => ({
    validateRemove: (task: { name: string }) => {
      asked.push(task.name)
      return task.name === 'held' ? { errCode: 10009, message: 'held' } : undefined
    },
  }))
  store.insert('Task', { name: 'root' })
  store.insert('Task', { name: 'leaf', parent: 1 })
  store.insert('Task', { name: 'held', parent: 2 })
  const before = store.state()
  expect(codeOf(() => store.remove('Task', 1))).toBe('validationFailed')
  expect(asked).toEqual(['root', 'leaf', 'held'])
  expect(store.state()).toBe(before)
  store.update('Task', 3, { name: 'free' })
  store.remove('Task', 1)
  expect(store.keys('Task')).toEqual([])
})

test('afterSave and afterRemove run once per entity after the commit, and their errors are only reported', () => {
  const seen: unknown[] = []
  const reported: unknown[] = []
  const store = taskStore((self) => ({
    afterSave: (
      task: { name: string; stamp: number },
      { before }: { before: { name: string } | null },
    ) => {
      seen.push(['saved', task.name, task.stamp, before?.name ?? null, self().writer.current])
      if (task.name === 'throws') throw new RangeError('after')
    },
    afterRemove: (task: { name: string }) => void seen.push(['removed', task.name]),
  }))
  store.writer.listeners.onError((error) => void reported.push(error))
  store.writer.transact(() => {
    store.insert('Task', { name: 'a' })
    store.update('Task', 1, { name: 'b' })
    store.writer.enter()
    store.update('Task', 1, { count: 4 })
    store.insert('Task', { name: 'never' })
    store.remove('Task', 2)
    expect(seen).toEqual([])
  })
  expect(seen).toEqual([['saved', 'b', 3, null, null]])
  seen.length = 0
  store.update('Task', 1, { name: 'throws' })
  expect(seen).toEqual([['saved', 'throws', 4, 'b', null]])
  expect(reported).toMatchObject([{ code: 'hookFailed', cause: new RangeError('after') }])
  seen.length = 0
  store.update('Task', 1, { name: 'throws' })
  store.remove('Task', 1)
  expect(seen).toEqual([['removed', 'throws']])
  seen.length = 0
  expect(codeOf(() => store.insert('Task', { count: -1 }))).toBe('validationFailed')
  expect(seen).toEqual([])
})

test('a save by afterSave is a transaction of its own', () => {
  const reported: { code: string }[] = []
  const store = taskStore((self) => ({
    afterSave: (task: { name: string }) => void self().insert('Task', { name: `${task.name}+` }),
  }))
  store.writer.listeners.onError((error) => void reported.push(error as { code: string }))
  store.insert('Task', { name: 'x' })
  expect(store.keys('Task')).toHaveLength(9)
  expect(store.writer.globalStamp).toBe(9)
  expect(reported.map(({ code }) => code)).toEqual(['hookTooDeep'])
})
