// The reads of the matrix: each reads from a store of employees, with new random values per call.

import { pick } from '../data.js'

const salary = (random, low = 1000, high = 200_000) => low + Math.floor(random() * (high - low))

/**
 * By name; each performs one read and returns the result.
 * @type {Record<string, (context: import('./context.js').Context) => unknown>}
 */
export const reads = {
  get: ({ E, random, size }) => E.get(1 + Math.floor(random() * size)),
  'find by unique text': ({ E, random, emails }) => E.findBy('email', pick(random, emails)),
  'posting list, page': ({ E, random, lastNames }) =>
    page(E.query('lastName = :1', [pick(random, lastNames)])),
  'posting list, count': ({ E, random, lastNames }) =>
    E.query('lastName = :1', [pick(random, lastNames)]).count,
  'narrow range, page': ({ E, random }) => {
    const low = salary(random)
    return page(E.query('salary >= :1 and salary < :2', [low, low + 500]))
  },
  'wide range, count': ({ E, random }) =>
    E.query('salary >= :1', [salary(random, 1000, 50_000)]).count,
  'wide range, page': ({ E, random }) =>
    page(E.query('salary >= :1', [salary(random, 1000, 50_000)])),
  'wide range, page in its order': ({ E, random }) =>
    page(E.query('salary >= :1', [salary(random, 1000, 50_000)]).orderBy('salary')),
  'prefix, page': ({ E, random, lastNames }) =>
    page(E.query('lastName begin :1', [pick(random, lastNames).slice(0, 3)])),
  'scan, count': ({ E, random, days }) => E.query('birthDate < :1', [pick(random, days)]).count,
  'scan, page': ({ E, random, days }) => page(E.query('birthDate < :1', [pick(random, days)])),
  'scan, page in an order': ({ E, random, days }) =>
    page(E.query('birthDate < :1', [pick(random, days)]).orderBy('salary desc, lastName')),
  'scan, first': ({ E, random, days }) =>
    E.query('birthDate < :1 and active = true', [pick(random, days)]).first(),
  conjunction: ({ E, random, lastNames }) =>
    E.query('lastName = :1 and salary > :2 and active = true', [
      pick(random, lastNames),
      40_000,
    ]).toArray(),
  'or of an index': ({ E, random, lastNames }) =>
    page(E.query('lastName = :1 or salary = :2', [pick(random, lastNames), salary(random)])),
  'relation, page': ({ E, random, cities }) =>
    page(E.query('company.city = :1 and salary > :2', [pick(random, cities), 50_000])),
  'all, page in index order': ({ E, random }) =>
    E.all()
      .orderBy('salary desc, lastName')
      .page(Math.floor(random() * 1000), 20)
      .toArray(),
  'all, page in word order': ({ E, random }) =>
    E.all()
      .orderBy('lastName, salary')
      .page(Math.floor(random() * 1000), 20)
      .toArray(),
  'all, first page by few words': ({ E }) => page(E.all().orderBy('firstName, ID')),
  'all, first page by unique text': ({ E }) => page(E.all().orderBy('email')),
  'all, page in no index order': ({ E, random }) =>
    E.all()
      .orderBy('birthDate, firstName desc')
      .page(Math.floor(random() * 1000), 20)
      .toArray(),
  'all, first page by relation': ({ E }) => page(E.all().orderBy('company.name')),
  'filter, first page by text': ({ E, random }) =>
    page(E.query('salary >= :1', [salary(random, 150_000, 180_000)]).orderBy('firstName')),
  'keyset page': ({ E, random, size }) =>
    page(E.query('ID > :1 order by ID', [Math.floor(random() * size)])),
  'last entity': ({ E }) => E.all().orderBy('ID desc').first(),
  'distinct of an indexed text': ({ E }) => E.all().distinct('lastName'),
  'distinct of a selection': ({ E, random }) =>
    E.query('salary >= :1', [salary(random, 50_000, 60_000)]).distinct('lastName'),
  'aggregate of all': ({ E }) => E.all().compute('salary'),
  'max of an indexed number': ({ E }) => E.all().max('salary'),
  'aggregate of a filter': ({ E, random, days }) =>
    E.query('birthDate < :1', [pick(random, days)]).compute('salary'),
  'set operation on kept selections': ({ held }) => held.left.and(held.right).count,
  'page as JSON': ({ E, random, size }) =>
    E.all()
      .page(Math.floor(random() * (size - 100)), 20)
      .json('ID, lastName, salary'),
  'view, page in an order': ({ held, random, days }) =>
    page(held.viewed.query('birthDate < :1', [pick(random, days)]).orderBy('salary desc')),
  'view, count of a range': ({ held, random }) =>
    held.viewed.query('salary < :1', [salary(random, 30_000, 60_000)]).count,
  'past, get': ({ held, random, size }) => held.past.get(1 + Math.floor(random() * size)),
  'held range, page': ({ held, random }) =>
    held.range.page(Math.floor(random() * 1000), 20).toArray(),
  'held ordered selection, page': ({ held, random }) =>
    held.ordered.page(Math.floor(random() * 1000), 20).toArray(),
  'held scan in an order, page': ({ held, random }) =>
    held.scan.page(Math.floor(random() * 1000), 20).toArray(),
}

const page = (selection) => selection.page(0, 20).toArray()
