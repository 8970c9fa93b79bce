// A value that no placeholder uses is refused over a database as in memory, also before a query.
import { attribute, createDataStore, defineDataClass, type Untyped } from '@entia/core'
import { type AuthorizeAnswer, createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { expectError, get, send } from '../../../rest/test/http/send.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from './sql-host.ts'

const NAMED = 'No filter uses parameter 2. Write :2 where its value belongs, or remove it.'

/** Filters with values in functions of the store, by the name of the function. */
const BODIES = {
  query: (store: Store) => store.Note.query('ID > :1', [0, 7]).count,
  chained: (store: Store) => store.Note.all().query('ID > :1', [0, 7]).count,
  having: (store: Store) =>
    store.Note.all().groupBy('ID', { count: true }).having('count > :1', [0, 7]).count,
  removed: (store: Store) => store.Note.query('ID > :1', [0, 7]).remove(),
}
type Store = Untyped

describeDatabases('values that no placeholder uses', { on: 'one' }, ({ open, newSchema }) => {
  test('are refused with their place, wherever a filter takes values', async () => {
    const Note = defineDataClass('Note', { ID: attribute.long({ key: true }) })
    const functions = Object.fromEntries(
      Object.entries(BODIES).map(([name, body]) => [
        name,
        { exposed: true, run: ({ store }: { readonly store: unknown }) => body(store) },
      ]),
    )
    const memory = createDataStore({ name: 'notes', dataClasses: [Note], functions })
    memory.Note.insert({ ID: 1 })
    const served = await openCopy(memory, open(), newSchema())
    const seen: unknown[] = []
    const onError = (error: unknown): void => void seen.push(error)
    const reason = (): string => String((seen.pop() as Error).cause)
    const rest = createRestHandler(served, { onError })
    for (const url of [
      'Note?$filter="ID>:1"&$params=[0,7]',
      'Note?$filter="ID>:1"&$params=[0,7]&$method=delete',
      'Note/ID?$distinct=true&$filter="ID>:1"&$params=[0,7]',
      'Note?$filter="ID>:1"&$params=[0,7]&$method=entityset',
    ]) {
      const verb = url.includes('delete') ? 'POST' : 'GET'
      const answer = await send(rest, verb, `/rest/${url}`)
      expectError(answer, 400, 9021)
      expect([url, answer.body.__ERROR[0].message]).toEqual([url, NAMED])
    }
    for (const name of Object.keys(BODIES)) {
      expectError(await send(rest, 'POST', `/rest/$catalog/${name}`, []), 500, 9010)
      expect([name, reason()]).toEqual([name, expect.stringContaining(NAMED)])
    }
    const rule: AuthorizeAnswer = { filter: 'ID > :1', parameters: [0, 7] } as never
    const guarded = createRestHandler(served, { authorize: () => rule, onError })
    expect((await get(guarded, '/rest/Note')).status).toBe(500)
    expect(reason()).toContain(NAMED)
    expect((await get(rest, '/rest/Note')).body.__COUNT).toBe(1)
    await served.close()
  })
})
