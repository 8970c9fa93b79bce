import { expect, test } from 'vitest'
import { sqlModelOf } from '../../src/schema/sql-model.ts'
import { migrateModel } from '../../src/store/migrate-database.ts'
import { openModel } from '../../src/store/open-sql-store.ts'
import { checkSqlOptions } from '../../src/store/sql-options.ts'
import { describeDatabases, run } from '../database.ts'
import { createHrStore, serve } from '../engine/world.ts'

const FILTERS = [
  'Employee?$limit=1',
  'Employee?$limit=1&$filter="salary > 4000"',
  'Employee?$limit=1&$filter="employer.name = Globex"',
  'Employee?$limit=1&$filter="employer.name = Initech and salary < 3000"',
  'Company(2)/staff?$limit=1',
]

describeDatabases('counts', { on: 'one' }, ({ open, newSchema }) => {
  test('are those of their global stamp, in all processes, while others write', async () => {
    const schema = newSchema()
    const store = createHrStore(40)
    const first = await serve(store, open(), schema)
    const others = [open(), open()]
    const processes = [first]
    for (const pool of others)
      processes.push(
        await serve(store, pool, schema, async () => {
          const options = { name: 'hr', dataClasses: [], database: pool, schema }
          const model = sqlModelOf(store.catalog, { schema })
          return openModel(model, pool, checkSqlOptions(options))
        }),
      )

    /** The counts at each global stamp, by the store in memory. */
    const wanted = new Map<number, readonly number[]>()
    const note = (stamp: number): void => {
      const { Employee, Company } = store
      wanted.set(stamp, [
        Employee.count,
        Employee.query('salary > 4000').count,
        Employee.query('employer.name = Globex').count,
        Employee.query('employer.name = Initech and salary < 3000').count,
        Company.get(2) === undefined ? -1 : Employee.query('employer.ID = 2').count,
      ])
    }
    const globalStamp = async (): Promise<number> =>
      Number((await first('GET', 'Employee?$limit=1')).body.__GlobalStamp)
    let isWriting = true
    const found: { readonly at: number; readonly stamp: number; readonly count: number }[] = []
    const read = async (ask: (typeof processes)[number]): Promise<void> => {
      for (let at = 0; isWriting || at % FILTERS.length !== 0; at++) {
        const { body } = await ask('GET', FILTERS[at % FILTERS.length]!)
        const { __GlobalStamp: stamp, __COUNT: count } = body as { [name: string]: number }
        found.push({ at: at % FILTERS.length, stamp: stamp!, count: count! })
      }
    }
    const write = async (): Promise<void> => {
      note(await globalStamp())
      for (let at = 0; at < 36; at++) {
        const key = (at * 17) % 40
        const salary = (at * 700) % 9000
        const name = at % 12 === 5 ? 'Globex' : 'Acme'
        const content =
          at % 4 === 0
            ? { lastName: 'New', salary, employer: (at % 3) + 1 }
            : { __KEY: key + 1, salary, employer: ((at + 1) % 3) + 1 }
        const isCompany = at % 6 === 5
        const { status } = isCompany
          ? await processes[at % 3]!('POST', 'Company?$method=update', { __KEY: 1, name })
          : await processes[at % 3]!('POST', 'Employee?$method=update', content)
        expect(status).toBe(200)
        if (isCompany) store.Company.update(1, { name })
        else if (at % 4 === 0) {
          store.Employee.insert({ lastName: 'New', salary, employer: (at % 3) + 1 })
        } else store.Employee.update(key + 1, { salary, employer: ((at + 1) % 3) + 1 })
        const stamp = await globalStamp()
        note(stamp)
      }
      isWriting = false
    }
    await Promise.all([write(), ...processes.map(read)])

    expect(found.length).toBeGreaterThan(3 * FILTERS.length)
    for (const { at, stamp, count } of found)
      expect({ at, stamp, count }).toEqual({ at, stamp, count: wanted.get(stamp)?.[at] })
  })

  test('are counted again after a migration that changes which entities match', async () => {
    const schema = newSchema()
    const store = createHrStore(4)
    const ask = await serve(store, open(), schema)
    const count = async (): Promise<unknown> =>
      (await ask('GET', 'Employee?$limit=1&$filter="lastName = Aaa"')).body.__COUNT
    const before = await count()
    // Another version of Unicode gives other keys.
    const table = `"${schema}"."Employee"`
    const pool = open()
    await run(pool, `UPDATE ${table} SET "lastName" = 'Aaa'`)
    await run(pool, `UPDATE "${schema}".entia_store SET unicode = '1.0'`)
    expect(await count()).toBe(before)

    const model = sqlModelOf(store.catalog, { schema })
    const options = checkSqlOptions({ name: 'hr', dataClasses: [], database: pool, schema })
    expect(await migrateModel(model, pool, options)).toHaveLength(1)
    expect(await count()).toBe(4)
    expect(await migrateModel(model, pool, options)).toEqual([])
  })
})
