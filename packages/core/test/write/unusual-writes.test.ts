import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, refusalOf } from './firm-store.ts'

/** What plain JavaScript may give where the types ask for something else. */
const loose = (value: unknown) => value as never
const Node = defineDataClass('Node', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
  weight: attribute.number({ min: 0, indexed: true }),
  left: attribute.relatedEntity('Node', { onDelete: 'cascade' }),
  right: attribute.relatedEntity('Node', { onDelete: 'cascade' }),
  friend: attribute.relatedEntity('Node', { onDelete: 'null' }),
  rival: attribute.relatedEntity('Node', { onDelete: 'null' }),
})
const nodes = () => createDataStore({ name: 'nodes', dataClasses: [Node] })

describe('a cascaded entity', () => {
  test('is removed once, however many relations it has to the removed entity', () => {
    const store = nodes()
    for (const name of ['root', 'child', 'other']) store.Node.insert({ name })
    store.Node.update(2, { left: 1, right: 1 })
    store.Node.update(3, { friend: 1, rival: 1 })
    store.transact((tx) => tx.Node.remove(1))
    expect(store.Node.all().keys()).toEqual([3])
    expect([store.Node.get(3)?.friend, store.Node.get(3)?.rival]).toEqual([null, null])
    expect(store.Node.get(3)?.stamp).toBe(3)
    store.verify()
  })
})

describe('in one transaction', () => {
  test('an entity may change the spelling of its own unique value', () => {
    const store = nodes()
    store.transact((tx) => {
      tx.Node.insert({ name: 'ada' })
      tx.Node.update(1, { name: 'Ada' })
      tx.Node.update(1, { name: 'ADA' })
      expect(() => tx.Node.insert({ name: 'aDa' })).toThrow(
        expect.objectContaining({ code: 'uniqueViolation' }),
      )
    })
    expect(store.Node.get(1)?.name).toBe('ADA')
    store.verify()
  })

  test('an entity that takes a freed unique value and is removed frees it again', () => {
    const store = nodes()
    for (const name of ['a', 'b', 'c']) store.Node.insert({ name })
    store.transact((tx) => {
      tx.Node.remove(2)
      const { key } = tx.Node.insert({ name: 'b' })
      tx.Node.remove(key)
      expect(tx.Node.has(2)).toBe(false)
      tx.Node.insert({ name: 'b' })
    })
    expect([...store.Node.all().keys()].sort()).toEqual([1, 3, 5])
    store.verify()
  })

  test('a key of another type finds no entity to update', () => {
    const store = nodes()
    store.Node.insert({ name: 'a' })
    store.transact((tx) => {
      for (const key of ['x', 1.5, null, undefined, {}]) {
        expect(codeOf(() => tx.Node.update(loose(key), { weight: 1 }))).toBe('entityNotFound')
        expect(codeOf(() => tx.Node.remove(loose(key)))).toBe('entityNotFound')
        expect(tx.Node.get(loose(key))).toBe(undefined)
      }
    })
    expect(store.Node.get(1)?.stamp).toBe(1)
  })

  test('loaded entities are committed, even if all earlier writes were undone', () => {
    const store = nodes()
    const { globalStamp } = store
    store.transact((tx) => {
      const { key } = tx.Node.insert({ name: 'brief' })
      expect(tx.Node.query("name = 'brief'").count).toBe(1)
      tx.Node.remove(key)
      tx.Node.load([{ name: 'stays' }])
    })
    expect(
      store.Node.all()
        .toArray()
        .map(({ name }) => name),
    ).toEqual(['stays'])
    expect(store.globalStamp).toBe(globalStamp + 1)
    store.verify()
  })

  test('a large transaction does not affect the next one', () => {
    const store = nodes()
    const many = 40_000
    store.transact((tx) => {
      for (let i = 0; i < many; i++) tx.Node.insert({ weight: i })
    })
    store.transact((tx) => {
      tx.Node.update(7, { weight: 1 })
      expect(tx.Node.get(8)?.weight).toBe(7)
    })
    expect([store.Node.count, store.Node.get(7)?.stamp, store.Node.get(8)?.stamp]).toEqual([
      many,
      2,
      1,
    ])
  })
})

