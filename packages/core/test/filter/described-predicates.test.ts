import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { bindOrderBy } from '../../src/filter/bind-order-by.ts'
import { EVERYTHING, NOTHING } from '../../src/filter/context.ts'
import type { FilterParameters } from '../../src/filter/parameters.ts'
import {
  describeOrderBy,
  describePredicate,
  describeTest,
  type Predicate,
  type RelatedPredicate,
} from '../../src/filter/predicate.ts'
import { thing } from './kinds-catalog.ts'
import { offsetOf, refusalOf } from './refusal.ts'

const bound = (text: string, parameters?: FilterParameters) =>
  prepareFilter(text, thing).bind(parameters).predicate

describe('a predicate on one line', () => {
  test.each([
    ['flag', 'flag = true'],
    ['count = 1', 'count = 1'],
    ['count != 1', 'count != 1'],
    ['count < -1.5', 'count < -1.5'],
    ['count <= 1', 'count <= 1'],
    ['count > 1', 'count > 1'],
    ['count >= 1', 'count >= 1'],
    ['word begin Ab', "word begin 'Ab'"],
    ['word % "a b@"', "word % 'a b@'"],
    ['word = S@', "word = 'S@'"],
    ['word != S@', "word != 'S@'"],
    ["word in [a, 'S@']", "word in ['a', 'S@']"],
    ['count in [1, 2]', 'count in [1, 2]'],
    ['count = null', 'count is null'],
    ['count != null', 'count is not null'],
    ['day = 3!1!1970', "day = '3!1!1970'"],
    ['sum > 1', 'sum > 1'],
    ['', 'everything'],
    ['count in []', 'nothing'],
    ['flag and isOld', 'flag = true and isOld = true'],
    ['flag or isOld', 'flag = true or isOld = true'],
    ['not flag', 'not (flag = true)'],
    ['not (flag or isOld)', 'not (flag = true or isOld = true)'],
    ['flag and (isOld or count = 1)', 'flag = true and (isOld = true or count = 1)'],
    ['flag and not isOld', 'flag = true and not (isOld = true)'],
    ['flag or (isOld and count = 1)', 'flag = true or (isOld = true and count = 1)'],
    ['notes.a.b = 1', 'notes.a.b = 1'],
    ['notes.l.length > 2', 'notes.l.length > 2'],
    ['notes.l[].m.length > 2', 'notes.l[].m.length > 2'],
    ['notes.l[].x != 1', 'not (notes.l[].x = 1)'],
    ['owner.count = 1', 'owner.count = 1'],
    ['owner.sum = 1', 'owner.sum = 1'],
    ['owner.box.name = x', "owner.box.name = 'x'"],
    ['owner.notes.a = 1', 'owner.notes.a = 1'],
    ['owner.notes.l.length = 1', 'owner.notes.l.length = 1'],
    ['parts{2}.count = 1', 'parts{2}.count = 1'],
    ['parts{2}.owner{3}.flag', 'parts{2}.owner{3}.flag = true'],
    ['parts.count = 1 and parts.flag', 'parts.count = 1 and parts.flag = true'],
    ['flag and owner.count = 1', 'flag = true and owner.count = 1'],
    [
      'isOld and parts.count = 1 and parts.flag',
      'isOld = true and (parts.count = 1 and parts.flag = true)',
    ],
    ['parts != null', 'parts exists'],
    ['parts{2} != null', 'parts{2} exists'],
    ['parts = null', 'not (parts exists)'],
    ['owner.parts != null', 'owner.parts exists'],
    ['owner.count = null', 'owner.count is null'],
    ['owner.sum = null', '(owner.sum is null) or owner is null'],
    ['owner.notes.a = null', '(owner.notes.a is null) or owner is null'],
    [
      'owner.count = null and owner.word = null',
      '(owner.count is null and owner.word is null) or owner is null',
    ],
    ['owner.parts = null', '(not (owner.parts exists)) or owner is null'],
    ['flag or owner.parts = null', 'flag = true or ((not (owner.parts exists)) or owner is null)'],
  ])('%s: %s', (text, line) => {
    expect(describePredicate(bound(text))).toBe(line)
  })

  test('of relations with constant conditions', () => {
    const related = bound('parts != null') as RelatedPredicate
    const owner = bound('owner.flag') as RelatedPredicate
    expect(describePredicate({ ...related, part: NOTHING })).toBe('parts is nothing')
    expect(describePredicate({ ...owner, part: { ...related, part: NOTHING, instance: 2 } })).toBe(
      'owner.parts{2} is nothing',
    )
    expect(describePredicate({ ...owner, part: EVERYTHING, whenMissing: true })).toBe(
      'owner exists',
    )
    const parts: Predicate[] = [{ ...related, part: NOTHING }, owner]
    expect(describePredicate({ kind: 'or', parts })).toBe('(parts is nothing) or owner.flag = true')
  })

  test('escapes quotes, line breaks and control characters', () => {
    for (const [text, line] of [
      ["it's", 'it\\u0027s'],
      ['a\nb\r\tc', 'a\\u000ab\\u000d\\u0009c'],
      ['\u0000\u007f\u0085', '\\u0000\\u007f\\u0085'],
      ['\u2028\u2029', '\\u2028\\u2029'],
      ['"é" \\ ~', '"é" \\ ~'],
    ]) {
      expect(describePredicate(bound('word === :1', [text]))).toBe(`word = '${line}'`)
      expect(describePredicate(bound('word in [:1, x]', [text]))).toBe(`word in ['${line}', 'x']`)
    }
  })

  test('of one test is the part behind the attribute', () => {
    expect(describeTest({ op: 'isNull' })).toBe('is null')
    expect(describeTest({ op: 'isNotNull' })).toBe('is not null')
    expect(describeTest({ op: 'greater', value: 1, spelling: 1 })).toBe('> 1')
    expect(
      describeTest({ op: 'in', values: [true, 1, 'a'], wildcards: [], spelling: [true, 1, 'A'] }),
    ).toBe("in [true, 1, 'A']")
  })
})

