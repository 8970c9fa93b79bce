import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, refusalOf } from './firm-store.ts'

// The details of a refused write: the dataclass, the attribute, the expected value and the given
// one.
const loose = (value: unknown) => value as never
const Other = defineDataClass('Other', { ID: attribute.long({ key: true }) })
const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true, autoSequence: true }),
  word: attribute.string({ minLength: 2, maxLength: 4, pattern: /^[a-z\u{1f600}]+$/u }),
  size: attribute.number({ min: -1, max: 1.5 }),
  other: attribute.relatedEntity('Other'),
  part: attribute.relatedEntity('Thing', { foreignKey: 'partID' }),
  partID: attribute.long(),
  parts: attribute.relatedEntities('Thing', 'part'),
  otherKey: attribute.alias('other.ID'),
  twice: attribute.computed('number', {
    get: ({ size }: { size: number | null }) => (size ?? 0) * 2,
    set: (value: number | null) => (value === null ? undefined : { size: value / 2, word: 'two' }),
  }),
  once: attribute.computed('number', { get: () => 1 }),
  again: attribute.computed('number', { get: () => 1, set: () => ({ again: 1 }) as never }),
})
const things = () => {
  const store = createDataStore({ name: 'things', dataClasses: [Other, Thing] })
  store.Other.insert({ ID: 1 })
  store.Thing.insert({ word: 'ab' })
  return store
}
const details = (run: () => unknown): readonly unknown[] => {
  const error = refusalOf(run)
  if ('failures' in error.details)
    return error.details.failures.map((one) => [one.code, one.details])
  return [error.code, error.details]
}
const at = (name: string) => ({ dataClass: 'Thing', attribute: name })

describe('a value', () => {
  test.each<[claim: string, values: object, failures: readonly (readonly [string, object])[]]>([
    ['too short', { word: 'a' }, [['textTooShort', { ...at('word'), minLength: 2 }]]],
    ['too long', { word: 'abcde' }, [['textTooLong', { ...at('word'), maxLength: 4 }]]],
    [
      'of another form',
      { word: 'AB' },
      [['patternMismatch', { ...at('word'), pattern: String.raw`/^[a-z\u{1f600}]+$/u` }]],
    ],
    ['too small', { size: -1.01 }, [['valueTooSmall', { ...at('size'), min: -1 }]]],
    ['too large', { size: 1.51 }, [['valueTooLarge', { ...at('size'), max: 1.5 }]]],
    [
      'wrong in every way',
      { word: 'A', size: 2 },
      [
        ['textTooShort', { ...at('word'), minLength: 2 }],
        ['patternMismatch', { ...at('word'), pattern: String.raw`/^[a-z\u{1f600}]+$/u` }],
        ['valueTooLarge', { ...at('size'), max: 1.5 }],
      ],
    ],
  ])('that is %s is refused with its bound', (_, values, failures) => {
    const store = things()
    expect(details(() => store.Thing.insert(values))).toEqual(failures)
    expect(details(() => store.Thing.update(1, values))).toEqual(failures)
    expect(details(() => store.transact((tx) => tx.Thing.update(1, values)))).toEqual(failures)
    expect(refusalOf(() => store.Thing.load([values]))).toMatchObject({ details: { rowNumber: 1 } })
    expect(store.Thing.count).toBe(1)
  })

  test('at its bounds is accepted, and lengths are in characters, not in code units', () => {
    const store = things()
    for (const values of [
      { word: 'ab' },
      { word: 'abcd' },
      { size: -1 },
      { size: 1.5 },
      { word: '\u{1f600}'.repeat(4) },
    ]) {
      store.Thing.insert(values)
      store.Thing.load([values])
      store.Thing.update(1, values)
    }
    expect(store.Thing.count).toBe(11)
    expect(codeOf(() => store.Thing.insert({ word: '\u{1f600}'.repeat(5) }))).toBe(
      'validationFailed',
    )
    expect(codeOf(() => store.Thing.insert({ word: '\u{1f600}' }))).toBe('validationFailed')
  })

  test('keeps its type in every attribute, even if the previous row had another type there', () => {
    const store = things()
    store.Thing.load([
      { size: 1 },
      { size: 0.5 },
      { size: -0 },
      loose({ size: undefined }),
      { size: null },
      { size: 1 },
    ])
    expect(
      store.Thing.query('ID > 1')
        .toArray()
        .map(({ size }) => size),
    ).toEqual([1, 0.5, 0, null, null, 1])
    expect(Object.is(store.Thing.get(4)?.size, 0)).toBe(true)
    for (const size of ['1', true, Number.NaN, Number.POSITIVE_INFINITY, {}]) {
      for (const before of [[], [{ size: 1 }]]) {
        const refusal = refusalOf(() => store.Thing.load([...before, loose({ size })]))
        expect((refusal.cause as { code: string }).code).toBe('valueInvalid')
      }
    }
    for (const word of [1, true, {}]) {
      expect(
        (refusalOf(() => store.Thing.load([loose({ word })])).cause as { code: string }).code,
      ).toBe('valueInvalid')
    }
    for (const partID of [1.5, 2 ** 31, '1', true]) {
      expect(
        (refusalOf(() => store.Thing.load([loose({ partID })])).cause as { code: string }).code,
      ).toBe('valueInvalid')
    }
  })
})

