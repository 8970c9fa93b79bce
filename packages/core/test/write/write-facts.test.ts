import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, openDump } from '../../src/index.ts'
import { updateMany } from '../../src/write/update-all.ts'
import { codeOf, firmStore, refusalOf, TestStore } from './firm-store.ts'

const loose = (value: unknown) => value as never

describe('an attribute with one rule only', () => {
  const Ruled = defineDataClass('Ruled', {
    ID: attribute.long({ key: true, autoSequence: true }),
    long: attribute.string({ minLength: 2 }),
    short: attribute.string({ maxLength: 2 }),
    lower: attribute.string({ pattern: /^[a-z]*$/ }),
    least: attribute.number({ min: 1 }),
    most: attribute.number({ max: 1 }),
    given: attribute.bool({ notNull: true, default: true }),
  })
  test.each<[string, unknown, unknown, string]>([
    ['long', 'a', 'ab', 'textTooShort'],
    ['short', 'abc', 'ab', 'textTooLong'],
    ['lower', 'A', 'a', 'patternMismatch'],
    ['least', 0, 1, 'valueTooSmall'],
    ['most', 2, 1, 'valueTooLarge'],
    ['given', null, false, 'notNullViolation'],
  ])('%s: %j is refused in every way of writing, %j is not', (name, wrong, right, code) => {
    const store = createDataStore({ name: 'ruled', dataClasses: [Ruled] })
    store.Ruled.insert({})
    const ways = [
      (values: object) => store.Ruled.insert(values),
      (values: object) => store.Ruled.update(1, values),
      (values: object) => store.transact((tx) => tx.Ruled.insert(values)),
      (values: object) => store.transact((tx) => tx.Ruled.update(1, values)),
      (values: object) => store.Ruled.updateAll([{ key: 1, patch: values }]),
      (values: object) => store.Ruled.load([{}, values]),
    ]
    for (const write of ways) {
      const refusal = refusalOf(() => write({ [name]: wrong }))
      const { details } = (
        refusal.code === 'loadRefused' ? refusal.cause : refusal
      ) as typeof refusal
      expect(details).toMatchObject({ failures: [{ code, details: { attribute: name } }] })
      write({ [name]: right })
      if (name !== 'given') write({ [name]: null })
    }
    expect(store.Ruled.count).toBe(name === 'given' ? 5 : 9)
    store.verify()
  })
})

test('a value that a new rule forbids stays until it is changed', () => {
  const sizeWith = (options: { readonly max?: number }) =>
    defineDataClass('Size', {
      ID: attribute.long({ key: true }),
      size: attribute.number(options),
      name: attribute.string({ maxLength: 9 }),
    })
  const before = createDataStore({ name: 'sizes', dataClasses: [sizeWith({})] })
  before.Size.insert({ ID: 1, size: 5 })
  const store = openDump(before.dump(), { dataClasses: [sizeWith({ max: 1 })] })
  store.Size.update(1, { name: 'alone' })
  store.transact((tx) => tx.Size.update(1, { name: 'inside' }))
  store.Size.updateAll([{ key: 1, patch: { name: 'batch' } }])
  store.Size.update(1, { name: 'same', size: 5 })
  expect(store.Size.get(1)).toMatchObject({ name: 'same', size: 5, stamp: 5 })
  for (const write of [
    () => store.Size.update(1, { size: 4 }),
    () => store.transact((tx) => tx.Size.update(1, { size: 4 })),
  ])
    expect(codeOf(write)).toBe('validationFailed')
})

test('two unique attributes of one dataclass are checked separately, staged or stored', () => {
  const Pair = defineDataClass('Pair', {
    ID: attribute.long({ key: true }),
    one: attribute.string({ unique: true }),
    two: attribute.string({ unique: true }),
  })
  const store = createDataStore({ name: 'pairs', dataClasses: [Pair] })
  store.Pair.load([
    { ID: 1, one: 'a', two: 'b' },
    { ID: 2, one: 'b', two: 'a' },
  ])
  store.transact((tx) => {
    tx.Pair.update(1, { one: 'c' })
    tx.Pair.update(2, { two: 'c' })
    tx.Pair.update(1, { one: 'A' })
    const taken = (change: object) => codeOf(() => tx.Pair.update(1, change))
    expect([taken({ one: 'B' }), taken({ two: 'C' })]).toEqual([
      'uniqueViolation',
      'uniqueViolation',
    ])
    tx.Pair.update(1, { two: 'B' })
  })
  expect(store.Pair.all().toArray()).toMatchObject([
    { one: 'A', two: 'B' },
    { one: 'b', two: 'c' },
  ])
  store.verify()
})

