import { isEntiaError } from '@entia/core'
import { defaultClock } from '@entia/core/internal'
import { ENGINE } from '@entia/engine'
import { expect, test } from 'vitest'
import { verifyEveryStore } from '../../../core/test/every-store.ts'
import { DatabaseError } from '../../src/connect/database-error.ts'
import type { SqlMirrorOptions } from '../../src/store/sql-options.ts'
import { describeDatabases, run } from '../database.ts'
import { type Gallery, MIRRORED, openGallery, rowsInMirror } from './gallery.ts'
import { SlowFollower } from './slow-follower.ts'

const MIRROR: SqlMirrorOptions = { dataClasses: MIRRORED }

/** A number of the metrics; null if it is not among them. */
async function figure(store: Gallery, name: string, label = ''): Promise<number | null> {
  const families = await store[ENGINE]({ host: {} } as never).metrics()
  const samples = families.find((each) => each.name === `entia_${name}`)?.samples ?? []
  const found = samples.find(({ labels = {} }) =>
    label === '' ? true : Object.values(labels).includes(label),
  )
  return found?.value ?? null
}

async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let at = 0; at < 200; at++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`It was waited in vain until ${what}.`)
}

describeDatabases(
  'a mirror that cannot go on',
  { connections: 'several', on: 'one' },
  (database) => {
    const { newSchema, open } = database

    async function serve(options: Parameters<typeof openGallery>[3] = {}) {
      const schema = newSchema()
      const writer = await openGallery(open(), schema)
      const pool = new SlowFollower(open())
      const errors: unknown[] = []
      const store = await openGallery(pool, schema, MIRROR, {
        onError: (error) => errors.push(error),
        ...options,
      })
      const db = open()
      const sql = (text: string) => run(db, text.replaceAll('$schema', `"${schema}"`))
      const close = async (): Promise<void> => {
        await store.close()
        await writer.close()
      }
      /** Both processes show the same titles, and the mirror answers again. */
      const isSame = async (): Promise<boolean> => {
        const { globalStamp } = store.mirror!
        if (globalStamp === null) return false
        try {
          await rowsInMirror(store, globalStamp)
        } catch {
          return false
        }
        const titles = (of: Gallery) => of.Work.all().toArray()
        return JSON.stringify(await titles(store)) === JSON.stringify(await titles(writer))
      }
      return { schema, writer, store, pool, errors, sql, close, isSame }
    }

    test.each([
      [
        'trimmed',
        'changes that it did not get are deleted',
        'UPDATE $schema.entia_history SET changes_until = (SELECT stamp FROM $schema.entia_store)',
      ],
      ['epoch', 'the operator begins an epoch', 'SELECT $schema.entia_new_epoch()'],
      [
        'lostCommits',
        'another commit has its place, as after a failover without the last ones',
        `UPDATE $schema.entia_commit SET id = 'another' WHERE stamp = 1`,
      ],
      [
        'lostCommits',
        'stamps are missing, as after the copy of a store',
        'UPDATE $schema.entia_store SET stamp = stamp + 10',
      ],
      [
        'lostCommits',
        'the database is at an earlier moment, and goes on from there',
        `DELETE FROM $schema.entia_commit; DELETE FROM $schema.entia_change;
       UPDATE $schema.entia_store SET stamp = 0`,
      ],
      [
        'migrated',
        'the tables are migrated to a model that this one still fits',
        'UPDATE $schema.entia_store SET migrations = migrations + 1',
      ],
      [
        'differs',
        'a change does not fit what it has',
        `UPDATE $schema.entia_change SET kind = 'update', key = '999', written = '{"title":"x"}'
       WHERE commit_id = (SELECT id FROM $schema.entia_commit WHERE stamp = 2)`,
      ],
    ])('is filled again: %s, where %s', async (reason, _when, text) => {
      const { writer, store, pool, errors, sql, close, isSame } = await serve()
      await writer.Work.insert({ title: 'before' })
      await until(isSame, 'the mirror follows')
      pool.pause()
      await writer.Work.insert({ title: 'missed' })
      for (const statement of text.split(';')) await sql(statement)
      pool.resume()
      await until(
        async () => (await figure(store, 'mirror_fills_total', reason)) === 1,
        `it is filled because of ${reason}`,
      )
      // One that is behind a restored database shows nothing until its operator begins an epoch.
      if (!text.includes('stamp = 0')) {
        await until(isSame, 'the mirror is the same again')
        await writer.Work.insert({ title: 'after' })
        await until(isSame, 'the mirror follows again')
      }
      expect(errors).toEqual([])
      await close()
    })

    test('it is off where the tables no longer fit the model, and the metrics tell', async () => {
      const { writer, store, errors, sql, close } = await serve()
      await writer.Work.insert({ title: 'before' })
      await sql('ALTER TABLE $schema."Work" RENAME COLUMN pages TO sheets')
      await sql('UPDATE $schema.entia_store SET migrations = migrations + 1')
      // A migration is a commit, which this stands for.
      await writer.Artist.insert({ name: 'Ada' })
      await until(async () => (await figure(store, 'mirror_off', 'failed')) === 1, 'it is off')
      expect(await figure(store, 'mirror_up')).toBe(0)
      expect(errors).toHaveLength(1)
      await expect(store.mirror!.filled()).rejects.toBeInstanceOf(DatabaseError)
      await close()
    })

    test('more entities than maxEntities are refused by name, and switch it off later', async () => {
      const { schema, writer, store, close } = await serve()
      await writer.Work.insert({ title: 'one' })
      await writer.Work.insert({ title: 'two' })
      const tooMany = (error: unknown) =>
        isEntiaError(error, 'budgetExceeded') && /mirror\.maxEntities/.test(error.message)
      await expect(openGallery(open(), schema, { ...MIRROR, maxEntities: 1 })).rejects.toSatisfy(
        tooMany,
      )
      const errors: unknown[] = []
      const onError = (error: unknown): void => void errors.push(error)
      const small = await openGallery(open(), schema, { ...MIRROR, maxEntities: 2 }, { onError })
      expect(small.mirror!.entities).toBe(2)
      await writer.Artist.insert({ name: 'Ada' })
      await until(async () => (await figure(small, 'mirror_off', 'maxEntities')) === 1, 'it is off')
      expect(errors.every(tooMany)).toBe(true)
      expect(await small.Artist.all().count()).toBe(1)
      await small.close()
      expect(store.mirror).not.toBeNull()
      await close()
    })

    test.each([
      [{ dataClasses: ['Work', 'Werk'] }, 'dataClassNotFound'],
      [{ dataClasses: [] }, 'argumentInvalid'],
      [{ dataClasses: 'Work' }, 'argumentInvalid'],
      [{ dataClasses: [7] }, 'argumentInvalid'],
      [{ dataClasses: ['Work'], maxEntities: 0 }, 'argumentInvalid'],
      [{ dataClasses: ['Work'], maxEntity: 5 }, 'argumentInvalid'],
      [null, 'argumentInvalid'],
      [true, 'argumentInvalid'],
    ])('wrong options are refused: %j', async (mirror, code) => {
      await expect(openGallery(open(), newSchema(), mirror as never)).rejects.toSatisfy(
        (error: unknown) => isEntiaError(error, code as never),
      )
    })

    test('without the database it answers for ten seconds, and follows when it is back', async () => {
      let later = 0
      const clock = { ...defaultClock, monotonic: () => defaultClock.monotonic() + later }
      const { writer, store, pool, close, isSame } = await serve({ clock })
      await writer.Work.insert({ title: 'before' })
      await until(isSame, 'the mirror follows')
      pool.failure = new DatabaseError('unavailable', null)
      const answered = (): Promise<number | null> => figure(store, 'mirror_reads_total', 'mirror')
      const before = await answered()
      expect(await store.Work.all().count()).toBe(1)
      expect(await answered()).toBe(before! + 1)
      later = 10_001
      expect(await store.Work.all().count()).toBe(1)
      expect(await answered()).toBe(before! + 1)
      await writer.Work.insert({ title: 'meanwhile' })
      pool.failure = null
      await until(isSame, 'the mirror follows again')
      await close()
    })

    test('closing a store closes the contents that are being filled', async () => {
      const schema = newSchema()
      const writer = await openGallery(open(), schema)
      await writer.Work.insert({ title: 'one' })
      const pool = new SlowFollower(open())
      const store = await openGallery(pool, schema, MIRROR, {}, false)
      // Everything is read but the changes since.
      pool.pause()
      await new Promise((resolve) => setTimeout(resolve, 500))
      const closing = store.close()
      pool.resume()
      await closing
      await writer.close()
      expect(verifyEveryStore).not.toThrow()
    })

    test('records whose numbers were given long before their commit come in their place', async () => {
      const { writer, store, sql, close, isSame } = await serve()
      const insert = (title: string) => writer.Work.insert({ title })
      await insert('first')
      await until(isSame, 'the mirror follows')
      // The next entity has a lower number than one that is there already.
      const sequence = `pg_get_serial_sequence('$schema."Work"', '_rec')`
      await sql(`SELECT setval(${sequence}, 500)`)
      await insert('far')
      await sql(`SELECT setval(${sequence}, 100)`)
      await insert('between')
      await until(isSame, 'the order is that of the database')
      expect(
        (await store.Work.all().toArray()).map(({ title }: { title: string }) => title),
      ).toEqual(['first', 'between', 'far'])
      await close()
    })
  },
)
