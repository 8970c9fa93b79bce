import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import type { BindOptions } from '../../src/filter/context.ts'
import type { FilterParameters } from '../../src/filter/parameters.ts'
import { describePredicate, type Predicate } from '../../src/filter/predicate.ts'
import type { AttributeModel, ClassModel } from '../../src/model/catalog.ts'
import { box, place, thing } from './kinds-catalog.ts'
import { offsetOf, refusalOf } from './refusal.ts'
import { used } from './used.ts'

const bound = (
  text: string,
  parameters?: FilterParameters,
  dataClass: ClassModel = thing,
  options: BindOptions = {},
) => prepareFilter(text, dataClass, options).bind(parameters).predicate
const shown = (...args: Parameters<typeof bound>) => describePredicate(bound(...args))

/**
 * The relations of a predicate, outermost first, each with its result for a missing entity:
 * `owner`, `parts{2}`, `box?`.
 */
function way(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'related': {
      const { relation, instance, whenMissing, part } = predicate
      const step = `${relation.owner.name}.${relation.name}${instance === 1 ? '' : `{${instance}}`}${whenMissing ? '?' : ''}`
      return [step, way(part)].filter((text) => text !== '').join(' > ')
    }
    case 'and':
    case 'or':
      return predicate.parts.map(way).join(` ${predicate.kind} `)
    case 'not':
      return `not ${way(predicate.part)}`
    case 'constant':
      return predicate.value ? 'everything' : 'nothing'
    default: {
      const { attribute } = predicate
      return `${attribute.owner.name}.${attribute.name}`
    }
  }
}