describe('a key', () => {
  const Word = defineDataClass('Word', {
    text: attribute.string({ key: true }),
    mark: attribute.long(),
  })
  const words = () => createDataStore({ name: 'words', dataClasses: [Word] })
  test('that is missing is named in the error', () => {
    for (const key of [{}, { text: null }, { mark: 1 }]) {
      const store = words()
      const missing = ['keyNull', { dataClass: 'Word', attribute: 'text' }]
      for (const write of [
        () => store.Word.insert(loose(key)),
        () => store.transact((tx) => tx.Word.insert(loose(key))),
      ]) {
        const { code, details } = refusalOf(write)
        expect([code, details]).toEqual(missing)
      }
      expect(store.Word.count).toBe(0)
    }
  })
  test('without an entity is quoted in the error as given', () => {
    const store = words()
    for (const [key, found] of [
      ['x', null],
      [7, 'the number 7'],
      [null, 'null'],
    ] as const) {
      const details = { dataClass: 'Word', key: String(key) }
      const hint = `Its keys are texts, and the key is ${found}.`
      const missing = ['entityNotFound', found === null ? details : { ...details, hint }]
      for (const write of [
        () => store.Word.update(loose(key), { mark: 1 }),
        () => store.Word.remove(loose(key)),
        () => store.transact((tx) => tx.Word.update(loose(key), { mark: 1 })),
        () => store.Word.updateAll([{ key: loose(key), patch: { mark: 1 } }]),
      ]) {
        const refusal = refusalOf(write)
        expect([refusal.code, refusal.details]).toEqual(missing)
      }
    }
  })
})

test('an undefined value counts as absent: an update keeps the stored value, an insertion uses the default', () => {
  const Size = defineDataClass('Size', {
    ID: attribute.long({ key: true }),
    size: attribute.long({ default: 7 }),
  })
  const store = createDataStore({ name: 'sizes', dataClasses: [Size] })
  store.Size.insert({ ID: 1, size: loose(undefined) })
  store.transact((tx) => tx.Size.insert({ ID: 2, size: loose(undefined) }))
  store.Size.update(1, { size: loose(undefined) })
  store.transact((tx) => tx.Size.update(2, { size: loose(undefined) }))
  expect(store.Size.all().toArray()).toMatchObject([
    { size: 7, stamp: 1 },
    { size: 7, stamp: 1 },
  ])
})

describe('a setter', () => {
  const state = { set: (_: unknown): unknown => undefined }
  const Log = defineDataClass('Log', { ID: attribute.long({ key: true, autoSequence: true }) })
  const Named = defineDataClass('Named', {
    ID: attribute.long({ key: true }),
    first: attribute.string(),
    whole: attribute.computed('string', {
      get: ({ first }) => first as string,
      set: (value) => state.set(value) as never,
    }),
  })
  const named = () => {
    const store = createDataStore({ name: 'named', dataClasses: [Log, Named] })
    store.Named.load([{ ID: 1 }, { ID: 2 }])
    return store
  }
  test('that writes is part of the write, alone and in a transaction', () => {
    const store = named()
    state.set = (first) => {
      store.Log.insert({})
      return { first }
    }
    store.Named.update(1, { whole: 'a' })
    store.Named.insert({ ID: 3, whole: 'b' })
    store.Named.updateAll([{ key: 2, patch: { whole: 'c' } }])
    expect([store.globalStamp, store.Log.count]).toEqual([4, 3])
    state.set = () => store.Named.remove(1)
    expect(codeOf(() => store.Named.update(1, { whole: 'd' }))).toBe('entityNotFound')
    expect(store.Named.all().toArray()).toMatchObject([
      { first: 'a' },
      { first: 'c' },
      { first: 'b' },
    ])
    store.verify()
  })
  test('that returns undefined or null writes nothing', () => {
    const store = named()
    for (const nothing of [undefined, null]) {
      state.set = () => nothing
      expect(store.Named.update(1, { whole: 'a' }).stamp).toBe(1)
    }
  })
  test('that throws is named in the error', () => {
    const store = named()
    state.set = () => {
      throw new Error('no such name')
    }
    expect(refusalOf(() => store.Named.update(1, { whole: 'a' }))).toMatchObject({
      code: 'hookFailed',
      details: { dataClass: 'Named', hook: 'set whole', problem: 'no such name' },
    })
  })
})

