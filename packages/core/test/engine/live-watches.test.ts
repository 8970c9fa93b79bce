import { expect, test } from 'vitest'
import type { Database } from '../../src/execute/database.ts'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { watchesOf } from '../../src/live/live-watches.ts'
import type { ClassModel } from '../../src/model/catalog.ts'
import type { Statistics } from '../../src/plan/cost.ts'
import { thing } from '../filter/kinds-catalog.ts'

const database = { tableOf: (model: ClassModel) => ({ model }) } as unknown as Database
const statistics = {
  access: () => null,
  rowCount: () => 1,
  sampledShare: () => 0.5,
} as unknown as Statistics

/**
 * The names of the dataclasses whose changes may affect the filter with its order; null for any.
 */
function readBy(text: string): string | null {
  const { predicate, orderBy } = prepareFilter(text, thing).bind()
  const watches = watchesOf(database, statistics, thing, predicate, orderBy)
  return watches === null
    ? null
    : [...new Set(watches.map(({ table }) => table.model.name))].join(' ')
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
])('%s is moved by entities of %s', (text, expected) => {
  expect(readBy(text)).toBe(expected)
})
