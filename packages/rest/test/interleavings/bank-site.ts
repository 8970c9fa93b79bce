import { attribute, createDataStore, defineDataClass, type Session } from '@entia/core'
import { createLocalEngine, type NextSlice } from '@entia/engine'
import { createHandlerOf, type RestHandler } from '../../src/transport/handler/rest-handler.ts'
import type { RestOptions } from '../../src/transport/handler/rest-options.ts'

/** Enough entities that a page of all of them takes several time slices. */
export const ACCOUNTS = 520
export const START = 100

export interface BankOptions extends RestOptions {
  readonly accounts?: number
  /**
   * Milliseconds that pass at each clock reading of the engine: reads of few records then take
   * several time slices.
   */
  readonly pace?: number
  /** Awaited between time slices. */
  readonly nextSlice: NextSlice
  /** Awaited by asynchronous functions of the application. */
  readonly pause?: () => Promise<void>
  readonly maxSets?: number
  /** Called with the session of each save. */
  readonly onSave?: (session: Session | null) => void
}

/**
 * Accounts that money moves between: by batches, by a function, and by one that waits for something
 * in the middle.
 */
export function bankSite({
  accounts = ACCOUNTS,
  pace = 0,
  nextSlice,
  pause,
  maxSets = 100,
  onSave,
  ...rest
}: BankOptions) {
  const time = { now: 5000, pace: 0 }
  let ids = 0
  const attributes = {
    ID: attribute.long({ key: true, autoSequence: true }),
    balance: attribute.long({ notNull: true, default: 0, min: 0 }),
    email: attribute.string({ unique: true }),
    log: attribute.object<readonly string[]>({ default: [] }),
    doubled: attribute.computed('number', {
      get: (account: { balance: number }) => account.balance * 2,
    }),
  }
  const hooks = {
    beforeSave: (_: unknown, { session }: { session: unknown }) =>
      onSave?.(session as Session | null),
  }
  const Account = defineDataClass('Account', attributes, onSave === undefined ? {} : { hooks })
  const move = (from: number, to: number, amount: number): void => {
    store.transact((tx) => {
      const source = tx.Account.get(from)
      const target = tx.Account.get(to)
      if (source === undefined || target === undefined || from === to) return
      tx.Account.update(from, { balance: source.balance - amount })
      tx.Account.update(to, { balance: target.balance + amount })
    })
  }
  const store = createDataStore({
    name: 'bank',
    dataClasses: [Account],
    reading: { maxMilliseconds: 1_000_000_000, maxRowVisits: 1_000_000_000 },
    entitySets: { max: maxSets },
    functions: {
      transfer: {
        exposed: true,
        run: (_, from: number, to: number, amount: number) => move(from, to, amount),
      },
      slowTransfer: {
        exposed: true,
        run: async (_, from: number, to: number, amount: number) => {
          await pause?.()
          move(from, to, amount)
        },
      },
    },
    clock: { now: () => 1_700_000_000_000 + time.now, monotonic: () => (time.now += time.pace) },
    ids: { uuid: () => (++ids).toString(16).padStart(32, '0'), token: () => `token-${++ids}` },
  })
  store.Account.load(Array.from({ length: accounts }, (_, i) => ({ ID: i + 1, balance: START })))
  time.pace = pace
  const engine = createLocalEngine(store, nextSlice)
  return { store, time, rest: createHandlerOf(engine, rest, { host: { nextSlice } }) }
}
export type BankStore = ReturnType<typeof bankSite>['store']

export interface Asked {
  readonly method?: string
  /** The part of the address after `/rest/`. */
  readonly path: string
  readonly body?: unknown
  readonly cookie?: string | null
  readonly signal?: AbortSignal
  /** Waited for before each half of the body. */
  readonly piece?: () => Promise<void>
}
export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON, looked into by expectations only
  readonly body: any
  readonly cookie: string | null
}

/**
 * One request, its body in two halves where `piece` says when they come. The answer must be whole:
 * JSON to its end.
 */
export async function ask(
  rest: RestHandler,
  { method = 'GET', path, body, cookie, signal, piece }: Asked,
): Promise<Reply> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const answer = await rest.handle({
    method,
    url: `/rest/${path}`,
    headers: { host: 'localhost', ...(cookie == null ? {} : { cookie }) },
    ...(text === undefined ? {} : { body: piece === undefined ? text : halves(text, piece) }),
    ...(signal === undefined ? {} : { signal }),
  })
  const set = answer.headers['set-cookie']
  return {
    status: answer.status,
    body: JSON.parse(String(answer.body)),
    cookie: set === undefined ? null : set.split(';', 1)[0]!,
  }
}

async function* halves(text: string, piece: () => Promise<void>): AsyncGenerator<string> {
  const middle = text.length >> 1
  for (const half of [text.slice(0, middle), text.slice(middle)]) {
    await piece()
    yield half
  }
}

export const sumOf = (reported: Reply): number =>
  reported.body.__ENTITIES.reduce(
    (sum: number, { balance }: { balance: number }) => sum + balance,
    0,
  )
