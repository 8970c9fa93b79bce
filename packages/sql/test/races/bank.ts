import { attribute, type ChangesOptions, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import type { SendListener, SqlPool } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { POOLING } from '../tested.ts'

/** Where the bank is. */
export interface BankPlace {
  readonly connectionString: string
  readonly schema: string
  /** The address of standbys to read from. */
  readonly replica?: string
}

export interface Asked {
  readonly method?: string
  /** The part of the address after `/rest/`. */
  readonly path: string
  readonly body?: unknown
  readonly cookie?: string | null
}
export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON, looked into by expectations only
  readonly body: any
  readonly cookie: string | null
}

/** The errors that the code of this model throws. */
class ModelRefusal extends Error {}

/** A requested append. */
export interface Append {
  readonly id: string
  readonly read: readonly number[]
  readonly append: readonly number[]
  /** Reads by a filter, not by key. */
  readonly byFilter: boolean
  /** Writes, then throws. */
  readonly isRefused: boolean
}

interface Row {
  readonly ID: number
  readonly balance: number
  readonly log: readonly string[]
}
interface Accounts {
  get(key: number): Row | undefined
  update(key: number, values: Partial<Row>): void
  query(filter: string, values: readonly unknown[]): { toArray(): readonly Row[] }
}

/**
 * Accounts with lists, unique addresses and lines, which money moves between. Each process opens a
 * store of its own over the same database.
 */
