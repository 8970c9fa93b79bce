import { PGlite } from '@electric-sql/pglite'
import { checkNames, checkObject } from '@entia/core/internal'
import { DatabaseError, databaseError } from './database-error.ts'
import {
  type PoolState,
  ROLLBACK,
  type SendListener,
  type SqlConnection,
  type SqlPool,
  type SqlRows,
  type Statement,
} from './port.ts'
import { checkOneTransaction, isOpenAfter } from './transaction-state.ts'
import { decoderOf, wireText } from './wire-values.ts'

export interface PglitePoolOptions {
  /** A folder, or `memory://` (the default): see PGlite. */
  readonly dataDir?: string
  /** Told of every round trip that a server would need. */
  readonly onSend?: SendListener
}

/** Settles when the one connection of an instance is free, whichever pool has it. */
const free = new WeakMap<PGlite, Promise<unknown>>()

/**
 * A pool over PGlite, PostgreSQL inside this process. It has one connection: others wait. Several
 * pools may share an existing instance, but no other code may use it meanwhile. `close` leaves it
 * open.
 *
 * @example
 * ```ts
 * const database = pglitePool() // in memory, for tests
 * await database.close()
 * ```
 */
export function pglitePool(
  given: PglitePoolOptions | PGlite = {},
  beside: Pick<PglitePoolOptions, 'onSend'> = {},
): SqlPool {
  checkObject('The options of pglitePool', given)
  if ('query' in given) return new PglitePool(given, beside.onSend, false)
  checkNames(given, ['dataDir', 'onSend'])
  return new PglitePool(new PGlite(given.dataDir ?? 'memory://'), given.onSend, true)
}

class PglitePool implements SqlPool {
  /** PGlite parses every statement. */
  readonly prepares = false
  readonly #database: PGlite
  readonly #onSend: SendListener | undefined
  readonly #isOurs: boolean
  #closing: Promise<void> | null = null

  constructor(database: PGlite, onSend: SendListener | undefined, isOurs: boolean) {
    this.#database = database
    this.#onSend = onSend
    this.#isOurs = isOurs
  }

  state(): PoolState {
    return { idle: free.has(this.#database) ? 0 : 1, max: 1, prepared: 0 }
  }

  query(statement: Statement): Promise<SqlRows> {
    return this.connect(async ({ send }) => (await send([statement]))[0]!)
  }

  connect<R>(body: (connection: SqlConnection) => Promise<R>): Promise<R> {
    if (this.#closing !== null) return Promise.reject(new DatabaseError('unavailable', null))
    const lease = this.#whenFree().then(() => this.#lease(body))
    free.set(this.#database, lease.then(ignore, ignore))
    return lease
  }

  close(): Promise<void> {
    this.#closing ??= this.#whenFree().then(() =>
      this.#isOurs ? this.#database.close() : undefined,
    )
    return this.#closing
  }

  #whenFree(): Promise<unknown> {
    return free.get(this.#database) ?? this.#database.waitReady
  }

  async #lease<R>(body: (connection: SqlConnection) => Promise<R>): Promise<R> {
    let isOpen = false
    const send = async (statements: readonly Statement[]): Promise<readonly SqlRows[]> => {
      checkOneTransaction(isOpen, statements)
      this.#onSend?.(statements)
      const results: SqlRows[] = []
      for (const statement of statements) {
        // A COMMIT or BEGIN that fails leaves it to ROLLBACK, which is allowed without one.
        if (!isOpen) isOpen = isOpenAfter(false, statement)
        results.push(await this.#run(statement))
        isOpen = isOpenAfter(isOpen, statement)
      }
      return results
    }
    try {
      return await body({ send })
    } finally {
      if (isOpen) {
        this.#onSend?.([ROLLBACK])
        await this.#database.exec(ROLLBACK.text).catch(ignore)
      }
    }
  }

  async #run({ text, values }: Statement): Promise<SqlRows> {
    try {
      const { rows, affectedRows, fields } = await this.#database.query<unknown[]>(
        text,
        values.map(wireText),
        {
          rowMode: 'array',
          parsers: asTexts(this.#database.parsers),
          serializers: asTexts(this.#database.serializers),
        },
      )
      const decoders = fields.map(({ dataTypeID }) => decoderOf(dataTypeID))
      const decoded = rows.map((row) =>
        row.map((cell, at) => (cell === null ? null : decoders[at]!(cell as string))),
      )
      return { rows: decoded, count: fields.length > 0 ? rows.length : (affectedRows ?? 0) }
    } catch (error) {
      throw databaseError(error)
    }
  }
}

/** PGlite's own decoders and encoders differ from those of `pg`: every cell stays a text. */
const asTexts = (known: object): { [type: string]: (cell: string) => string } =>
  Object.fromEntries(Object.keys(known).map((type) => [type, (cell: string) => cell]))

function ignore(): void {}