describe('a relation', () => {
  test('accepts a key, an entity of its dataclass in the same store, or null', () => {
    const store = things()
    const expected = 'a key (long) or an entity of "Thing", or null'
    const found = (part: unknown) => details(() => store.Thing.insert({ part: loose(part) }))
    const refused = (what: unknown) => ['valueInvalid', { ...at('part'), expected, found: what }]
    expect(found(store.Other.get(1))).toEqual(refused('an entity of "Other"'))
    expect(found(things().Thing.get(1))).toEqual(refused('an entity of another store'))
    expect(found({})).toEqual(refused('an object'))
    expect(found({ ID: null })).toEqual(refused('an entity without a key'))
    expect(found({ ID: undefined })).toEqual(refused('an entity without a key'))
    expect(found('x')).toEqual(refused('the text "x"'))
    expect(found({ ID: 'x' })).toEqual(refused('the text "x"'))
    for (const part of [1, store.Thing.get(1), { ID: 1 }])
      expect(store.Thing.insert({ part: loose(part) }).partID).toBe(1)
  })
  test('accepts both of its names with one value, and refuses them with different values', () => {
    const store = things()
    expect(store.Thing.insert({ part: 1, partID: 1 }).partID).toBe(1)
    for (const values of [
      { part: 1, partID: 2 },
      { partID: 2, part: 1 },
    ]) {
      expect(details(() => store.Thing.insert(values))).toEqual([
        'valueInvalid',
        {
          ...at('part'),
          expected: 'a key (long) or an entity of "Thing", or null',
          found: 'another one than "partID" gives',
        },
      ])
    }
    expect(details(() => store.Thing.insert({ other: 9 }))).toEqual([
      'relationTargetMissing',
      { ...at('other'), target: 'Other', key: '9' },
    ])
  })
})

