/** A value that is bound to a statement. `bigint` for whole numbers beyond 2^53. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array | readonly SqlValue[]

/**
 * A statement, prepared under its name, which is derived from its text. One without a name (`''`)
 * is not prepared.
 */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: readonly SqlValue[]
}

/**
 * Rows as arrays in the order of the columns. Values are what the driver decodes for the types that
 * the tables use: `boolean`, `integer`, `double precision` and `text` as JavaScript values,
 * `bigint` as a number (a `bigint` beyond 2^53), `json` and `jsonb` as text, `bytea` as bytes,
 * arrays of numbers as arrays. Values of other types are the texts of the database.
 */
export interface SqlRows {
  readonly rows: readonly (readonly unknown[])[]
  /** Rows returned, or changed where the statement returns none. */
  readonly count: number
}

/** One connection for a while. */
export interface SqlConnection {
  /**
   * Sends all statements together where the driver can pipeline: one round trip. Their results, in
   * order. Rejects with the first error as a `DatabaseError`; later statements then have no effect.
   * Several statements share one transaction: unless one is open, the first is BEGIN; COMMIT or
   * ROLLBACK can only be the last.
   */
  send(statements: readonly Statement[]): Promise<readonly SqlRows[]>
  /**
   * Asks the database to end what this connection runs, which then rejects. The connection cannot
   * be used afterwards. Absent if the driver cannot.
   */
  cancel?(): void
  /**
   * Lets the following statements take any time, as far as the driver limits them: the limit of the
   * database is its setting `statement_timeout`. Absent if the driver has no limit.
   */
  liftLimit?(): void
}

/** The connections of a pool at one moment. */
export interface PoolState {
  readonly idle: number
  /** The most that it opens. */
  readonly max: number
  /** Prepared statements of all of them together. */
  readonly prepared: number
}

/** The port to a database: connections, statements and transactions. */
export interface SqlPool {
  /** Runs one statement on any connection: one round trip. Rejects with a `DatabaseError`. */
  query(statement: Statement): Promise<SqlRows>
  /**
   * Keeps one connection until `body` settles, and rolls back what it left open. `body` sends BEGIN
   * and COMMIT itself, so that they share a round trip with other statements.
   */
  connect<R>(body: (connection: SqlConnection) => Promise<R>): Promise<R>
  /** False if statements must not be named, as behind some poolers. */
  readonly prepares: boolean
  /** For metrics; a pool may leave it out. */
  state?(): PoolState
  /** Waits for open connections, then closes them. */
  close(): Promise<void>
}

/** Called for every round trip with the statements that it carries, before they are sent. */
export type SendListener = (statements: readonly Statement[]) => void

/** Ends a transaction that was left open. */
export const ROLLBACK: Statement = { name: 'rollback', text: 'ROLLBACK', values: [] }

/** Another way to the connections of a pool. */
export const poolOver = (pool: SqlPool, connect: SqlPool['connect']): SqlPool => ({
  get prepares() {
    return pool.prepares
  },
  ...(pool.state === undefined ? {} : { state: () => pool.state!() }),
  query: (statement) => connect(async ({ send }) => (await send([statement]))[0]!),
  connect,
  close: () => pool.close(),
})