describe('an edit that writes while it runs', () => {
  test('to another entity writes in the same commit', () => {
    const store = nodes()
    for (const name of ['a', 'b']) store.Node.insert({ name })
    const { globalStamp } = store
    store.transact((tx) => {
      tx.Node.update(1, (draft) => {
        tx.Node.update(2, (other) => void (other.weight = 2))
        draft.weight = 1
      })
    })
    expect([store.Node.get(1)?.weight, store.Node.get(2)?.weight]).toEqual([1, 2])
    expect(store.globalStamp).toBe(globalStamp + 1)
  })

  test('to the same entity combines both writes; if it removes the entity, the edit is refused', () => {
    const store = nodes()
    store.Node.insert({ name: 'a', weight: 1 })
    store.transact((tx) => {
      tx.Node.update(1, (draft) => {
        tx.Node.update(1, { name: 'b' })
        draft.weight = 2
      })
    })
    expect({ ...store.Node.get(1) }).toMatchObject({ name: 'b', weight: 2 })
    expect(
      codeOf(() =>
        store.transact((tx) =>
          tx.Node.update(1, (draft) => {
            tx.Node.remove(1)
            draft.weight = 3
          }),
        ),
      ),
    ).toBe('entityNotFound')
    expect(store.Node.get(1)?.weight).toBe(2)
    store.verify()
  })
})

describe('inherited properties', () => {
  const heir = <O extends object>(own: O): O => Object.assign(Object.create({ weight: 5 }), own)
  test('are not written', () => {
    const store = nodes()
    store.Node.insert(heir({ name: 'a' }))
    store.transact((tx) => tx.Node.insert(heir({ name: 'b' })))
    store.Node.load([heir({ name: 'c' }), heir({ name: 'd' })])
    store.Node.update(1, heir({ name: 'e' }))
    expect(
      store.Node.all()
        .toArray()
        .map(({ weight }) => weight),
    ).toEqual([null, null, null, null])
  })
})

describe('an attribute that cannot change', () => {
  const Fixed = defineDataClass('Fixed', {
    ID: attribute.long({ key: true }),
    seal: attribute.string({ readOnly: true }),
    note: attribute.string(),
  })
  test('is refused by name, alone and in a transaction, and an equal value is accepted', () => {
    const store = createDataStore({ name: 'fixed', dataClasses: [Fixed] })
    store.Fixed.insert({ ID: 1, note: 'a' })
    for (const change of [{ ID: 2 }, { seal: 'x' }]) {
      expect(codeOf(() => store.Fixed.update(1, loose(change)))).toBe('attributeReadOnly')
      expect(codeOf(() => store.transact((tx) => tx.Fixed.update(1, loose(change))))).toBe(
        'attributeReadOnly',
      )
    }
    expect(store.Fixed.update(1, loose({ ID: 1, note: 'b' })).stamp).toBe(2)
  })
})