describe('a path', () => {
  test.each([
    ['count = 1', 'Thing.count'],
    ['owner.count = 1', 'Thing.owner > Thing.count'],
    ['owner.owner.count = 1', 'Thing.owner > Thing.owner > Thing.count'],
    ['box.place.name = x', 'Thing.box > Box.place > Place.name'],
    ['parts.parts.count = 1', 'Thing.parts > Thing.parts > Thing.count'],
    ['box.things.count = 1', 'Thing.box > Box.things > Thing.count'],
    ['boxName = x', 'Thing.box > Box.name'],
    ['owner.boxName = x', 'Thing.owner > Thing.box > Box.name'],
    ['box.things.boxName = x', 'Thing.box > Box.things > Thing.box > Box.name'],
    ['boxNotes.a = 1', 'Thing.box > Box.notes'],
    ['ownerSum > 1', 'Thing.owner > Thing.sum'],
    ['owner.sum > 1', 'Thing.owner > Thing.sum'],
    ['owner.isOld', 'Thing.owner > Thing.isOld'],
    ['flag', 'Thing.flag'],
    ['isOld', 'Thing.isOld'],
    ['notes.a', 'Thing.notes'],
    ['owner.notes.a', 'Thing.owner > Thing.notes'],
    // A key behind a to-one relation becomes the foreign key in front of it, as far as possible.
    ['owner.ID = 1', 'Thing.ownerID'],
    ['owner.owner.ID = 1', 'Thing.owner > Thing.ownerID'],
    ['box.code = null', 'Thing.boxCode'],
    ['owner.box.code = null', 'Thing.owner? > Thing.boxCode'],
    ['ownerBoxCode = null', 'Thing.owner? > Thing.boxCode'],
    ['parts.ID = 1', 'Thing.parts > Thing.ID'],
    ['parts.owner.ID = 1', 'Thing.parts > Thing.ownerID'],
    ['box.place.ID = 1', 'Thing.box > Box.place'],
    ['owner.ownerID = 1', 'Thing.owner > Thing.ownerID'],
    // A relation stands for its key.
    ['owner = 1', 'Thing.ownerID'],
    ['owner != 1', 'Thing.ownerID'],
    ['owner === 1', 'Thing.ownerID'],
    ['owner !== 1', 'Thing.ownerID'],
    ['owner in [1, 2]', 'Thing.ownerID'],
    ['owner.owner = 1', 'Thing.owner > Thing.ownerID'],
    ['parts = 1', 'Thing.parts > Thing.ID'],
    ['parts in [1]', 'Thing.parts > Thing.ID'],
    ['parts != 1', 'Thing.parts > Thing.ID'],
    ['owner.parts = 1', 'Thing.owner > Thing.parts > Thing.ID'],
    // Whether there is a related entity.
    ['owner = null', 'Thing.ownerID'],
    ['owner != null', 'Thing.ownerID'],
    ['owner.owner = null', 'Thing.owner? > Thing.ownerID'],
    ['owner.owner !== null', 'Thing.owner > Thing.ownerID'],
    ['parts = null', 'not Thing.parts > everything'],
    ['parts === null', 'not Thing.parts > everything'],
    ['parts != null', 'Thing.parts > everything'],
    ['parts !== null', 'Thing.parts > everything'],
    ['owner.parts = null', 'Thing.owner? > not Thing.parts > everything'],
    ['owner.parts is null', 'Thing.owner? > not Thing.parts > everything'],
    ['owner.parts != null', 'Thing.owner > Thing.parts > everything'],
    ['parts{3} != null', 'Thing.parts{3} > everything'],
    // A missing to-one relation satisfies tests for null only.
    ['owner.count = null', 'Thing.owner? > Thing.count'],
    ['owner.count is null', 'Thing.owner? > Thing.count'],
    ['owner.count != null', 'Thing.owner > Thing.count'],
    ['owner.count is not null', 'Thing.owner > Thing.count'],
    ['owner.owner.count = null', 'Thing.owner? > Thing.owner? > Thing.count'],
    ['parts.count = null', 'Thing.parts > Thing.count'],
    ['parts.owner.count = null', 'Thing.parts > Thing.owner? > Thing.count'],
    ['owner.notes.a = null', 'Thing.owner? > Thing.notes'],
    ['owner.notes.a != null', 'Thing.owner > Thing.notes'],
    ['owner.notes.a[].b = null', 'Thing.owner > Thing.notes'],
    ['owner.notes.a[x].b = null', 'Thing.owner > Thing.notes'],
    ['owner.notes[].b = null', 'Thing.owner > Thing.notes'],
    ['owner.sum = null', 'Thing.owner? > Thing.sum'],
    ['boxNotes = null', 'Thing.box? > Box.notes'],
    ['owner.count = null and owner.word = null', 'Thing.owner? > Thing.count and Thing.word'],
    ['owner.count = null and owner.word = a', 'Thing.owner > Thing.count and Thing.word'],
    ['owner.count = 1 and owner.word = null', 'Thing.owner > Thing.count and Thing.word'],
    ['not owner.count = null', 'not Thing.owner? > Thing.count'],
    // No entity satisfies it, so no relation is followed.
    ['owner.count in []', 'nothing'],
    ['parts.count in []', 'nothing'],
    ['not parts.count in []', 'everything'],
    ['owner.owner.word % "."', 'nothing'],
    ['owner.notes.a in []', 'nothing'],
    ['owner.notes.l[].a in []', 'nothing'],
    ['owner.notes.l[q].a in [] and owner.flag', 'nothing'],
  ])('%s is %s', (text, expected) => {
    expect(way(bound(text))).toBe(expected)
  })

  test('to a dataclass with hidden entities is followed to its end', () => {
    const isRestricted = (dataClass: ClassModel) => dataClass === box
    const followed = (text: string) => way(bound(text, undefined, thing, { isRestricted }))
    expect(followed('box.code = null')).toBe('Thing.box? > Box.code')
    expect(followed('box = null')).toBe('Thing.box? > Box.code')
    expect(followed('box != null')).toBe('Thing.box > Box.code')
    expect(followed(`box = 0123456789abcdef0123456789abcdef`)).toBe('Thing.box > Box.code')
    expect(followed('owner.box = null')).toBe('Thing.owner? > Thing.box? > Box.code')
    expect(followed('ownerBoxCode = null')).toBe('Thing.owner? > Thing.box? > Box.code')
    expect(followed('owner = 1')).toBe('Thing.ownerID')
    expect(followed('owner.ID = 1')).toBe('Thing.ownerID')
    expect(followed('boxCode = null')).toBe('Thing.boxCode')
  })

  test.each([
    ['parts.owner{2}.count = 1', 'Thing.parts{2} > Thing.owner{2} > Thing.count'],
    ['parts.owner.count = 1', 'Thing.parts > Thing.owner > Thing.count'],
    ['parts{3}.owner{2}.count = 1', 'Thing.parts{3} > Thing.owner{2} > Thing.count'],
    [
      'parts.owner{2}.owner{3}.count = 1',
      'Thing.parts{2} > Thing.owner{2} > Thing.owner{3} > Thing.count',
    ],
    [
      'owner.parts.owner{2}.count = 1',
      'Thing.owner > Thing.parts{2} > Thing.owner{2} > Thing.count',
    ],
    [
      'parts.parts.owner{2}.count = 1',
      'Thing.parts > Thing.parts{2} > Thing.owner{2} > Thing.count',
    ],
    [
      'owner.parts.box{2}.things.flag',
      'Thing.owner > Thing.parts{2} > Thing.box{2} > Box.things > Thing.flag',
    ],
    ['parts.owner.box{2}.name = x', 'Thing.parts{2} > Thing.owner{2} > Thing.box{2} > Box.name'],
    ['owner.box{2}.name = x', 'Thing.owner{2} > Thing.box{2} > Box.name'],
    ['owner{2}.count = 1', 'Thing.owner{2} > Thing.count'],
    ['parts{2}.parts{3}.count = 1', 'Thing.parts{2} > Thing.parts{3} > Thing.count'],
    ['parts.parts{3}.count = 1', 'Thing.parts > Thing.parts{3} > Thing.count'],
    ['parts.owner{2} = 5', 'Thing.parts{2} > Thing.ownerID'],
    ['parts{2} = 5', 'Thing.parts{2} > Thing.ID'],
    ['parts{12} = null', 'not Thing.parts{12} > everything'],
  ])('%s is about other entities of its path: %s', (text, expected) => {
    expect(way(bound(text))).toBe(expected)
  })

  test.each([
    ['word{2} = x', 0, '"{2}" can stand behind a relation only, and "word" is not one.'],
    ['owner.count{13} = 1', 6, '"{13}" can stand behind a relation only, and "count" is not one.'],
    ['boxName{2} = x', 0, '"{2}" can stand behind a relation only, and "boxName" is not one.'],
    ['notes{2}.a = 1', 0, '"{2}" can stand behind a relation only, and "notes" is not one.'],
    ['notes.a{2} = 1', 6, '"{2}" can stand behind a relation only, and "a" is not one.'],
    ['notes.a.b{3}.c = 1', 8, '"{3}" can stand behind a relation only, and "b" is not one.'],
    [
      'owner[].count = 1',
      0,
      '"[]" can stand behind a collection of an object attribute only, and "owner" is not one.',
    ],
    [
      'parts[a] = 1',
      0,
      '"[a]" can stand behind a collection of an object attribute only, and "parts" is not one.',
    ],
    [
      'flag or owner.parts[q].ID = 1',
      14,
      '"[q]" can stand behind a collection of an object attribute only, and "parts" is not one.',
    ],
    [
      'word[] = x',
      0,
      '"[]" can stand behind a collection of an object attribute only, and "word" is not one.',
    ],
    [
      'sum[a] = 1',
      0,
      '"[]" can stand behind a collection of an object attribute only, and "sum" is not one.',
    ],
    [
      'owner > 1',
      0,
      '"owner" is a relation to "Thing": compare it by = or !=, or name an attribute behind it, as in "owner.word".',
    ],
    [
      'owner.box begin x',
      0,
      '"box" is a relation to "Box": compare it by = or !=, or name an attribute behind it, as in "box.name".',
    ],
    [
      'flag and parts <= 5',
      9,
      '"parts" is a relation to "Thing": compare it by = or !=, or name an attribute behind it, as in "parts.word".',
    ],
    ['parts > null', 8, 'null can be compared by "=" and "!=" only.'],
    ['parts % null', 8, 'null can be compared by "=" and "!=" only.'],
    ['owner >= null', 9, 'null can be compared by "=" and "!=" only.'],
    [
      'owner = x',
      8,
      '"owner" is compared with a number, not with the text "x". A relation compares with a key of "Thing". For another attribute write a path, as in "owner.word".',
    ],
    [
      'parts in [1, x]',
      13,
      '"parts" is compared with a number, not with the text "x". A relation compares with a key of "Thing". For another attribute write a path, as in "parts.word".',
    ],
    [
      'box = x',
      6,
      '"box" is compared with a UUID of 32 hexadecimal digits, not with the text "x". A relation compares with a key of "Box". For another attribute write a path, as in "box.name".',
    ],
    ['owner.ID = x', 11, '"ID" is compared with a number, not with the text "x".'],
    ['boxName = true', 10, '"boxName" is text: write \'true\' in quotes.'],
    [
      'ownerBadge = 1',
      13,
      '"ownerBadge" is compared with a UUID of 32 hexadecimal digits, not with the text "1".',
    ],
  ])('%s is refused at its place', (text, offset, problem) => {
    const error = refusalOf(() => prepareFilter(text, thing))
    expect([error.code, error.details]).toEqual([
      'filterCannotBeAnalysed',
      { filter: text, offset, problem },
    ])
  })

  test('to a relation names no hidden attribute as an example', () => {
    for (const text of ['owner = x', 'owner > 1']) {
      const isVisible = (attribute: AttributeModel) =>
        attribute.kind !== 'storage' || attribute.type !== 'string'
      const { message } = refusalOf(() => prepareFilter(text, thing, { isVisible }))
      expect(message).toMatch(/(attribute behind it|write a path)\.\n/)
    }
  })

  test.each([
    ['what = 1', 0, 'Thing', 'what'],
    ['flag and what', 9, 'Thing', 'what'],
    ['box.what = 1', 4, 'Box', 'what'],
    ['box.place.what.name = 1', 10, 'Place', 'what'],
    ['word.length = 1', 5, 'Thing', 'word.length'],
    ['owner.word.a.b = 1', 11, 'Thing', 'word.a'],
    ['sum.a = 1', 4, 'Thing', 'sum.a'],
    ['shape.a = 1', 6, 'Thing', 'shape.a'],
    ['picture.size = 1', 8, 'Thing', 'picture.size'],
    ['word[].a = 1', 7, 'Thing', 'word.a'],
    ['Word = 1', 0, 'Thing', 'Word'],
    ['count order by what', 0, null, null],
  ])('%s has an unknown name', (text, offset, dataClass, attribute) => {
    const error = refusalOf(() =>
      prepareFilter(dataClass === null ? `flag order by what` : text, thing),
    )
    expect([error.code, offsetOf(error)]).toEqual([
      'filterCannotBeAnalysed',
      dataClass === null ? 14 : offset,
    ])
    const known = (dataClass === 'Box' ? box : dataClass === 'Place' ? place : thing).attributes
    expect(error.cause).toMatchObject({
      code: 'attributeNotFound',
      details: {
        dataClass: dataClass ?? 'Thing',
        attribute: attribute ?? 'what',
        known: [...known.keys()],
      },
    })
  })

  test('names and lists visible attributes only', () => {
    const isVisible = ({ name }: { readonly name: string }) => name !== 'count' && name !== 'box'
    for (const text of [
      'count = 1',
      'owner.count = 1',
      'box = null',
      'parts.box.name = x',
      'flag order by count',
    ]) {
      const { cause } = refusalOf(() => prepareFilter(text, thing, { isVisible }))
      expect(cause).toMatchObject({ code: 'attributeNotFound' })
      expect((cause as { readonly details: { readonly known: string[] } }).details.known).toEqual(
        [...thing.attributes.keys()].filter((name) => name !== 'count' && name !== 'box'),
      )
    }
    prepareFilter('boxName = x and owner.flag', thing, { isVisible })
  })
})

