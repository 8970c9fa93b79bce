import { beforeAll, expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { RoundTrips } from './round-trips.ts'
import { createHrStore, serve } from './world.ts'

describeDatabases('round trips of requests', {}, ({ open, newSchema }) => {
  const trips = new RoundTrips()
  let ask: Awaited<ReturnType<typeof serve>>
  let set = ''

  beforeAll(async () => {
    ask = await serve(createHrStore(30), open({ onSend: trips.onSend }), newSchema())
    const kept = await ask('GET', 'Employee?$method=entityset&$limit=1')
    set = String(kept.body.__ENTITYSET).split('/').at(-1)!
  })

  test.each([
    ['an entity', 'GET', 'Employee(1)', 1],
    ['an entity that does not exist', 'GET', 'Employee(404)', 1],
    ['an entity with its relation', 'GET', 'Employee(1)?$expand=employer', 1],
    ['an entity with related entities', 'GET', 'Company(1)?$expand=staff', 1],
    ['the entity behind a relation', 'GET', 'Employee(1)/employer', 1],
    ['the entities behind a relation', 'GET', 'Company(1)/staff', 1],
    ['a page', 'GET', 'Employee?$limit=10', 1],
    ['a page of a filter, ordered', 'GET', 'Employee?$filter="salary>1"&$orderby=lastName', 1],
    ['a page with expansions', 'GET', 'Employee?$filter="employer.name=Acme"&$expand=employer', 1],
    ['a page that is kept as a set', 'GET', 'Employee?$method=entityset&$filter="salary>1"', 1],
    ['a page of a set', 'GET', 'Employee/$entityset/{set}?$skip=5', 2],
    ['a filter on a set', 'GET', 'Employee/$entityset/{set}?$filter="salary>1"', 2],
    ['aggregates', 'GET', 'Employee/salary?$compute=$all', 1],
    ['distinct values', 'GET', 'Employee/lastName?$distinct=true', 1],
    ['an invalid filter', 'GET', 'Employee?$filter="nobody=1"', 0],
  ])('%s', async (_title, method, url, expected) => {
    trips.take()
    await ask(method, url.replace('{set}', set))
    expect(trips.take()).toBe(expected)
  })

  test.each([
    ['an insertion', { lastName: 'New', employer: 2 }, 2],
    ['an update', { __KEY: 3, salary: 1 }, 2],
    ['a batch', [{ __KEY: 4, salary: 1 }, { lastName: 'Newer' }, { __KEY: 5, salary: 2 }], 2],
    ['an update with an old stamp: it is rolled back', { __KEY: 6, __STAMP: 99, salary: 1 }, 2],
  ])('%s', async (_title, content, expected) => {
    trips.take()
    await ask('POST', 'Employee?$method=update', content)
    expect(trips.take()).toBe(expected)
  })

  test('an update of an entity that the process has read lately takes one', async () => {
    await ask('POST', 'Employee?$method=update', { __KEY: 11, salary: 1 })
    trips.take()
    await ask('POST', 'Employee?$method=update', { __KEY: 11, salary: 2 })
    expect(trips.takeStatements()).toEqual([6])
  })

  // With BEGIN and COMMIT. The history is written by the statement of the gate, and constraints are
  // checked only where the change can break one: a salary cannot.
  test.each([
    ['an update of a plain value', { __KEY: 9, salary: 5 }, [4, 3]],
    ['an update of a relation', { __KEY: 10, employer: 2 }, [5, 4]],
  ])('%s sends few statements', async (_title, content, expected) => {
    trips.take()
    await ask('POST', 'Employee?$method=update', content)
    expect(trips.takeStatements()).toEqual(expected)
  })

  test('a deletion takes two', async () => {
    trips.take()
    expect((await ask('POST', 'Employee(7)?$method=delete')).status).toBe(200)
    expect(trips.take()).toBe(2)
  })

  test('a lock of a caller without a session takes two, since the entity is read first', async () => {
    trips.take()
    expect((await ask('GET', 'Employee(8)?$lock=true')).status).toBe(200)
    expect(trips.take()).toBe(2)
  })
})