export async function openBank(
  { connectionString, schema, replica }: BankPlace,
  migrates = false,
  over: (pool: SqlPool) => SqlPool = (pool) => pool,
) {
  const Account = defineDataClass('Account', {
    ID: attribute.long({ key: true, autoSequence: true }),
    balance: attribute.long({ notNull: true, default: 0, min: 0 }),
    email: attribute.string({ unique: true }),
    log: attribute.object<readonly string[]>({ default: [] }),
    lines: attribute.relatedEntities('Line', 'account'),
  })
  const Line = defineDataClass(
    'Line',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      text: attribute.string(),
      account: attribute.relatedEntity('Account', { onDelete: 'cascade' }),
    },
    {
      hooks: {
        beforeSave(draft, { session, store }) {
          if (draft.text === 'private' && session === null) throw new ModelRefusal('private')
          // The text names a pair: a rule that every moment of the store satisfies.
          if (draft.text?.startsWith('pair ') !== true) return
          const sum = sumOfPair(store, draft.text.slice(5))
          if (sum !== PAIR_SUM) throw new ModelRefusal(`the hook saw ${sum}`)
        },
      },
    },
  )
  /** The other half of a pair: see `sumOfPair`. */
  const Reserve = defineDataClass('Reserve', {
    ID: attribute.long({ key: true, autoSequence: true }),
    pair: attribute.string({ notNull: true, indexed: true }),
    balance: attribute.long({ notNull: true, default: 100 }),
  })
  // Enough connections that a request does not wait for others of its process.
  const database = over(pgPool({ connectionString, max: 12, applicationName: schema, ...POOLING }))
  let replicaReads = 0
  const onSend: SendListener = (statements) => {
    // A transaction, or a page: not the question for the global stamp.
    if (statements.some(({ text }) => text.includes('Account'))) replicaReads++
  }
  const replicas =
    replica === undefined ? [] : [pgPool({ connectionString: replica, max: 6, onSend })]
  const accountsOf = (tx: object): Accounts => (tx as { Account: Accounts }).Account
  const options = {
    name: 'bank',
    dataClasses: [Account, Line, Reserve],
    database,
    replicas,
    schema,
    functions: {
      transfer: {
        exposed: true,
        run: ({ store }: { store: object }, from: number, to: number, amount: number) =>
          transactIn(store, (tx) => {
            const accounts = accountsOf(tx)
            const [source, target] = [accounts.get(from)!, accounts.get(to)!]
            accounts.update(from, { balance: source.balance - amount })
            accounts.update(to, { balance: target.balance + amount })
          }),
      },
      /** Moves money within a pair. */
      shift: {
        exposed: true,
        run: ({ store }: { store: object }, pair: string, amount: number) =>
          transactIn(store, (tx) => {
            const [account, reserve] = halvesOf(tx, pair)
            account.table.update(account.row.ID, { balance: account.row.balance - amount })
            reserve.table.update(reserve.row.ID, { balance: reserve.row.balance + amount })
          }),
      },
      sumOfPair: {
        exposed: true,
        run: ({ store }: { store: object }, pair: string) => sumOfPair(store, pair),
      },
      append: {
        exposed: true,
        run: ({ store }: { store: object }, asked: Append) =>
          transactIn(store, (tx) => appendIn(accountsOf(tx), asked)),
      },
    },
  }
  if (migrates) await migrateDatabase(options as never)
  const store = await openSqlStore(options as never)
  const failures: unknown[] = []
  const rest = createRestHandler(store, {
    onError(error) {
      if (!(error instanceof ModelRefusal)) failures.push(error)
    },
  })
  return {
    database,
    /** The errors of requests that no client gets. */
    failures,
    async ask({ method = 'GET', path, body, cookie }: Asked): Promise<Reply> {
      const answer = await rest.handle({
        method,
        url: `/rest/${path}`,
        headers: { host: 'localhost', ...(cookie == null ? {} : { cookie }) },
        remoteAddress: '127.0.0.1',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const set = answer.headers['set-cookie']
      return {
        status: answer.status,
        body: JSON.parse(String(answer.body)),
        cookie: set === undefined ? null : set.split(';', 1)[0]!,
      }
    },
    /** Statements that standbys got. */
    get replicaReads() {
      return replicaReads
    },
    changes: (options: ChangesOptions) => store.changes(options),
    transact: <R>(body: (tx: AsyncPairs) => Promise<R>): Promise<R> =>
      store.transact(body as never) as Promise<R>,
    close: () => store.close(),
  }
}
export type Bank = Awaited<ReturnType<typeof openBank>>

const transactIn = <R>(store: object, body: (tx: object) => R): R =>
  (store as { transact<T>(body: (tx: object) => T): T }).transact(body)

/** What both halves of a pair have together at every moment. */
export const PAIR_SUM = 200

type Half = Pick<Row, 'ID' | 'balance'>
interface Halves {
  update(key: number, values: Partial<Half>): void
  query(filter: string, values: readonly unknown[]): { toArray(): readonly Half[] }
}
/** Both halves of pairs, as a transaction with `await` reaches them. */
export interface AsyncPairs {
  readonly [dataClass: string]: {
    query(
      filter: TemplateStringsArray,
      ...values: readonly string[]
    ): { first(): Promise<Half | undefined> }
  }
}

/** An account and a reserve, which two queries find. */
function halvesOf(store: object, pair: string) {
  const { Account, Reserve } = store as { readonly [name: string]: Halves }
  const half = (table: Halves, name: string) => ({
    table,
    row: table.query(`${name} = :1`, [pair]).toArray()[0]!,
  })
  return [half(Account!, 'email'), half(Reserve!, 'pair')] as const
}

function sumOfPair(store: object, pair: string): number {
  const { Account, Reserve } = store as { readonly [name: string]: Halves }
  // By a prefix, so that it is a query and not a look-up of the unique value.
  const account = Account!.query('email begin :1', [pair]).toArray()[0]!
  const reserve = Reserve!.query('pair = :1', [pair]).toArray()[0]!
  return account.balance + reserve.balance
}

/** Reads lists and appends to some of them, in two steps each: no reader may see the first one. */
function appendIn(accounts: Accounts, { id, read, append, byFilter, isRefused }: Append) {
  const keys = [...new Set([...read, ...append])]
  const rows = byFilter
    ? accounts.query('ID in :1', [keys]).toArray()
    : keys.map((key) => accounts.get(key)!)
  const lists = new Map(rows.map(({ ID, log }) => [ID, log]))
  for (const key of append) {
    accounts.update(key, { log: [...lists.get(key)!, `${id} half`] })
    accounts.update(key, { log: [...lists.get(key)!, id] })
  }
  if (isRefused) throw new ModelRefusal(id)
  return [...lists]
}