describe('values that cannot be written', () => {
  test('are refused with what to write instead', () => {
    const store = things()
    const readOnly = (name: string, remedy: string) => [
      'attributeReadOnly',
      { ...at(name), remedy },
    ]
    const insert = (values: object) => details(() => store.Thing.insert(loose(values)))
    expect(insert({ once: 1 })).toEqual(
      readOnly('once', 'It is computed and has no setter: write what it is computed from.'),
    )
    expect(insert({ otherKey: 1 })).toEqual(
      readOnly('otherKey', 'It is an alias of "other.ID": write to the related entity.'),
    )
    expect(insert({ parts: [] })).toEqual(readOnly('parts', 'Set "part" of the "Thing" entities.'))
    expect(details(() => store.Thing.update(1, loose({ ID: 2 })))).toEqual(
      readOnly('ID', 'Keys never change: remove the entity and insert another.'),
    )
    expect(insert({ nobody: 1 })).toEqual([
      'attributeNotFound',
      {
        ...at('nobody'),
        known: store.catalog.byName.get('Thing') && [
          ...(store.catalog.byName.get('Thing')?.attributes.keys() ?? []),
        ],
      },
    ])
  })

  test('include objects, except for object attributes', () => {
    const store = things()
    const input = {
      argument: 'The input for the "Thing" dataclass',
      expected: 'an object of attributes',
    }
    for (const [wrong, found] of [
      [null, 'null'],
      [[], 'an array'],
      ['x', 'the text "x"'],
      [Promise.resolve({}), 'an object of class Promise'],
      [new Date(0), 'a Date'],
      [new FormData(), 'an object of class FormData'],
    ] as const) {
      expect(details(() => store.Thing.insert(loose(wrong)))).toEqual([
        'argumentInvalid',
        { ...input, found },
      ])
      const { cause } = refusalOf(() => store.Thing.load([loose(wrong)]))
      const { code, details: row } = cause as ReturnType<typeof refusalOf>
      const argument = 'A row for the "Thing" dataclass'
      expect([code, row]).toEqual([
        'argumentInvalid',
        { argument, expected: 'an object of attributes', found },
      ])
    }
  })

  test('include promises: an edit must not be asynchronous', () => {
    const store = things()
    expect(
      details(() =>
        store.Thing.update(
          1,
          loose(async () => undefined),
        ),
      ),
    ).toEqual([
      'promiseReturned',
      {
        where: 'The edit of an entity of "Thing"',
        remedy: 'Await before the update, not inside it.',
      },
    ])
  })
})

describe('a setter', () => {
  test('writes the values that it returns, may call further setters, and may return nothing', () => {
    const store = things()
    expect({ ...store.Thing.insert({ twice: 2 }) }).toMatchObject({ size: 1, word: 'two' })
    expect({ ...store.Thing.insert({ twice: 2, word: 'ab' }) }).toMatchObject({
      size: 1,
      word: 'ab',
    })
    expect({ ...store.Thing.insert({ word: 'ab', twice: 2 }) }).toMatchObject({
      size: 1,
      word: 'two',
    })
    expect({ ...store.Thing.insert({ word: 'ab', twice: null }) }).toMatchObject({
      size: null,
      word: 'ab',
    })
    store.Thing.load([{ twice: 2 }, { word: 'ab', twice: 2 }])
    expect(
      store.Thing.all()
        .toArray()
        .slice(-2)
        .map(({ size, word }) => [size, word]),
    ).toEqual([
      [1, 'two'],
      [1, 'two'],
    ])
  })
  test('that calls itself is stopped at a limit, and the error names it', () => {
    const store = things()
    expect(details(() => store.Thing.insert({ again: 1 }))).toEqual([
      'hookTooDeep',
      { dataClass: 'Thing', hook: 'set again', limit: expect.any(Number) },
    ])
  })
})

describe('a hook', () => {
  const hooked = (hooks: object) => {
    const Task = defineDataClass(
      'Task',
      { ID: attribute.long({ key: true, autoSequence: true }), name: attribute.string() },
      { hooks: hooks as never },
    )
    return createDataStore({ name: 'tasks', dataClasses: [Task] })
  }
  test.each([
    [true, 'the boolean true'],
    ['no', 'the text "no"'],
    [{}, 'an object'],
    [{ errCode: '1', message: 'no' }, 'an object'],
    [{ errCode: Number.NaN, message: 'no' }, 'an object'],
    [{ errCode: 1, message: 7 }, 'an object'],
    [{ errCode: 1 }, 'an object'],
  ])('that refuses with %j is an error that describes a refusal', (answer, found) => {
    const store = hooked({ validateSave: () => answer })
    expect(details(() => store.Task.insert({}))).toEqual([
      'hookFailed',
      {
        dataClass: 'Task',
        hook: 'validateSave',
        problem: `it must return undefined or { errCode, message }, not ${found}.`,
      },
    ])
  })
  test('accepts a save by returning nothing, and the error of a refusal quotes its message', () => {
    for (const nothing of [undefined, null])
      expect(hooked({ validateSave: () => nothing }).Task.insert({}).key).toBe(1)
    const store = hooked({ validateSave: () => ({ errCode: 10_007, message: 'not today' }) })
    expect(details(() => store.Task.insert({}))).toEqual([
      [
        'hookRefused',
        { dataClass: 'Task', hook: 'validateSave', errCode: 10_007, message: 'not today' },
      ],
    ])
  })
  test.each(['init', 'beforeSave', 'validateSave'])(
    '%s that throws is named in the error, with any thrown value',
    (hook) => {
      for (const [thrown, problem] of [
        [new Error('broken'), 'broken'],
        ['just text', 'just text'],
      ] as const) {
        const store = hooked({
          [hook]: () => {
            throw thrown
          },
        })
        expect(details(() => store.Task.insert({}))).toEqual([
          'hookFailed',
          { dataClass: 'Task', hook, problem },
        ])
        expect(store.Task.count).toBe(0)
      }
    },
  )
})

