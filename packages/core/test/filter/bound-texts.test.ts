import { describe, expect, test } from 'vitest'
import { textKey } from '../../src/value/compare.ts'
import { boundThing, SIGNS, testOf } from './one-comparison.ts'
import { refusalOf } from './refusal.ts'

const ANY = { op: 'isNotNull' }

describe('text', () => {
  const wildcard = (parts: readonly string[], anchoredStart: boolean, anchoredEnd: boolean) => ({
    parts,
    anchoredStart,
    anchoredEnd,
  })

  test.each<[string, string, string | undefined]>([
    ['word', 'folded', 'Sa'],
    ['title', 'folded', 'Sa'],
    ['exact', 'exact', 'Sa'],
    ['notes.a', 'folded', 'Sa'],
  ])(
    'of %s has wildcards beside = and !=, and is taken as it is beside others',
    (name, collation) => {
      const key = (text: string) => textKey(text, collation as 'folded')
      for (const value of ["'Sa@'", 'Sa@', ':1', "'Sa*'"]) {
        const spelling = value.includes('*') ? 'Sa*' : 'Sa@'
        const like = { wildcard: wildcard([key('Sa')], true, false), spelling }
        const given = ['Sa@']
        expect(testOf(`${name} = ${value}`, given)).toEqual({ op: 'like', ...like })
        expect(testOf(`${name} != ${value}`, given)).toEqual({ op: 'notLike', ...like })
        for (const sign of ['===', '!==', '>', '>=', '<', '<='])
          expect(testOf(`${name} ${sign} ${value}`, given)).toEqual({
            op: SIGNS[sign],
            value: key(spelling),
            spelling,
          })
        expect(testOf(`${name} begin ${value}`, given)).toEqual({
          op: 'like',
          wildcard: wildcard([key(spelling)], true, false),
          spelling,
          written: 'begin',
        })
        expect(testOf(`${name} in [${value}, Bo]`, given)).toEqual({
          op: 'in',
          values: [key('Bo')],
          wildcards: [like.wildcard],
          spelling: [spelling, 'Bo'],
        })
      }
      expect(testOf(`${name} = 'a@B*c'`)).toMatchObject({
        wildcard: wildcard(['a', key('B'), 'c'], true, true),
      })
      expect(testOf(`${name} = '@b'`)).toMatchObject({ wildcard: wildcard(['b'], false, true) })
    },
  )

  test.each([
    'word',
    'title',
    'exact',
    'badge',
    'count',
    'flag',
    'day',
    'span',
    'amount',
    'notes.a',
    'isOld',
  ])('of nothing but wildcards is any value of %s', (name) => {
    for (const text of ['@', '*', '@*@']) {
      for (const value of [text, `'${text}'`]) {
        expect(testOf(`${name} = ${value}`)).toEqual(ANY)
        expect(testOf(`${name} != ${value}`)).toBe(false)
        expect(testOf(`${name} in [${value}]`)).toEqual(ANY)
      }
      expect(testOf(`${name} = :1`, [text])).toEqual(ANY)
      expect(testOf(`${name} != :1`, [text])).toBe(false)
      expect(testOf(`${name} in :1`, [[text]])).toEqual(ANY)
    }
    expect(testOf(`${name} in []`)).toBe(false)
    expect(testOf(`${name} in :1`, [[]])).toBe(false)
  })

  test('with a wildcard beside letters is neither a number nor a date', () => {
    for (const [name, text] of [
      ['count', '1@'],
      ['amount', '@1'],
      ['day', '1970@'],
      ['flag', 't*'],
      ['span', '@:'],
    ])
      expect(refusalOf(() => boundThing(`${name} = '${text}'`)).message).toContain(
        `the text "${text}"`,
      )
    expect(refusalOf(() => boundThing('count > @')).message).toContain('the text "@"')
    expect(refusalOf(() => boundThing('count === @')).message).toContain('the text "@"')
  })

  test('that is empty is a prefix of every text, and equals only the empty text', () => {
    for (const name of ['word', 'exact', 'title', 'badge'])
      expect(testOf(`${name} begin ''`)).toEqual(ANY)
    expect(testOf("word begin '\u0301'")).toEqual(ANY)
    expect(testOf("notes.a begin ''")).toEqual({
      op: 'like',
      wildcard: wildcard([], false, false),
      spelling: '',
      written: 'begin',
    })
    expect(testOf("word = ''")).toEqual({ op: 'equal', value: '', spelling: '' })
    expect(testOf('word = :1', [''])).toEqual({ op: 'equal', value: '', spelling: '' })
  })

  test('is split into words, each a whole word or the beginning of one', () => {
    const words = [
      { key: 'big', isPrefix: false },
      { key: 'ho', isPrefix: true },
    ]
    for (const name of ['word', 'title', 'notes.a']) {
      for (const sign of ['%', '%%'])
        expect(testOf(`${name} ${sign} 'Big, Ho@'`)).toEqual({
          op: 'keyword',
          words,
          spelling: 'Big, Ho@',
        })
      expect(testOf(`${name} % :1`, ['Big ho*'])).toEqual({
        op: 'keyword',
        words,
        spelling: 'Big ho*',
      })
      expect(testOf(`${name} % '.,'`)).toBe(false)
      expect(testOf(`${name} % ''`)).toBe(false)
    }
    expect(testOf("exact % 'Big, Ho@'")).toEqual({
      op: 'keyword',
      words: [
        { key: 'Big', isPrefix: false },
        { key: 'Ho', isPrefix: true },
      ],
      isExact: true,
      spelling: 'Big, Ho@',
    })
  })

  test('matches part of a UUID in any spelling', () => {
    for (const [text, key] of [
      ['01234567-89ab', '0123456789AB'],
      ['abc', 'ABC'],
      ['0-1-2', '012'],
    ]) {
      expect(testOf(`badge begin '${text}'`)).toMatchObject({
        wildcard: wildcard([key], true, false),
        spelling: text,
        written: 'begin',
      })
      expect(testOf(`badge = '${text}@'`)).toMatchObject({ wildcard: wildcard([key], true, false) })
      expect(testOf(`token in ['@${text}']`)).toMatchObject({
        wildcards: [wildcard([key], false, true)],
      })
      expect(testOf(`badge = '@${text}@'`)).toMatchObject({
        wildcard: wildcard([key], false, false),
      })
    }
  })

  test('true and false are texts in quotes or as given values, and parts of a UUID are not booleans', () => {
    for (const name of ['word', 'exact', 'title']) {
      const value = { op: 'equal', value: 'true', spelling: 'true' }
      expect(testOf(`${name} = 'true'`)).toEqual(value)
      expect(testOf(`${name} = :1`, ['true'])).toEqual(value)
      expect(testOf(`${name} in ['true', "false"]`)).toMatchObject({ values: ['true', 'false'] })
      expect(testOf(`${name} in :1`, [['true']])).toMatchObject({ values: ['true'] })
      expect(testOf(`${name} = 'É true'`)).toMatchObject({ op: 'equal' })
      expect(testOf(`${name} = truth`)).toMatchObject({ value: 'truth' })
      expect(testOf(`${name} begin falsely`)).toMatchObject({
        wildcard: wildcard(['falsely'], true, false),
      })
    }
    expect(testOf('badge begin true')).toMatchObject({ written: 'begin' })
  })

  test('with whole surrogate pairs is accepted', () => {
    for (const value of ["'a😀'", '"\\ud83d\\ude00"', 'x\\ud83d\\ude00'])
      expect(testOf(`word = ${value}`)).toMatchObject({ op: 'equal' })
    expect(testOf('exact = :1', ['😀\uffff'])).toMatchObject({
      value: textKey('😀\uffff', 'exact'),
    })
  })
})
