import { expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { readsOf } from '../../src/filter/reads-of.ts'
import { thing } from './kinds-catalog.ts'

/** The dataclasses that a filter with its order reads, by name; null where it may read any. */
function readBy(text: string): string | null {
  const { predicate, orderBy } = prepareFilter(text, thing).bind()
  const reads = readsOf(thing, predicate, orderBy)
  return reads === null ? null : [...reads.keys()].map(({ name }) => name).join(' ')
}

test.each([
  ['', 'Thing'],
  ['count = 1', 'Thing'],
  ['count in []', 'Thing'],
  ['notes.a = 1', 'Thing'],
  ['notes.l[].a != 1', 'Thing'],
  ['owner.flag', 'Thing'],
  ['box.name = x', 'Thing Box'],
  ['box.code = null', 'Thing'],
  ['boxName = x', 'Thing Box'],
  ['box.place.name = x', 'Thing Box Place'],
  ['not box.place.name = x', 'Thing Box Place'],
  ['flag and (isOld or box.name = x)', null],
  ['flag and (count = 1 or box.name = x)', 'Thing Box'],
  ['flag or box.place.name = x or count = 1', 'Thing Box Place'],
  ['flag except box.name = x', 'Thing Box'],
  ['isOld', null],
  ['not isOld', null],
  ['flag or isOld', null],
  ['box.things.sum = 1', null],
  ['box.name = x and not (flag or title = y)', null],
  ['order by count', 'Thing'],
  ['order by count, box.name', 'Thing Box'],
  ['order by box.place.name', 'Thing Box Place'],
  ['order by notes.a', 'Thing'],
  ['order by sum', null],
  ['order by owner.sum', null],
  ['order by count, title desc', null],
  ['flag order by box.name', 'Thing Box'],
  ['box.name = x order by box.place.name', 'Thing Box Place'],
  ['isOld order by count', null],
])('%s reads entities of %s', (text, expected) => {
  expect(readBy(text)).toBe(expected)
})