test('the error for a key of a wrong type describes the key', () => {
  const store = things()
  const message = (key: unknown) => {
    try {
      return store.Thing.update(loose(key), { word: 'cd' })
    } catch (error) {
      return (error as Error).message
    }
  }
  const problem = 'key in the "Thing" dataclass.'
  expect(message(99)).toBe(`Cannot find entity with "99" ${problem}`)
  expect(message('1')).toBe(
    `Cannot find entity with "1" ${problem} Its keys are numbers, and the key is the text "1".`,
  )
  expect(message(undefined)).toContain('Its keys are numbers, and the key is undefined.')
  // An object need not have a text of its own.
  for (const key of [{}, Object.create(null), { toString: null }])
    expect(message(key)).toContain('Its keys are numbers, and the key is an object.')
})

describe('a batch of changes', () => {
  test('is refused with the expected form of a change', () => {
    const store = things()
    for (const [wrong, found] of [
      [null, 'null'],
      [7, 'the number 7'],
      [{ ID: 1, word: 'cd' }, 'an object without "patch"'],
      [{ key: 1, patch: 'cd' }, 'an object whose "patch" is the text "cd"'],
    ] as const) {
      expect(
        details(() => store.Thing.updateAll([{ key: 1, patch: { word: 'cd' } }, loose(wrong)])),
      ).toEqual([
        'argumentInvalid',
        { argument: 'An update of a batch', expected: 'an object { key, patch, stamp? }', found },
      ])
    }
    expect([store.Thing.get(1)?.word, store.Thing.get(1)?.stamp]).toEqual(['ab', 1])
  })
  test('accepts stamps that its own changes lead to, and no others', () => {
    const stamped = (...stamps: readonly (number | undefined)[]) => {
      const store = things()
      store.Thing.insert({ word: 'zz' })
      const changes = stamps.map((stamp, i) => ({
        key: 1,
        patch: { word: `x${'abcdef'[i]}` },
        stamp,
      }))
      return codeOf(() =>
        store.Thing.updateAll([{ key: 2, patch: { word: 'yy' } }, ...(changes as never[])]),
      )
    }
    expect(() => stamped(1, 2, 3)).toThrow('nothing was refused')
    expect(() => stamped(undefined, 2)).toThrow('nothing was refused')
    for (const stamps of [[2], [0], [1, 1], [1, 3], [1, 2, 4]])
      expect(stamped(...stamps)).toBe('stampChanged')
  })
})

test('a stamp that is not a whole number is refused', () => {
  const store = things()
  for (const [stamp, found] of [
    ['1', 'the text "1"'],
    [1.5, 'the number 1.5'],
    [null, 'null'],
  ] as const) {
    for (const write of [
      () => store.Thing.update(1, { word: 'cd' }, { stamp: loose(stamp) }),
      () => store.transact((tx) => tx.Thing.update(1, { word: 'cd' }, { stamp: loose(stamp) })),
      () => store.Thing.remove(1, { stamp: loose(stamp) }),
    ]) {
      expect(details(write)).toEqual([
        'argumentInvalid',
        { argument: 'The option "stamp"', expected: 'a whole number', found },
      ])
    }
  }
  expect(store.Thing.get(1)?.stamp).toBe(1)
})