describe('generated values', () => {
  const Uuid = defineDataClass('Uuid', {
    ID: attribute.uuid({ key: true }),
    mark: attribute.uuid({ autoSequence: true }),
    name: attribute.string(),
  })
  const given = 'AB'.repeat(16)
  test('of UUIDs are used if no value is given, in every way of writing', () => {
    let count = 0
    const ids = {
      uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`,
      token: () => 't',
    }
    const store = createDataStore({ name: 'uuids', dataClasses: [Uuid], ids })
    store.Uuid.insert(loose({ name: 'alone' }))
    store.Uuid.insert({ ID: given, mark: given, name: 'given' })
    store.transact((tx) => {
      tx.Uuid.insert(loose({ name: 'inside' }))
      tx.Uuid.insert({ ID: 'cd'.repeat(16), mark: given, name: 'given inside' })
    })
    store.Uuid.load([loose({ name: 'loaded' }), { ID: 'EF'.repeat(16), mark: given }])
    const generated = store.Uuid.query('name in :1', [['alone', 'inside', 'loaded']]).toArray()
    for (const { ID } of generated) expect(ID).toMatch(/^0{12}4.{19}$/)
    expect(new Set(generated.flatMap(({ ID, mark }) => [ID, mark])).size).toBe(6)
    expect(store.Uuid.query('mark = :1', [given]).count).toBe(3)
    store.verify()
  })

  test('of whole numbers end at the limit of the type or a rule, and a load beyond it has no effect', () => {
    const Few = defineDataClass('Few', {
      ID: attribute.long({ key: true, autoSequence: true, max: 2 }),
    })
    const Long = defineDataClass('Long', {
      ID: attribute.long64({ key: true, autoSequence: true }),
    })
    const store = createDataStore({ name: 'few', dataClasses: [Few, Long] })
    const refusal = refusalOf(() => store.Few.load([{}, {}, {}]))
    expect([refusal.code, refusal.message]).toEqual([
      'loadRefused',
      expect.stringMatching(/row 3/i),
    ])
    expect(store.Few.count).toBe(0)
    store.Long.insert({ ID: Number.MAX_SAFE_INTEGER - 1 })
    expect(store.Long.insert({}).key).toBe(Number.MAX_SAFE_INTEGER)
    expect(codeOf(() => store.Long.insert({}))).toBe('sequenceExhausted')
    expect(codeOf(() => store.Long.load([{}]))).toBe('loadRefused')
  })
})

describe('a loaded row', () => {
  const Row = defineDataClass('Row', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ maxLength: 3 }),
    day: attribute.date({ dateOnly: true }),
    parent: attribute.relatedEntity('Row', { notNull: true, foreignKey: 'parentID' }),
    parentID: attribute.long(),
  })
  const rowStore = () => createDataStore({ name: 'rows', dataClasses: [Row] })
  test.each<[string, object]>([
    ['text with half a pair', { ID: 2, name: '\ud800', parent: 1 }],
    ['a day that does not exist', { ID: 2, day: '2023-02-29', parent: 1 }],
    ['text that is too long', { ID: 2, name: 'four', parent: 1 }],
    ['a relation that leads nowhere and must lead somewhere', { ID: 2, parent: 9 }],
    [
      'a relation under both its names, and a broken rule',
      { ID: 2, parent: 1, parentID: 1, name: 'four' },
    ],
    ['no relation', { ID: 2 }],
  ])('with %s is refused by its number, and none is loaded', (_, row) => {
    const store = rowStore()
    for (const relations of ['check', 'null'] as const) {
      const refusal = refusalOf(() =>
        store.Row.load([{ ID: 1, parent: 1 }, loose(row)], { relations }),
      )
      expect(refusal.details).toMatchObject({ dataClass: 'Row', rowNumber: 2 })
    }
    expect(store.Row.count).toBe(0)
    store.verify()
  })

  test('of an iterable that throws is refused with that error', () => {
    const failing = function* () {
      yield { ID: 1, parent: 1 }
      throw new Error('the file ended')
    }
    expect(() => rowStore().Row.load(failing())).toThrow('the file ended')
  })

  test('may have a key of 0 or below', () => {
    const store = rowStore()
    store.Row.load([
      { ID: 0, parent: 0 },
      { ID: -1, parent: 0 },
    ])
    expect(store.Row.all().keys()).toEqual([0, -1])
    expect(store.Row.get(-1)?.parent?.key).toBe(0)
    store.verify()
  })
})

test('the lowest 32-bit whole number is distinguished from null', () => {
  const least = -(2 ** 31)
  const Small = defineDataClass('Small', {
    ID: attribute.long({ key: true, autoSequence: true }),
    size: attribute.long({ indexed: true }),
  })
  const store = createDataStore({ name: 'small', dataClasses: [Small] })
  store.Small.load([{ size: 1 }, { size: null }])
  store.Small.update(1, { size: least })
  expect(store.Small.all().orderBy('size, ID').select('size')).toEqual([
    { size: null },
    { size: least },
  ])
  expect(store.Small.query('size < 0').keys()).toEqual([1])
  expect(store.Small.query('size = null').keys()).toEqual([2])
  const loaded = createDataStore({ name: 'small', dataClasses: [Small] })
  loaded.Small.load([{ size: null }, { size: least }])
  expect(loaded.Small.query('size = :1', [least]).keys()).toEqual([2])
  expect(loaded.Small.query('size = null').keys()).toEqual([1])
  store.verify()
  loaded.verify()
})

describe('a single write', () => {
  test('may change the spelling of a unique value and refer to itself, but not to its key in another dataclass', () => {
    const Leader = defineDataClass('Leader', { ID: attribute.long({ key: true }) })
    const Member = defineDataClass('Member', {
      ID: attribute.long({ key: true }),
      name: attribute.string({ unique: true }),
      leader: attribute.relatedEntity('Leader'),
      self: attribute.relatedEntity('Member'),
    })
    const store = createDataStore({ name: 'members', dataClasses: [Leader, Member] })
    store.Member.insert({ ID: 9, name: 'ada', self: 9 })
    expect(store.Member.update(9, { name: 'Ada' }).name).toBe('Ada')
    expect(codeOf(() => store.Member.insert({ ID: 8, leader: 8 }))).toBe('relationTargetMissing')
    expect(codeOf(() => store.Member.insert({ ID: 8, self: 7 }))).toBe('relationTargetMissing')
    expect(codeOf(() => store.Member.insert({ ID: 8, name: 'ADA' }))).toBe('uniqueViolation')
    for (const name of [null, null]) store.Member.insert({ ID: store.Member.count + 20, name })
    expect(store.Member.count).toBe(3)
    store.verify()
  })

  test('keeps the later time if the clock is set back', () => {
    let now = 2000
    const clock = { now: () => now, monotonic: () => 5 }
    const store = createDataStore({ name: 'nodes', dataClasses: [Node], clock })
    const time = () => Date.parse(store.Node.get(1)?.timestamp ?? '')
    store.Node.insert({ name: 'a' })
    for (const [at, expected] of [
      [3000, 3000],
      [1000, 3000],
      [3000, 3000],
      [3001, 3001],
    ]) {
      now = at
      store.Node.update(1, { weight: at })
      expect(time()).toBe(expected)
      store.transact((tx) => tx.Node.update(1, { weight: at + 0.5 }))
      expect(time()).toBe(expected)
    }
  })
})

describe('a load', () => {
  test('leaves the sequence above the highest key, in whichever row it is', () => {
    const store = nodes()
    store.Node.load([{ ID: 10 }, { ID: 5 }, {}, { ID: 7 }])
    expect(store.Node.all().keys()).toEqual([10, 5, 11, 7])
    expect(store.Node.insert({}).key).toBe(12)
  })

  test('of text keys recognises equal keys, and requires each target', () => {
    const Word = defineDataClass('Word', {
      text: attribute.string({ key: true }),
      mark: attribute.uuid(),
    })
    const store = createDataStore({ name: 'words', dataClasses: [Word] })
    store.Word.load([{ text: 'a' }, { text: 'A' }, { text: 'b' }])
    expect(
      store.Word.all()
        .toArray()
        .map(({ mark }) => mark),
    ).toEqual([null, null, null])
    const refusedRow = (rows: readonly object[]) => {
      const { cause, details } = refusalOf(() => store.Word.load(rows as never))
      return [(cause as { code: string }).code, 'rowNumber' in details && details.rowNumber]
    }
    expect(refusedRow([{ text: 'c' }, { text: 'd' }, { text: 'c' }])).toEqual(['keyNotUnique', 3])
    expect(refusedRow([{ text: 'c' }, { text: 'b' }])).toEqual(['keyNotUnique', 2])
    expect(refusedRow([{ text: 'c' }, { text: null }])).toEqual(['keyNull', 2])
    expect(store.Word.all().keys()).toEqual(['a', 'A', 'b'])
    store.verify()
  })

  test('passes on errors that code of a row throws', () => {
    const store = nodes()
    const row = {
      get name(): string {
        throw new Error('of the row itself')
      },
    }
    expect(() => store.Node.load([row])).toThrow('of the row itself')
    expect(store.Node.count).toBe(0)
  })

  test('reads rows of different shapes in one list', () => {
    const store = nodes()
    store.Node.load([
      { name: 'a', weight: 1 },
      { name: 'b' },
      { weight: 2, name: 'c' },
      { name: 'd', weight: 3 },
      { name: 'e', weight: 4, left: 1 },
      {},
      { name: 'f', weight: 5 },
    ])
    expect(
      store.Node.all()
        .toArray()
        .map(({ name, weight, left }) => [name, weight, left?.key ?? null]),
    ).toEqual([
      ['a', 1, null],
      ['b', null, null],
      ['c', 2, null],
      ['d', 3, null],
      ['e', 4, 1],
      [null, null, null],
      ['f', 5, null],
    ])
    store.verify()
  })
})

test('a chain of hooks is stopped, and the error names the last one', () => {
  const state: { insert: () => void } = { insert: () => undefined }
  const Deep = defineDataClass(
    'Deep',
    { ID: attribute.long({ key: true, autoSequence: true }) },
    { hooks: { beforeSave: () => state.insert() } },
  )
  const store = createDataStore({ name: 'deep', dataClasses: [Deep] })
  state.insert = () => void store.Deep.insert({})
  const { code, details } = refusalOf(() => store.Deep.insert({}))
  expect([code, details]).toEqual([
    'hookTooDeep',
    { dataClass: 'Deep', hook: 'beforeSave', limit: expect.any(Number) },
  ])
  expect(store.Deep.count).toBe(0)
})

test('a load runs hooks of each kind, even if the dataclass has only that one', () => {
  for (const hook of ['init', 'beforeSave', 'validateSave', 'afterSave'] as const) {
    const asked: string[] = []
    const Asked = defineDataClass(
      'Asked',
      { ID: attribute.long({ key: true, autoSequence: true }) },
      { hooks: { [hook]: () => void asked.push(hook) } as never },
    )
    const store = createDataStore({ name: 'asked', dataClasses: [Asked] })
    store.Asked.load([{}, {}])
    expect(asked).toEqual([hook, hook])
    store.Asked.load([{}], { hooks: false })
    expect([asked.length, store.Asked.count]).toEqual([2, 3])
  }
})

test('a loaded row gets the default for a missing or undefined value', () => {
  const Defaulted = defineDataClass('Defaulted', {
    ID: attribute.long({ key: true, autoSequence: true }),
    size: attribute.long({ default: 7 }),
  })
  const store = createDataStore({ name: 'defaulted', dataClasses: [Defaulted] })
  store.Defaulted.load([{ size: 1 }, loose({ size: undefined }), {}, { size: null }])
  expect(
    store.Defaulted.all()
      .toArray()
      .map(({ size }) => size),
  ).toEqual([1, 7, 7, null])
})

describe('rows without a target in a dataclass with hooks', () => {
  const hooked = (
    options: object,
    write: (store: { insert(): void }) => void = () => undefined,
  ) => {
    const state = { insert: () => undefined as unknown }
    const Side = defineDataClass('Side', {
      ID: attribute.long({ key: true, autoSequence: true }),
      to: attribute.relatedEntity('Side'),
    })
    const Row = defineDataClass(
      'Row',
      {
        ID: attribute.long({ key: true, autoSequence: true }),
        to: attribute.relatedEntity('Row', options),
      },
      { hooks: { beforeSave: () => write({ insert: () => void state.insert() }) } },
    )
    const store = createDataStore({ name: 'rows', dataClasses: [Side, Row] })
    state.insert = () => store.Side.insert({ to: 99 })
    return store
  }
  test('get empty relations if these may be null, and are refused by row number otherwise', () => {
    const store = hooked({})
    store.Row.load([{ to: 2 }, { to: 99 }], { relations: 'null' })
    expect(
      store.Row.all()
        .toArray()
        .map(({ to, stamp }) => [to?.key ?? null, stamp]),
    ).toEqual([
      [2, 1],
      [null, 1],
    ])
    const strict = hooked({ notNull: true })
    for (const relations of ['null', 'check'] as const) {
      const { details } = refusalOf(() => strict.Row.load([{ to: 1 }, { to: 99 }], { relations }))
      expect(details).toMatchObject({ dataClass: 'Row', rowNumber: 2 })
    }
    expect(strict.Row.count).toBe(0)
  })
  test('are distinguished from dangling writes of hooks, whose error names no row', () => {
    const store = hooked({}, (inside) => inside.insert())
    expect(codeOf(() => store.Row.load([{}], { relations: 'null' }))).toBe('relationTargetMissing')
    expect([store.Row.count, store.Side.count]).toEqual([0, 0])
  })
})