describe('comparisons of one conjunction', () => {
  test.each([
    ['owner.count = 1 and owner.flag', 'Thing.owner > Thing.count and Thing.flag'],
    [
      'parts.count = 1 and flag and parts.flag',
      'Thing.parts > Thing.count and Thing.flag and Thing.flag',
    ],
    [
      'parts.count = 1 and parts{2}.flag',
      'Thing.parts > Thing.count and Thing.parts{2} > Thing.flag',
    ],
    ['owner.count = 1 and owner{2}.flag', 'Thing.owner > Thing.count and Thing.flag'],
    [
      'box.name = a and owner.flag and boxName = b',
      'Thing.box > Box.name and Box.name and Thing.owner > Thing.flag',
    ],
    [
      'parts.count = 1 and (flag or parts.flag)',
      'Thing.parts > Thing.count and Thing.flag or Thing.parts > Thing.flag',
    ],
    [
      'parts.count = 1 and (flag and parts.flag)',
      'Thing.parts > Thing.count and Thing.flag and Thing.flag',
    ],
    [
      'parts.owner.count = 1 and parts.flag',
      'Thing.parts > Thing.owner > Thing.count and Thing.flag',
    ],
    ['parts.flag or parts.count = 1', 'Thing.parts > Thing.flag or Thing.parts > Thing.count'],
    ['parts.flag except parts.isOld', 'Thing.parts > Thing.flag and not Thing.parts > Thing.isOld'],
    [
      'parts.flag and not parts.isOld',
      'Thing.parts > Thing.flag and not Thing.parts > Thing.isOld',
    ],
    [
      'parts.parts.flag and parts.parts.isOld',
      'Thing.parts > Thing.parts > Thing.flag and Thing.isOld',
    ],
    [
      'parts.parts.flag and parts.parts{2}.isOld',
      'Thing.parts > Thing.parts > Thing.flag and Thing.parts{2} > Thing.isOld',
    ],
    ['parts != null and parts.flag', 'Thing.parts > everything and Thing.parts > Thing.flag'],
  ])('%s: %s', (text, expected) => {
    expect(way(bound(text))).toBe(expected)
    // Values that are given later change nothing.
    const open = text.replaceAll('= 1', '= :1')
    expect(way(bound(open, used(open, [1])))).toBe(expected)
  })
})

