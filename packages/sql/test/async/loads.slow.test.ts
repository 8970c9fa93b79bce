import { type AnyDataStore, createDataStore, RowBlock } from '@entia/core'
import { asyncOf } from '@entia/core/async'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { itemClasses, models, values } from '../../../core/test/write/drawn-items.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { verifyDatabase } from '../../src/store/verify-database.ts'
import { describeDatabases } from '../database.ts'

const row = fc
  .tuple(fc.constantFrom(null, null, null, null, 4, 6, 8), fc.option(values, { freq: 1 }))
  .map(([ID, rest]) => (ID === null ? { ...rest } : { ID, ...rest }))
const FORMS = {
  array: (rows: readonly object[]) => rows,
  *reused(rows: readonly object[]) {
    const one: { [name: string]: unknown } = {}
    for (const each of rows) {
      for (const name of Object.keys(one)) delete one[name]
      yield Object.assign(one, each)
    }
  },
  async *later(rows: readonly object[]) {
    yield* FORMS.reused(rows)
  },
  blocks: (rows: readonly object[]) =>
    rows.map(
      (each) =>
        new RowBlock(
          Object.keys(each),
          Object.values(each).map((value) => [value]),
        ),
    ),
}
const load = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 4 }),
  form: fc.constantFrom(...(Object.keys(FORMS) as (keyof typeof FORMS)[])),
  relations: fc.constantFrom('check' as const, 'null' as const),
  rowsPerCommit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
})

interface Loading {
  load(name: string, rows: unknown, options: object): Promise<unknown>
  dataClass(name: string): {
    insert(values: object): Promise<unknown>
    all(): {
      orderBy(order: string): { page(skip: number, top: number): Promise<{ entities: object[] }> }
    }
  }
}

describeDatabases('loads', { on: 'one' }, (database) => {
  test('end as in memory: the entities, or the refused row', async () => {
    await fc.assert(
      fc.asyncProperty(
        models,
        fc.array(load, { minLength: 2, maxLength: 5, size: 'max' }),
        async (model, loads) => {
          const options = { name: 'items', dataClasses: itemClasses(model) }
          const schema = database.newSchema()
          const tables = { ...options, schema, database: database.pool }
          await migrateDatabase(tables)
          const store = await openSqlStore({ ...tables, database: database.open({ max: 2 }) })
          const memory = createDataStore(options) as unknown as AnyDataStore
          const sides = [asyncOf(memory as never), store] as unknown as Loading[]
          for (const side of sides) await side.load('Group', [{ ID: 1 }, { ID: 2 }], {})
          for (const { rows, form, relations, rowsPerCommit } of loads) {
            const [one, two] = await Promise.all(
              sides.map((side) =>
                side
                  .load('Item', FORMS[form](rows), {
                    relations,
                    ...(rowsPerCommit === undefined ? {} : { rowsPerCommit }),
                  })
                  // Of several wrong rows, a load by column may find another one first.
                  .catch(({ code, details: { stored } }) => ({ code, stored })),
              ),
            )
            expect(two).toEqual(one)
            const contents = await Promise.all(
              sides.map(async (side) =>
                (await side.dataClass('Item').all().orderBy('ID').page(0, 100)).entities.map(
                  (each) => ({
                    ...each,
                    token: null,
                    timestamp: null,
                  }),
                ),
              ),
            )
            expect(contents[1]).toEqual(contents[0])
          }
          await store.close()
          expect((await verifyDatabase(tables)).problems).toEqual([])
        },
      ),
      { ...runs(20), endOnFailure: true },
    )
  })
})