describe('an order', () => {
  test.each([
    ['count', 'count'],
    ['count desc, word asc', 'count desc, word'],
    ['owner.box.name desc', 'owner.box.name desc'],
    ['boxName', 'box.name'],
    ['notes.a.b desc, owner.notes.c', 'notes.a.b desc, owner.notes.c'],
    ['boxNotes.a', 'box.notes.a'],
    ['owner.sum, birthday desc', 'owner.sum, birthday desc'],
    [
      'day, moment, span, badge, flag, large, amount, exact, ID',
      'day, moment, span, badge, flag, large, amount, exact, ID',
    ],
    ['owner.owner.ID', 'owner.owner.ID'],
  ])('%s: %s', (text, line) => {
    const order = bindOrderBy(text, thing)
    expect(describeOrderBy(order)).toBe(line)
    expect(
      describeOrderBy(prepareFilter(`flag order by ${text}`, thing).bind().orderBy ?? []),
    ).toBe(line)
    expect(Object.isFrozen(order)).toBe(true)
    for (const term of order)
      for (const part of [term, term.steps, term.properties])
        expect(Object.isFrozen(part)).toBe(true)
  })

  test.each([
    ['owner', 'Thing', 'owner', 'It is a relation: order by an attribute behind it.'],
    ['owner.box', 'Thing', 'box', 'It is a relation: order by an attribute behind it.'],
    ['parts', 'Thing', 'parts', 'It is a relation: order by an attribute behind it.'],
    ['parts.count', 'Thing', 'parts', 'It leads to many entities: order by what leads to one.'],
    ['box.things.count', 'Box', 'things', 'It leads to many entities: order by what leads to one.'],
    ['picture', 'Thing', 'picture', 'Bytes have no order.'],
    ['bytes', 'Thing', 'bytes', 'Bytes have no order.'],
    ['icon', 'Thing', 'icon', 'Bytes have no order.'],
    ['owner.bytes', 'Thing', 'bytes', 'Bytes have no order.'],
    [
      'notes',
      'Thing',
      'notes',
      'It is an object: order by a property of it, as in "notes.property".',
    ],
    [
      'shape',
      'Thing',
      'shape',
      'It is a computed object, whose properties are not known: order by another attribute.',
    ],
    [
      'box.notes',
      'Box',
      'notes',
      'It is an object: order by a property of it, as in "notes.property".',
    ],
  ])('by %s is refused with a remedy', (text, dataClass, attribute, remedy) => {
    const details = { dataClass, attribute, remedy }
    const alone = refusalOf(() => bindOrderBy(`count, ${text} desc`, thing))
    expect([alone.code, alone.details]).toEqual(['attributeNotSortable', details])
    const atEnd = refusalOf(() => prepareFilter(`flag order by count, ${text} desc`, thing))
    expect([atEnd.code, offsetOf(atEnd)]).toEqual(['filterCannotBeAnalysed', 21])
    expect(atEnd.cause).toMatchObject({ code: 'attributeNotSortable', details })
  })

  test.each([
    ['parts{2}.count', 0],
    ['owner{2}.count', 0],
    ['owner.notes.l[].x', 12],
    ['notes.l[a].x', 6],
    ['count{3}', 0],
    ['notes[].x', 0],
  ])('%s is refused: an order has no {} and []', (text, at) => {
    const expected = 'a path without "{}" and "[]"'
    const alone = refusalOf(() => bindOrderBy(text, thing))
    expect([alone.code, alone.details]).toEqual([
      'orderBySyntax',
      { orderBy: text, offset: at, expected },
    ])
    const filter = `flag order by ${text}`
    const atEnd = refusalOf(() => prepareFilter(filter, thing))
    expect([atEnd.code, offsetOf(atEnd)]).toEqual(['filterCannotBeAnalysed', 14 + at])
    expect(atEnd.cause).toMatchObject({ code: 'orderBySyntax', details: { expected } })
  })
})
