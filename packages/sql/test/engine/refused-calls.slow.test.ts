import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { expectError, send } from '../../../rest/test/http/send.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from './sql-host.ts'

const CALLS: { readonly [call: string]: (store: AnyDataStore) => unknown } = {
  at: (store) => store.at(0),
  changes: (store) => store.changes({ since: 0 }),
  snapshot: (store) => store.snapshot(),
  restore: (store) => store.restore({} as never),
  dump: (store) => store.dump(),
  on: (store) => store.on('commit', () => {}),
  live: (store) =>
    store
      .dataClass('Note')
      .all()
      .live(() => {}),
  explain: (store) => store.dataClass('Note').explain('ID > 1'),
  trace: (store) => store.dataClass('Note').trace('ID > 1'),
  plans: (store) => store.dataClass('Note').plans('ID > 1'),
}

describeDatabases('working stores', { on: 'one' }, ({ open, newSchema }) => {
  test('refuse calls that need all records, with the name of the call and the remedy', async () => {
    let call: (store: AnyDataStore) => unknown = () => null
    const Note = defineDataClass('Note', { ID: attribute.long({ key: true }) })
    const functions = {
      try: {
        exposed: true,
        run: ({ store }: { readonly store: unknown }) => call(store as AnyDataStore),
      },
    }
    const served = await openCopy(
      createDataStore({ name: 'notes', dataClasses: [Note], functions }),
      open(),
      newSchema(),
    )
    const seen: unknown[] = []
    const rest = createRestHandler(served, { onError: (error) => seen.push(error) })
    for (const [name, run] of Object.entries(CALLS)) {
      call = run
      // A client learns no more than that the function failed; the host learns why.
      expectError(await send(rest, 'POST', '/rest/$catalog/try', []), 500, 9010)
      const { cause } = seen.pop() as Error
      expect([name, cause]).toEqual([
        name,
        expect.objectContaining({
          code: 'notOnThisEngine',
          message: expect.stringContaining(`"${name}" in a hook or a function`),
        }),
      ])
    }
    await served.close()
  })
})