describe('comparisons of one element', () => {
  test.each([
    ['notes.l[a].x = 1 and notes.l[a].y = 2', 'one of (notes.l[].x = 1 and notes.l[].y = 2)'],
    [
      'notes.l[a].x = 1 and flag and notes.l[A].y = 2',
      'one of (notes.l[].x = 1 and notes.l[].y = 2) and flag = true',
    ],
    ['notes.l[a].x = 1 and notes.l[b].y = 2', 'notes.l[].x = 1 and notes.l[].y = 2'],
    ['notes.l[a].x = 1 and extra.l[a].y = 2', 'notes.l[].x = 1 and extra.l[].y = 2'],
    ['notes.l[a].x = 1 and notes.l.m[a].y = 2', 'notes.l[].x = 1 and notes.l.m[].y = 2'],
    ['notes.l[a].x = 1 and notes.l[].y = 2', 'notes.l[].x = 1 and notes.l[].y = 2'],
    ['notes[a].x = 1 and notes[a].y = 2', 'one of (notes[].x = 1 and notes[].y = 2)'],
    [
      'notes.k.l[a].x = 1 and notes.k.l[a].y = 2',
      'one of (notes.k.l[].x = 1 and notes.k.l[].y = 2)',
    ],
    [
      'notes.l[a].m.n[b].x = 1 and notes.l[a].m.n[b].y = 2',
      'one of (notes.l[].m.n[].x = 1 and notes.l[].m.n[].y = 2)',
    ],
    [
      'notes.l[a].m[b].x = 1 and notes.l[a].m[c].y = 2',
      'one of (notes.l[].m[].x = 1 and notes.l[].m[].y = 2)',
    ],
    ['notes.l[a].x = 1 and notes.l[a].x in []', 'nothing'],
    ['notes.l[a].x != 1 and notes.l[a].y != 2', 'one of (notes.l[].x != 1 and notes.l[].y != 2)'],
    ['notes.l[].x != 1', 'not (notes.l[].x = 1)'],
    ['notes.l[].x !== 1', 'not (notes.l[].x = 1)'],
    ['notes.l[].m[].x != 1', 'not (notes.l[].m[].x = 1)'],
    ['notes.l[].x > 1', 'notes.l[].x > 1'],
    ['notes.a.b.l[].x = 1', 'notes.a.b.l[].x = 1'],
    ['notes.l[].m.n.x = 1', 'notes.l[].m.n.x = 1'],
    ['notes.l[].m.k[].x = 1', 'notes.l[].m.k[].x = 1'],
    [
      'notes.l[a].m.length > 1 and notes.l[a].x = 1',
      'one of (notes.l[].m.length > 1 and notes.l[].x = 1)',
    ],
    ['notes.l.length = 1', 'notes.l.length = 1'],
    ['notes.length.x = 1', 'notes.length.x = 1'],
    ['notes.length = 1', 'notes.length = 1'],
    ['notes[].length = 1', 'notes[].length = 1'],
    ['notes.l[] = 1', 'notes.l[] = 1'],
    ['notes.l[] != 1', 'not (notes.l[] = 1)'],
    ['notes[] = 1', 'notes[] = 1'],
    ['notes.a in []', 'nothing'],
    ['notes.l[].a in []', 'nothing'],
    ['notes.a = 1 and notes.b = 2', 'notes.a = 1 and notes.b = 2'],
    [
      'owner.notes.l[a].x = 1 and owner.notes.l[a].y = 2',
      'one of (owner.notes.l[].x = 1 and owner.notes.l[].y = 2)',
    ],
    ['owner.notes.l[a].x = 1 and notes.l[a].y = 2', '(owner.notes.l[].x = 1) and notes.l[].y = 2'],
    ['not notes.l[a].x = 1 and notes.l[a].y = 2', 'not (notes.l[].x = 1) and notes.l[].y = 2'],
    ['notes.l[a].x = 1 or notes.l[a].y = 2', 'notes.l[].x = 1 or notes.l[].y = 2'],
  ])('%s: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
    const open = text.replaceAll('= 1', '= :1').replaceAll('= 2', '= :2')
    expect(shown(open, used(open, [1, 2]))).toBe(expected)
  })
})

describe('"length" behind a collection', () => {
  test.each([
    ['notes.length > 1', 'length', []],
    ['notes.l.length > 1', 'length', ['l']],
    ['notes.a.b.l.length > 1', 'length', ['a', 'b', 'l']],
    ['notes.length.length > 1', 'length', ['length']],
    ['notes.length.x > 1', 'value', ['length', 'x']],
    ['notes.a.length.x > 1', 'value', ['a', 'length', 'x']],
    ['notes.lengths > 1', 'value', ['lengths']],
  ])('%s tests the %s at %j', (text, kind, path) => {
    expect(bound(text)).toMatchObject({ kind: 'property', match: { kind, path } })
    const inside = bound(text.replace('notes.', 'notes[].'))
    expect(inside).toMatchObject({ match: { kind: 'some', path: [], all: [{ kind, path }] } })
  })
})
