import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import {
  EVERYTHING,
  NOTHING,
  restrictRelations,
  seeingEverything,
} from '../../src/filter/context.ts'
import { describePredicate, type Predicate, type Test } from '../../src/filter/predicate.ts'
import type { ClassModel } from '../../src/model/catalog.ts'
import { box, thing } from './kinds-catalog.ts'

/** One thing or box of a small world. Relations hold their targets. */
interface Item {
  readonly ID: number
  readonly code: string
  readonly count: number | null
  readonly name: string | null
  owner: Item | null
  parts: readonly Item[]
  box: Item | null
  things: readonly Item[]
}
type Values = Record<string, unknown>

function holdsOf(test: Test, value: unknown): boolean {
  switch (test.op) {
    case 'isNull':
      return value === null
    case 'isNotNull':
      return value !== null
    case 'equal':
      return value === test.value
    case 'greater':
      return typeof value === 'number' && value > Number(test.value)
    default:
      throw new Error(`unexpected here: ${test.op}`)
  }
}

/** The result of a predicate for an item, where relations lead to visible items only. */
function holds(predicate: Predicate, item: Item, isSeen: (item: Item) => boolean): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value
    case 'and':
      return predicate.parts.every((part) => holds(part, item, isSeen))
    case 'or':
      return predicate.parts.some((part) => holds(part, item, isSeen))
    case 'not':
      return !holds(predicate.part, item, isSeen)
    case 'compare':
      return holdsOf(predicate.test, (item as unknown as Values)[predicate.attribute.name])
    case 'related': {
      const led = (item as unknown as Values)[predicate.relation.name] as
        | Item
        | readonly Item[]
        | null
      const found = (led === null ? [] : [led].flat()).filter(isSeen)
      if (predicate.relation.kind === 'relatedEntity' && found.length === 0)
        return predicate.whenMissing
      return found.some((one) => holds(predicate.part, one, isSeen))
    }
    default:
      throw new Error(`unexpected here: ${predicate.kind}`)
  }
}

const item = (count: number | null, name: string | null): Item => ({
  ID: 1,
  code: 'key',
  count,
  name,
  owner: null,
  parts: [],
  box: null,
  things: [],
})

/** Things owned in a chain and in pairs, in visible, hidden and missing boxes. */
function world(): { readonly things: readonly Item[]; readonly boxes: readonly Item[] } {
  const things = [0, 1, 2, 3, null, 5, 6, 7].map((count, i) =>
    item(count, i % 3 === 0 ? null : `n${i % 2}`),
  )
  const boxes = ['a', 'b', null].map((name) => item(null, name))
  for (const [i, one] of things.entries()) {
    one.owner = i === 0 || i === 4 ? null : things[i >> 1]
    one.box = i % 4 === 3 ? null : boxes[i % 3]
  }
  for (const one of things) one.parts = things.filter(({ owner }) => owner === one)
  for (const one of boxes) one.things = things.filter((other) => other.box === one)
  return { things, boxes }
}

const ASKED = [
  'owner.count > 0',
  'owner.count = null',
  'owner != null',
  'owner = null',
  'box.name = a',
  'box.name = null',
  'box = null',
  'parts != null',
  'parts = null',
  'parts.count > 1',
  'not parts.count > 1',
  'parts.count > 1 and parts.box.name = b',
  'owner.owner.count = null',
  'owner.parts = null',
  'owner.box.name = null and owner.count = null',
  'count > 1 and (box.name = a or not owner.box.name = b)',
  'box.things.owner.count > 0 except parts.count = 5',
  'box.things.parts = null',
  'count > 2',
  'count in []',
  '',
]

describe('a restricted predicate', () => {
  const { things, boxes } = world()
  const rule = (text: string, dataClass: ClassModel) =>
    prepareFilter(text, dataClass).bind().predicate
  const RULES: readonly (readonly [string, Predicate | null, Predicate | null])[] = [
    ['all of both', null, null],
    ['boxes of one name', null, rule('name = a', box)],
    ['boxes with no name', null, rule('name = null', box)],
    ['things above one', rule('count > 1', thing), null],
    ['few of both', rule('not count > 5', thing), rule('not name = b', box)],
    ['none', NOTHING, NOTHING],
    ['any', EVERYTHING, EVERYTHING],
  ]

  test.each(RULES)(
    'of %s behaves as if hidden entities did not exist',
    (_name, ofThings, ofBoxes) => {
      const ruleOf = (dataClass: ClassModel) =>
        dataClass === thing ? ofThings : dataClass === box ? ofBoxes : null
      const all = () => true
      const isSeen = (one: Item): boolean => {
        const seen = ruleOf(boxes.includes(one) ? box : thing)
        return seen === null || holds(seen, one, all)
      }
      for (const text of ASKED) {
        const { predicate } = prepareFilter(text, thing, { isRestricted: () => true }).bind()
        const restricted = restrictRelations(predicate, ruleOf)
        const asked = things.map((one) => holds(restricted, one, all))
        expect(asked, text).toEqual(things.map((one) => holds(predicate, one, isSeen)))
      }
    },
  )

  test('without rules is unchanged, and so is one without relations', () => {
    const nothing = () => null
    for (const text of ASKED) {
      const { predicate } = prepareFilter(text, thing).bind()
      expect(restrictRelations(predicate, nothing)).toEqual(predicate)
    }
    for (const text of ['count > 1', 'notes.a = 1', 'sum = 1', '']) {
      const { predicate } = prepareFilter(text, thing).bind()
      expect(restrictRelations(predicate, () => NOTHING)).toBe(predicate)
    }
  })
})

describe('the predicate of a row filter', () => {
  const seesEverything = (text: string): readonly unknown[] => {
    const marks: unknown[] = []
    const visit = (predicate: Predicate): void => {
      if (predicate.kind === 'computed')
        marks.push([predicate.attribute.name, predicate.seesEverything])
      if (predicate.kind === 'and' || predicate.kind === 'or') predicate.parts.forEach(visit)
      if (predicate.kind === 'not' || predicate.kind === 'related') visit(predicate.part)
    }
    const { predicate } = prepareFilter(text, thing).bind()
    const seeing = seeingEverything(predicate)
    visit(seeing)
    expect(describePredicate(seeing)).toBe(describePredicate(predicate))
    return marks
  }

  test.each([
    ['isOld', ['isOld']],
    ['not isOld', ['isOld']],
    ['flag and sum = 1', ['sum']],
    ['sum = 1 or not (title = x and flag)', ['sum', 'title']],
    ['owner.sum = 1', ['sum']],
    ['parts.isOld and parts.owner.title = x', ['isOld', 'title']],
    ['not (owner.sum = null or isOld)', ['sum', 'isOld']],
    ['count = 1 and notes.a = 1', []],
    ['', []],
  ])('%s: its computed attributes see hidden entities', (text, names) => {
    expect(seesEverything(text)).toEqual(names.map((name) => [name, true]))
  })

  test('is unchanged without computed attributes', () => {
    for (const text of ['count = 1', 'notes.a = 1', '', 'owner.count = null and not flag'])
      expect(seeingEverything(prepareFilter(text, thing).bind().predicate)).toEqual(
        prepareFilter(text, thing).bind().predicate,
      )
  })
})