test('a hook that returns a promise is refused with where to await, and its rejection is ignored', async () => {
  const unheard: unknown[] = []
  const hear = (error: unknown) => void unheard.push(error)
  process.on('unhandledRejection', hear)
  try {
    const Late = defineDataClass(
      'Late',
      { ID: attribute.long({ key: true, autoSequence: true }) },
      { hooks: { beforeSave: () => Promise.reject(new Error('too late')) as never } },
    )
    const { code, message } = refusalOf(() =>
      createDataStore({ name: 'late', dataClasses: [Late] }).Late.insert({}),
    )
    expect([code, message]).toEqual([
      'promiseReturned',
      expect.stringMatching(/"beforeSave".*"Late".*await/is),
    ])
    await new Promise((resolve) => setImmediate(resolve))
    expect(unheard).toEqual([])
  } finally {
    process.off('unhandledRejection', hear)
  }
})

describe('a watch of commits', () => {
  test.each([true, false])(
    'is called at the end of each commit, and with listeners (%j) at the beginning',
    (observesCommits) => {
      const calls: string[] = []
      const end = (): null => {
        calls.push('end')
        return null
      }
      const watch = { watcher: { observesCommits }, begin: () => void calls.push('begin'), end }
      const store = firmStore({ watch })
      store.insert('Firm', { name: 'a' })
      store.update('Firm', 1, { name: 'b' })
      store.remove('Firm', 1)
      const each = observesCommits ? ['begin', 'end'] : ['end']
      expect(calls).toEqual([...each, ...each, ...each])
    },
  )
})

describe('a store with locks', () => {
  /** A store that records the checked records and refuses locked ones. */
  const lockedStore = () => {
    const asked: string[] = []
    const locked = new Set<string>()
    const check = (table: { model: { name: string } }, slot: number) => {
      const record = `${table.model.name} ${slot}`
      asked.push(record)
      if (locked.has(record)) throw new RangeError(record)
    }
    const store = firmStore({ locks: { isAny: true, check } })
    store.insert('Firm', { name: 'a' })
    store.insert('Person', { firm: 1, name: 'goes along' })
    store.insert('Person', { mentor: 1, name: 'loses its mentor' })
    store.insert('Person', { name: 'has no part in it' })
    asked.length = 0
    return { store, asked, locked }
  }
  test('checks each entity that a removal removes or empties', () => {
    const { store, asked, locked } = lockedStore()
    for (const record of ['Firm 0', 'Person 0', 'Person 1']) {
      locked.add(record)
      const before = store.state()
      expect(() => store.remove('Firm', 1)).toThrow(record)
      expect(store.state()).toBe(before)
      locked.clear()
    }
    asked.length = 0
    store.remove('Firm', 1)
    expect(new Set(asked)).toEqual(new Set(['Firm 0', 'Person 0', 'Person 1']))
    store.verify()
  })
  test('refuses a batch with the first lock, before a later stale stamp', () => {
    const { store, locked } = lockedStore()
    locked.add('Person 0')
    const changes = [
      { key: 1, patch: { pay: 1 } },
      { key: 2, patch: { pay: 1 }, stamp: 9 },
    ]
    const write = () => updateMany(store.writer, store.table('Person'), changes)
    expect(write).toThrow('Person 0')
    locked.clear()
    expect(codeOf(write)).toBe('stampChanged')
  })
})

test('UUIDs are stored in capitals, however they were generated', () => {
  const Mark = defineDataClass('Mark', {
    ID: attribute.uuid({ key: true }),
    other: attribute.uuid({ autoSequence: true }),
  })
  const store = new TestStore([Mark], {
    ids: { uuid: () => `abcdef${'-0'.repeat(26)}`, token: () => 't' },
  })
  store.insert('Mark', {})
  expect(store.keys('Mark')).toEqual([`ABCDEF${'0'.repeat(26)}`])
  expect(store.read('Mark', `abcdef${'0'.repeat(26)}`)).toMatchObject({
    other: `ABCDEF${'0'.repeat(26)}`,
  })
})
