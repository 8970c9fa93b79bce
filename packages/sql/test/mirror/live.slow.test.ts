import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { brief, follow } from '../../../rest/test/live/follow.ts'
import { describeDatabases, run } from '../database.ts'
import { type Gallery, MIRRORED, openGallery } from './gallery.ts'

const MIRROR = { dataClasses: MIRRORED }

describeDatabases(
  'live queries of mirrored dataclasses',
  { connections: 'several', on: 'one' },
  (database) => {
    const { newSchema, open } = database

    async function serve(options: Parameters<typeof createRestHandler>[1] = {}) {
      const schema = newSchema()
      const writer = await openGallery(open(), schema)
      await writer.Artist.insert({ name: 'Ada' })
      await writer.Work.insert({ title: 'first', pages: 5, artist: 'Ada' })
      const statements: string[] = []
      const pool = open({ onSend: (sent) => statements.push(...sent.map(({ text }) => text)) })
      const store = await openGallery(pool, schema, MIRROR)
      const rest = createRestHandler(store, { live: true, ...options })
      const close = async (): Promise<void> => {
        await store.close()
        await writer.close()
      }
      return { schema, writer, store, rest, statements, close }
    }
    const FILTER = '/rest/Work?$filter="pages>3"&$attributes=title,pages&$live=true'
    const update = async (of: Gallery, key: number, values: object): Promise<void> =>
      void (await of.Work.update(await of.Work.get(key), values))

    test('are judged commit by commit in the mirror, without a query', async () => {
      const { writer, rest, statements, close } = await serve()
      const followed = await follow(rest, FILTER)
      const initial = await followed.next()
      expect(initial?.data).toMatchObject({ __PLAN: 'incremental', __COUNT: 1 })
      statements.length = 0
      await writer.Work.insert({ title: 'second', pages: 7 })
      expect(brief(await followed.next())).toEqual(['delta', ['2'], [], [], null])
      await update(writer, 1, { pages: 6 })
      expect(brief(await followed.next())).toEqual(['delta', [], ['1'], [], null])
      await update(writer, 2, { pages: 1 })
      const left = await followed.next()
      expect(brief(left)).toEqual(['delta', [], [], ['2'], null])
      expect(left?.data?.__GlobalStamp).toBe(5)
      expect(statements.filter((text) => text.includes('"Work"'))).toEqual([])
      await followed.leave()
      await close()
    })

    test('resume after the position that their client has, in another process too', async () => {
      const { schema, writer, rest, close } = await serve()
      const followed = await follow(rest, FILTER)
      const first = await followed.next()
      await followed.leave()
      await writer.Work.insert({ title: 'missed', pages: 9 })
      const again = await follow(rest, FILTER, {
        headers: { 'last-event-id': first!.id },
      })
      expect(brief(await again.next())).toEqual(['delta', ['2'], [], [], null])
      await again.leave()
      // A process that was opened later does not know the changes: it sends the complete result.
      const other = await openGallery(open(), schema, MIRROR)
      const late = await follow(createRestHandler(other, { live: true }), FILTER, {
        headers: { 'last-event-id': first!.id },
      })
      expect((await late.next())?.data).toMatchObject({ __PLAN: 'incremental', __COUNT: 2 })
      await late.leave()
      await other.close()
      await close()
    })

    test('of other dataclasses, and of computed attributes, run again', async () => {
      const { rest, close } = await serve()
      for (const path of ['Note?$live=true', 'Work?$attributes=noted&$live=true']) {
        const followed = await follow(rest, `/rest/${path}`)
        expect((await followed.next())?.data).toMatchObject({ __PLAN: 'recompute' })
        await followed.leave()
      }
      await close()
    })

    test('show what the permissions of their callers let them see', async () => {
      const { writer, rest, close } = await serve({
        authorize: ({ dataClass }) =>
          dataClass === 'Work' ? { filter: 'artist.name = :1', parameters: ['Ada'] } : true,
      })
      const followed = await follow(rest, FILTER)
      expect((await followed.next())?.data).toMatchObject({ __COUNT: 1 })
      await writer.Work.insert({ title: 'hidden', pages: 9 })
      await writer.Work.insert({ title: 'shown', pages: 9, artist: 'Ada' })
      expect(brief(await followed.next())).toEqual(['delta', ['3'], [], [], null])
      await update(writer, 3, { artist: null })
      expect(brief(await followed.next())).toEqual(['delta', [], [], ['3'], null])
      await followed.leave()
      await close()
    })

    test('end when the mirror is filled again, so that clients ask again', async () => {
      const { schema, rest, close } = await serve()
      const followed = await follow(rest, FILTER)
      await followed.next()
      await run(open(), `SELECT "${schema}".entia_new_epoch()`)
      const last = await followed.next()
      expect([null, 'end']).toContain(last?.name)
      await close()
    })
  },
)
