import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import type { AnyDataStore } from '../../src/model/store-types.ts'
import { createDataStore } from '../../src/store/create-store.ts'
import { runs } from '../runs.ts'

/** Words that mean something somewhere in filters, orders, paths, entities or JavaScript. */
const WORDS = [
  ...[
    'and',
    'or',
    'not',
    'except',
    'order',
    'by',
    'order by',
    'asc',
    'desc',
    'in',
    'is',
    'begin',
    'like',
    'contains',
  ],
  ...[
    'null',
    'true',
    'false',
    'eval',
    'key',
    'stamp',
    'timestamp',
    'dataClass',
    'uri',
    'then',
    'toJSON',
    'constructor',
  ],
  ...[
    'prototype',
    '__proto__',
    '__KEY',
    'hasOwnProperty',
    'toString',
    'length',
    'name',
    'count',
    'set',
    'undefined',
  ],
  ...[
    'AND',
    'Or',
    'NOT',
    'Except',
    'ORDER',
    'Uri',
    'nothing',
    'android',
    'orders',
    'inner',
    '_',
    '_1',
    'a_b',
    '__x',
  ],
  ...[
    '1',
    '1a',
    'a1',
    'a b',
    'a%b',
    "a'b",
    'a"b',
    'a-b',
    'a.b',
    'a,b',
    'a(b',
    'a[b',
    'a{b',
    'a$b',
    '$a',
    'a@b',
    'a*b',
  ],
  ...[
    'é',
    'e\u0301',
    '\u0301',
    'नाम',
    '名前',
    'ß',
    'İ',
    'ı',
    '٣',
    'a٣',
    '²',
    'a²',
    '€',
    '😀',
    'a\u200db',
    'a\u00a0b',
    '\ud800',
  ],
  ...[
    '',
    ' ',
    '\n',
    'a\nb',
    'a&b',
    'a|b',
    'a^b',
    'a!b',
    'a#b',
    'a=b',
    'a<b',
    'a>b',
    'a:b',
    'a;b',
    'a`b',
    'a\\b',
    'a/b',
    'a?b',
    'a+b',
    'a~b',
  ],
]
const names = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
  fc.string({
    unit: fc.constantFrom('a', 'B', '1', '_', '-', ' ', 'é', '\u0301', '$', 'or', 'by'),
    maxLength: 4,
  }),
)
/** The rule as the docs have it. */
const isIdentifier = (name: string): boolean =>
  /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.test(name) && !name.startsWith('__')
const RESERVED = ['and', 'or', 'not', 'except']
const isTaken = (name: string): boolean =>
  RESERVED.includes(name.toLowerCase()) || ['uri', 'constructor', 'prototype'].includes(name)
const isAccepted = (name: string): boolean => isIdentifier(name) && !isTaken(name)

const defined = (name: string, made: unknown): boolean => {
  try {
    defineDataClass('Thing', {
      [name === 'ID' ? 'key_' : 'ID']: attribute.long({ key: true }),
      [name]: made,
    } as never)
    return true
  } catch (error) {
    if (!isEntiaError(error, 'modelInvalid')) throw error
    expect(error.message).toMatch(/\. (Use|Choose) /)
    return false
  }
}

function storeWith(name: string): AnyDataStore {
  const other = name === 'ID' ? 'key_' : 'ID'
  const Thing = defineDataClass('Thing', {
    [other]: attribute.long({ key: true, autoSequence: true }),
    [name]: attribute.string({ indexed: true }),
    zz_owner: attribute.relatedEntity('Owner'),
  } as never)
  const Owner = defineDataClass('Owner', {
    zz_key: attribute.long({ key: true, autoSequence: true }),
    zz_title: attribute.string(),
    [name]: attribute.alias('zz_title'),
    zz_things: attribute.relatedEntities('Thing', 'zz_owner'),
  } as never)
  const store = createDataStore({ name: 'names', dataClasses: [Thing, Owner] as never })
  store.dataClass('Owner').insert({ zz_title: 'x' })
  for (const value of ['b', 'a']) store.dataClass('Thing').insert({ [name]: value, zz_owner: 1 })
  return store
}

describe('the name of an attribute', () => {
  test('is accepted if filters can write it, and otherwise refused with the rule, for every kind of attribute', () => {
    fc.assert(
      fc.property(names, (name) => {
        const kinds = [
          attribute.string(),
          attribute.computed('string', { get: () => 'x' }),
          attribute.alias('ID'),
          attribute.relatedEntity('Thing'),
          attribute.relatedEntities('Thing', 'x'),
        ]
        expect(kinds.map((kind) => defined(name, kind))).toEqual(kinds.map(() => isAccepted(name)))
      }),
      runs(1500),
    )
  })

  test('that is taken works in filters, orders, selected paths and distinct values, as one of several steps too', () => {
    const store = new Map<string, AnyDataStore>()
    fc.assert(
      fc.property(names.filter(isAccepted), (name) => {
        let made = store.get(name)
        if (made === undefined) store.set(name, (made = storeWith(name)))
        const things = made.dataClass('Thing')
        const found = (filter: string, params?: unknown[]): unknown[] =>
          things
            .query(filter, params as never)
            .toArray()
            .map((entity) => (entity as { [name: string]: unknown })[name])
        for (const filter of [
          `${name} = 'a'`,
          `${name}='a'`,
          `(${name} = a)`,
          `not ${name} = b`,
          `not(${name} != a)`,
          `zz_owner = 1 and ${name} = 'a'`,
          `${name} = 'a' and zz_owner.zz_title = 'x'`,
          `${name} = 'a' or ${name} = 'none'`,
          `${name} in ['a', 'none']`,
          `${name} begin 'a'`,
          `${name} is 'a'`,
          `zz_owner.${name} = 'x' and ${name} = 'a'`,
        ])
          expect([filter, found(filter)]).toEqual([filter, ['a']])
        expect(found(`${name} = :1`, ['a'])).toEqual(['a'])
        expect(found(`${name} != null order by ${name}`)).toEqual(['a', 'b'])
        expect(found(`order by ${name} desc, zz_owner.${name}`)).toEqual(['b', 'a'])
        const all = things.all()
        expect(all.orderBy(name).distinct(name)).toEqual(['a', 'b'])
        expect(
          all.orderBy(`zz_owner.${name} desc, ${name} asc`).select(`${name}, zz_owner.${name}`),
        ).toEqual(['a', 'b'].map((value) => ({ [name]: value, zz_owner: { [name]: 'x' } })))
        expect(all.min(name)).toBe('a')
        expect(made.dataClass('Owner').query(`zz_things.${name} = 'a'`).count).toBe(1)
      }),
      runs(400),
    )
  })
})
