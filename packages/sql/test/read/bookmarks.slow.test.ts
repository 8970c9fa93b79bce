import { expect, test } from 'vitest'
import { Random } from '../../../core/test/differential/random.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { describeDatabases } from '../database.ts'
import { createHrStore, serve } from '../engine/world.ts'

const ENTITIES = 1150
const TOP = 20
/** Pages begin behind bookmarks from here on. */
const DEEP = 1000

const ORDERS: readonly { readonly url: string; readonly isMarked: boolean }[] = [
  { url: '', isMarked: true },
  { url: '&$orderby=ID', isMarked: true },
  { url: '&$orderby=ID desc', isMarked: true },
  { url: '&$orderby=salary,ID', isMarked: true },
  { url: '&$orderby=salary', isMarked: true },
  { url: '&$filter="ID > 20"&$orderby=salary', isMarked: true },
  // Null is lowest, and most names are null: nothing is behind that.
  { url: '&$orderby=lastName', isMarked: false },
  { url: '&$orderby=salary desc', isMarked: false },
  { url: '&$orderby=employer.name', isMarked: false },
]

/** How many pages began behind a bookmark. */
function counting(pool: SqlPool): { readonly pool: SqlPool; readonly used: () => number } {
  let used = 0
  const counted: SqlPool = {
    prepares: pool.prepares,
    query: (statement) => pool.query(statement),
    connect: (body) =>
      pool.connect(({ send }) =>
        body({
          async send(statements) {
            const results = await send(statements)
            for (const [at, { text }] of statements.entries())
              if (text.includes(' UNION ALL ') && results[at]!.rows[0]?.[3] === true) used++
            return results
          },
        }),
      ),
    close: () => pool.close(),
  }
  return { pool: counted, used: () => used }
}

describeDatabases('deep pages', { on: 'one' }, ({ open, newSchema }) => {
  test('by bookmarks equal those by OFFSET, whatever is written between them', async () => {
    const schema = newSchema()
    const store = createHrStore(ENTITIES)
    // Orders differ from the order of creation.
    for (let key = 1; key <= ENTITIES; key++)
      store.Employee.update(key, {
        salary: (key * 37) % 11,
        ...(key % 50 > 0 && { lastName: null }),
      })
    const { pool, used } = counting(open())
    const ask = await serve(store, pool, schema)
    const random = new Random(11, 0)
    let expected = 0
    for (const { url, isMarked } of ORDERS) {
      const filter = url.includes('$filter') ? 'ID > 20' : ''
      const order = /\$orderby=([^&]*)/.exec(url)?.[1]
      const page = async (skip: number): Promise<void> => {
        const { status, body } = await ask('GET', `Employee?$top=${TOP}&$skip=${skip}${url}`)
        expect(status).toBe(200)
        const all = store.Employee.query(filter)
        const selection = order === undefined ? all : all.orderBy(order)
        const found = (body.__ENTITIES as { ID: number }[]).map(({ ID }) => ID)
        expect({ url, skip, found, count: body.__COUNT }).toEqual({
          url,
          skip,
          found: selection.page(skip, TOP).keys(),
          count: selection.count,
        })
      }
      const before = used()
      await page(DEEP - TOP)
      // Two pages in a row, one further behind, one again.
      for (const skip of [DEEP, DEEP + TOP, DEEP + 3 * TOP, DEEP]) await page(skip)
      // A bookmark holds while the stamp of its dataclass does, which only the mode `exact` has.
      if (isMarked) expected += 4
      expect({ url, used: used() - before }).toEqual({ url, used: isMarked ? 4 : 0 })
      // A write moves entities over the ends of pages: the next page does not trust them.
      const key = 21 + random.below(ENTITIES - 30)
      const values = { salary: random.below(12), lastName: `Name ${random.below(9)}` }
      const written = await ask('POST', 'Employee?$method=update', { __KEY: key, ...values })
      expect(written.status).toBe(200)
      store.Employee.update(key, values)
      const trusted = used()
      await page(DEEP + TOP)
      expect(used()).toBe(trusted)
    }
    expect(used()).toBe(expected)
  })
})
