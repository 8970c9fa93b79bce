import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { attribute, createDataStore, createMedia, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler } from '../../src/index.ts'
import { get, send } from '../http/send.ts'
import { type Followed, follow, type SentEvent } from './follow.ts'

/** Saving an account writes to another one and counts, until nothing is left to do. */
function serve(history = {}) {
  const Account = defineDataClass(
    'Account',
    {
      ID: attribute.long({ key: true }),
      balance: attribute.long({ indexed: true }),
      photo: attribute.image(),
    },
    {
      hooks: {
        afterSave: ({ ID, balance }) => {
          if (balance !== null && balance > 0 && balance < 5) put(ID % 3, balance + 1)
        },
        afterRemove: ({ ID, balance }) => {
          if (ID < 3) put(ID, balance ?? 0)
        },
      },
    },
  )
  const store = createDataStore({ name: 'bank', dataClasses: [Account], history })
  const put = (ID: number, balance: number): void => {
    if (store.Account.has(ID)) store.Account.update(ID, { balance })
    else store.Account.insert({ ID, balance })
  }
  // A listener writes too.
  store.on('commit', ({ changes }) => {
    const rich = changes.find(({ after }) => after !== null && after.balance === 5)
    if (rich !== undefined && store.Account.count < 8)
      store.Account.insert({ ID: 10 + store.Account.count, balance: 2 })
  })
  return { store, rest: createRestHandler(store, { live: true }) }
}

type Wire = { readonly __KEY: string; readonly balance: number | null }

/** Waits for an event on a busy machine. */
const MAX_WAITS = 100

/** The rows of a client that replays every event. */
class Client {
  readonly rows = new Map<string, number | null>()
  readonly #followed: Followed
  #stamp = 0
  /** The pending read of the next event. */
  #next: Promise<SentEvent | null> | null = null

  constructor(followed: Followed) {
    this.#followed = followed
  }
  /**
   * Reads until the event of a global stamp, or until no more events come and the rows are as
   * expected.
   */
  async readTo(globalStamp: number, expected: unknown): Promise<void> {
    for (let waits = 0; this.#stamp < globalStamp; ) {
      this.#next ??= this.#followed.next()
      const event = await Promise.race([
        this.#next,
        new Promise<null>((resolve) => setTimeout(resolve, 20, null)),
      ])
      if (event === null) {
        if (JSON.stringify(sorted(this.rows)) === JSON.stringify(expected) || ++waits > MAX_WAITS)
          return
        continue
      }
      this.#next = null
      this.take(event)
    }
  }
  take({ id, name, data }: SentEvent): void {
    const stamp = Number(id.split('-')[0])
    expect(data?.__GlobalStamp).toBe(stamp)
    expect(stamp).toBeGreaterThan(name === 'initial' ? -1 : this.#stamp)
    this.#stamp = stamp
    const list = (value: unknown): readonly Wire[] => (value ?? []) as readonly Wire[]
    for (const key of (data?.__LEFT ?? []) as readonly string[])
      expect(this.rows.delete(key)).toBe(true)
    for (const { __KEY, balance } of [...list(data?.__ENTITIES), ...list(data?.__ENTERED)]) {
      expect(this.rows.has(__KEY)).toBe(false)
      this.rows.set(__KEY, balance)
    }
    for (const { __KEY, balance } of list(data?.__CHANGED)) {
      expect(this.rows.has(__KEY)).toBe(true)
      this.rows.set(__KEY, balance)
    }
  }
}

test('clients that follow a selection have its current result, whatever hooks and listeners write', async () => {
  const FILTER = '/rest/Account?$filter="balance>0"&$attributes=balance'
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('save', 'remove'), fc.nat(3), fc.nat(5)), {
        minLength: 1,
        maxLength: 6,
      }),
      async (requests) => {
        const { store, rest } = serve()
        const quick = new Client(await follow(rest, `${FILTER}&$live=true`))
        const slow = new Client(await follow(rest, `${FILTER}&$live=true`))
        const now = async () => {
          const { __ENTITIES } = (await get(rest, FILTER)).body as {
            readonly __ENTITIES: readonly Wire[]
          }
          return sorted(new Map(__ENTITIES.map(({ __KEY, balance }) => [__KEY, balance])))
        }
        for (const [kind, ID, balance] of requests) {
          if (kind === 'remove') await send(rest, 'DELETE', `/rest/Account(${ID})`)
          else if (store.Account.has(ID))
            await send(rest, 'POST', '/rest/Account?$method=update', { __KEY: String(ID), balance })
          else await send(rest, 'POST', '/rest/Account', { ID, balance })
          const rows = await now()
          await quick.readTo(store.globalStamp, rows)
          expect(sorted(quick.rows)).toEqual(rows)
        }
        const rows = await now()
        await slow.readTo(store.globalStamp, rows)
        expect(sorted(slow.rows)).toEqual(rows)
        store.verify()
        store.close()
      },
    ),
    runs(25),
  )
})
const sorted = (rows: ReadonlyMap<string, number | null>) =>
  [...rows].sort(([a], [b]) => a.localeCompare(b))

test('an open stream does not keep the first values of its entities in memory', async () => {
  const { store, rest } = serve({ commits: 0 })
  const photo = (size: number) => createMedia('image/png', new Uint8Array(size))
  store.Account.insert({ ID: 1, balance: 9, photo: photo(1000) })
  const forgotten = new WeakRef(store.Account.get(1)?.photo as object)
  const followed = await follow(rest, '/rest/Account?$live=true')
  expect((await followed.next())?.name).toBe('initial')
  store.Account.update(1, { photo: photo(2000) })
  expect((await followed.next())?.name).toBe('delta')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let i = 0; i < 5 && forgotten.deref() !== undefined; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    collect()
  }
  expect(forgotten.deref()).toBeUndefined()
  await followed.leave()
})
