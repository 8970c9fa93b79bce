import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import { storeRow } from '../../src/schema/entia-tables.ts'
import { sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { describeDatabases } from '../database.ts'
import {
  type Gallery,
  galleryModel,
  MIRRORED,
  openGallery,
  rowsInDatabase,
  rowsInMirror,
  type Untyped,
  workValues,
} from './gallery.ts'

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('insert' as const), values: workValues }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      at: fc.nat(5),
      values: workValues,
    }),
  },
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(5) }),
  fc.record({ kind: fc.constant('again' as const), at: fc.nat(5), values: workValues }),
  fc.record({ kind: fc.constant('swap' as const), one: fc.nat(5), other: fc.nat(5) }),
  fc.record({ kind: fc.constant('artist' as const), at: fc.nat(2) }),
  fc.record({ kind: fc.constant('note' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

let codes = 0

/** Makes one commit, or none. */
async function apply(store: Gallery, step: Step): Promise<void> {
  const keys: number[] = (await store.Work.all().toArray()).map(({ ID }: { ID: number }) => ID)
  const keyAt = (at: number): number | undefined => keys[at % Math.max(1, keys.length)]
  const artist = (await store.Artist.all().first())?.name ?? null
  switch (step.kind) {
    case 'insert':
      await store.Work.insert({ ...step.values, code: `c${++codes}`, artist })
      return
    case 'update': {
      const key = keyAt(step.at)
      if (key !== undefined) await store.Work.update(await store.Work.get(key), step.values)
      return
    }
    case 'remove': {
      const key = keyAt(step.at)
      if (key !== undefined) await store.Work.remove(await store.Work.get(key))
      return
    }
    case 'again': {
      // The same key is another entity then.
      const key = keyAt(step.at)
      if (key === undefined) return
      await store.transact(async (tx: Untyped) => {
        await tx.Work.remove(await tx.Work.get(key))
        await tx.Work.insert({ ...step.values, ID: key, code: `c${++codes}` })
      })
      return
    }
    case 'swap': {
      const [one, other] = [keyAt(step.one), keyAt(step.other)]
      if (one === undefined || other === undefined || one === other) return
      await store.transact(async (tx: Untyped) => {
        const [first, second] = [await tx.Work.get(one), await tx.Work.get(other)]
        const { code } = first
        const { code: theirs } = second
        const changed = await tx.Work.update(first, { code: null })
        await tx.Work.update(second, { code })
        await tx.Work.update(changed.entity, { code: theirs })
      })
      return
    }
    case 'artist': {
      const name = `artist ${step.at}`
      const found = await store.Artist.get(name)
      if (found === undefined) await store.Artist.insert({ name, born: '1970-05-31' })
      else await store.Artist.update(found, { born: null })
      return
    }
    case 'note':
      await store.Note.insert({ text: 'not mirrored' })
  }
}

describeDatabases('the contents of a mirror', { connections: 'several', on: 'one' }, (database) => {
  const { newSchema, open } = database

  test(
    'at each stamp are those of the database, whichever process has written',
    patience,
    async () => {
      const [pool, schema] = [open(), newSchema()]
      const writers = [
        await openGallery(open(), schema),
        await openGallery(open(), schema, { dataClasses: MIRRORED }),
      ]
      const model = galleryModel(writers[0]!, schema)
      const head = statementOf(sql`SELECT g.stamp FROM ${storeRow(schema)}`)
      const drawn = fc.array(fc.tuple(fc.nat(1), step), { minLength: 3, maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(drawn, async (steps) => {
          for (const [at, each] of steps) {
            await apply(writers[at]!, each)
            const stamp = Number((await pool.query(head)).rows[0]![0])
            const expected = await rowsInDatabase(pool, model)
            expect(await rowsInMirror(writers[1]!, stamp)).toEqual({
              globalStamp: stamp,
              rows: expected,
            })
          }
          // A mirror that is filled now has the same.
          const late = await openGallery(open(), schema, { dataClasses: MIRRORED })
          const expected = await rowsInDatabase(pool, model)
          expect((await rowsInMirror(late, 0)).rows).toEqual(expected)
          await late.close()
        }),
        runs(8),
      )
      for (const writer of writers) await writer.close()
    },
  )
})
