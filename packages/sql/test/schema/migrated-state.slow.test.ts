import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { verifyDatabase } from '../../src/store/verify-database.ts'
import { describeDatabases, run } from '../database.ts'

const NAMES = ['Anna', 'Bert', 'Cleo']
const name = fc.constantFrom(...NAMES)
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('rename' as const), from: name, to: name }),
    fc.record({ kind: fc.constant('leave' as const), name }),
    fc.record({ kind: fc.constant('drop' as const), name }),
    fc.record({ kind: fc.constant('dropByHand' as const), name }),
    fc.record({ kind: fc.constant('otherTable' as const), name }),
    fc.record({ kind: fc.constant('add' as const), name }),
  ),
  { minLength: 3, maxLength: 6, size: 'max' },
)

/** A dataclass whose entity 1 is locked, and the id of its entity set; '' for a new one. */
interface Kept {
  readonly set: string
}

describeDatabases('locks and entity sets of dataclasses', { on: 'one' }, (database) => {
  test('follow a rename, stay while the model is without them, and end with the table', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const schema = database.newSchema()
        const classes = new Map<string, Kept>()
        const left = new Map<string, Kept>()
        const sets = new Set<string>()
        const tables: { [name: string]: { table: string } } = {}
        let cookie = ''
        const optionsOf = (names: readonly string[]) => ({
          name: 'state',
          schema,
          database: database.pool,
          tables: Object.fromEntries(names.map((each) => [each, tables[each] ?? {}])),
          dataClasses: names.map((each) =>
            defineDataClass(each, { ID: attribute.long({ key: true }), v: attribute.long() }),
          ),
        })
        const check = async (): Promise<void> => {
          const own = { database: database.open({ max: 2 }) }
          const store = await openSqlStore({ ...optionsOf([...classes.keys()]), ...own })
          const { fetch } = createRestHandler(store)
          const ask = async (path: string, init: RequestInit = {}) => {
            const headers = cookie === '' ? {} : { cookie }
            const url = `http://localhost/rest/${path}`
            const reply = await fetch(new Request(url, { headers, ...init }))
            cookie ||= reply.headers.get('set-cookie')?.split(';')[0] ?? ''
            const body = (await reply.json()) as { __ENTITYSET: string }
            return { status: reply.status, body }
          }
          const others = (each: string) =>
            ask(each, { method: 'POST', headers: {}, body: '{"__KEY":"1","v":1}' })
          for (const [each, { set }] of classes) {
            const isNew = set === ''
            if (isNew) for (const ID of [1, 2]) await store.dataClass(each).insert({ ID })
            expect([each, (await others(each)).status]).toEqual([each, isNew ? 200 : 423])
            for (const id of sets) {
              const { status } = await ask(`${each}/$entityset/${id}`)
              expect([each, id, status === 200]).toEqual([each, id, id === set])
            }
            if (!isNew) continue
            expect((await ask(`${each}(1)?$lock=true`)).status).toBe(200)
            const { body } = await ask(`${each}?$method=entityset`)
            classes.set(each, { set: body.__ENTITYSET.split('/').at(-1)! })
            sets.add(classes.get(each)!.set)
          }
          await store.close()
        }
        const migrate = (how = {}) => migrateDatabase(optionsOf([...classes.keys()]), how)
        for (const each of list) {
          switch (each.kind) {
            case 'rename': {
              const kept = classes.get(each.from)
              if (kept === undefined || classes.has(each.to) || left.has(each.to)) continue
              classes.delete(each.from)
              classes.set(each.to, kept)
              await migrate({ renamed: { [each.to]: each.from } })
              break
            }
            case 'leave': {
              const kept = classes.get(each.name)
              if (kept === undefined) continue
              classes.delete(each.name)
              left.set(each.name, kept)
              await migrate()
              break
            }
            case 'drop':
              classes.delete(each.name)
              left.clear()
              await migrate({ drop: true })
              break
            case 'dropByHand':
              if (!classes.has(each.name)) continue
              classes.set(each.name, { set: '' })
              await run(
                database.pool,
                `DROP TABLE "${schema}"."${tables[each.name]?.table ?? each.name}"`,
              )
              await migrate()
              break
            case 'otherTable':
              if (!classes.has(each.name)) continue
              classes.set(each.name, { set: '' })
              tables[each.name] = { table: `${each.name}${sets.size}` }
              await migrate()
              break
            case 'add': {
              if (classes.has(each.name)) continue
              classes.set(each.name, left.get(each.name) ?? { set: '' })
              left.delete(each.name)
              await migrate()
            }
          }
          await check()
          expect((await verifyDatabase(optionsOf([...classes.keys()]))).problems).toEqual([])
        }
      }),
      { ...runs(10), endOnFailure: true },
    )
  })
})

describeDatabases('ETags of a dataclass that was dropped', { on: 'one' }, (database) => {
  test.each(['by a migration', 'by hand'])(
    'are not those of its new entities if %s',
    async (how) => {
      const schema = database.newSchema()
      const dataClasses = NAMES.map((each) =>
        defineDataClass(each, { ID: attribute.long({ key: true }), v: attribute.long() }),
      )
      const all = { name: 'state', schema, database: database.pool, dataClasses }
      const etags = async (v: number, former: readonly string[]) => {
        const own = { database: database.open({ max: 2 }) }
        const store = await openSqlStore({ ...all, ...own })
        if (former.length === 0) await store.dataClass('Bert').insert({ ID: 1, v })
        await store.dataClass('Anna').insert({ ID: 1, v })
        const { fetch } = createRestHandler(store)
        const found: (readonly [number, string])[] = []
        for (const [at, each] of ['Anna', 'Bert'].entries()) {
          const headers = { 'if-none-match': former[at] ?? '' }
          const reply = await fetch(new Request(`http://localhost/rest/${each}(1)`, { headers }))
          found.push([reply.status, reply.headers.get('etag') ?? ''])
        }
        await store.close()
        return found
      }
      await migrateDatabase(all)
      const before = await etags(1, [])
      if (how === 'by hand') {
        expect(await migrateDatabase(all)).toEqual([])
        await run(database.pool, `DROP TABLE "${schema}"."Anna"`)
      } else await migrateDatabase({ ...all, dataClasses: dataClasses.slice(1) }, { drop: true })
      await migrateDatabase(all)
      const after = await etags(
        2,
        before.map(([, etag]) => etag),
      )
      expect(after.map(([status]) => status)).toEqual([200, 304])
    },
  )
})
