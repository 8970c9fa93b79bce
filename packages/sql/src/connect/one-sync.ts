import type pg from 'pg'
import type { SqlRows } from './port.ts'
import { decoderOf } from './wire-values.ts'

/** A statement as it is sent: its name if it is prepared, and its values as texts or bytes. */
export interface WireStatement {
  readonly name: string | undefined
  readonly text: string
  readonly values: readonly (string | Buffer | null)[]
}

/** The part of a connection of `pg` that sends messages. `pg` keeps what was parsed there. */
interface Wire {
  readonly parsedStatements: { [name: string]: string | undefined }
  readonly submittedNamedStatements: { [name: string]: string | undefined }
  parse(message: { readonly text: string; readonly name: string | undefined }): void
  bind(message: object): void
  describe(message: { readonly type: 'P'; readonly name: string }): void
  execute(message: { readonly portal: string }): void
  sync(): void
  on(event: 'readyForQuery' | 'end', listener: () => void): void
  off(event: 'readyForQuery' | 'end', listener: () => void): void
}

type Done = (error: unknown, results: readonly SqlRows[]) => void
interface OneSync extends pg.Query {
  callback: (error: unknown, results?: readonly SqlRows[]) => void
  /** Milliseconds; undefined for the limit of the pool. */
  query_timeout: number | undefined
}
type OneSyncClass = new (statements: readonly WireStatement[], done: Done) => OneSync

/** By the class of queries: a pool of the application may be of another copy of `pg`. */
const classes = new WeakMap<typeof pg.Query, OneSyncClass>()

/**
 * Sends statements as one query of `pg`, with one Sync behind the last. The server skips all
 * statements behind one that fails: with a Sync behind each it would carry them out, and so without
 * a transaction if BEGIN fails. Null for a client that does not pipeline.
 */
export function sendWithOneSync(
  client: pg.PoolClient,
  statements: readonly WireStatement[],
  limit: number | undefined,
): Promise<readonly SqlRows[]> | null {
  if ((client as { pipeline?: boolean }).pipeline !== true) return null
  const { Query } = client.constructor as Partial<typeof pg.Client> & { Query?: typeof pg.Query }
  if (Query === undefined) return null
  const known = classes.get(Query) ?? oneSyncClass(Query)
  classes.set(Query, known)
  return new Promise((resolve, reject) => {
    const query = new known(statements, (error, results) =>
      error ? reject(error) : resolve(results),
    )
    query.query_timeout = limit
    client.query(query)
  })
}

function oneSyncClass(Query: typeof pg.Query): OneSyncClass {
  return class extends Query {
    /** Those of the statement that the server carries out: `pg` notes that it was parsed. */
    name: string | undefined
    text = ''
    callback: OneSync['callback']
    query_timeout: number | undefined
    readonly #statements: readonly WireStatement[]
    readonly #results: SqlRows[] = []
    #at = 0
    #rows: unknown[][] = []
    #decoders: readonly ((cell: string) => unknown)[] | null = null
    #failure: unknown = null

    constructor(statements: readonly WireStatement[], done: Done) {
      super('')
      this.#statements = statements
      this.callback = (error, results) => done(error, results ?? [])
      this.#begin()
    }

    override submit = (connection: pg.Connection): void => {
      const wire = connection as unknown as Wire
      for (const { name, text, values } of this.#statements) {
        if (name === undefined || !isParsed(wire, name)) {
          wire.parse({ text, name })
          if (name !== undefined) wire.submittedNamedStatements[name] = text
        }
        wire.bind({ portal: '', statement: name, values })
        wire.describe({ type: 'P', name: '' })
        wire.execute({ portal: '' })
      }
      wire.sync()
    }

    handleRowDescription({ fields }: { fields: readonly { readonly dataTypeID: number }[] }): void {
      this.#decoders = fields.map(({ dataTypeID }) => decoderOf(dataTypeID))
    }

    handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
      if (this.#failure !== null) return
      const decoders = this.#decoders!
      try {
        this.#rows.push(fields.map((cell, at) => (cell === null ? null : decoders[at]!(cell))))
      } catch (error) {
        this.#failure = error
      }
    }

    /** `text` is the tag of the command, such as `INSERT 0 5`. */
    handleCommandComplete({ text }: { text: string }): void {
      const rows = this.#rows
      const count = Number(/\d+$/.exec(text)?.[0] ?? 0)
      this.#results.push({ rows, count: this.#decoders === null ? count : rows.length })
      this.#at++
      this.#begin()
    }

    handleEmptyQuery(): void {
      this.handleCommandComplete({ text: '' })
    }

    /**
     * The error of the server, or that of a connection that is lost. The first is reported once the
     * server is ready again: only then the state of the transaction is known.
     */
    handleError(error: unknown, connection: pg.Connection): void {
      const wire = connection as unknown as Wire
      // What was not carried out was not parsed either.
      for (const { name } of this.#statements.slice(this.#at))
        if (name !== undefined) delete wire.submittedNamedStatements[name]
      if (!isAnswer(error)) {
        this.callback(error)
        return
      }
      const report = (): void => {
        wire.off('readyForQuery', report)
        wire.off('end', report)
        this.callback(error)
      }
      wire.on('readyForQuery', report)
      wire.on('end', report)
    }

    handleReadyForQuery(): void {
      if (this.#failure === null) this.callback(null, this.#results)
      else this.callback(this.#failure)
    }

    #begin(): void {
      const next = this.#statements[this.#at]
      this.#rows = []
      this.#decoders = null
      this.name = next?.name
      this.text = next?.text ?? ''
    }
  } as unknown as OneSyncClass
}

const isParsed = (wire: Wire, name: string): boolean =>
  wire.parsedStatements[name] !== undefined || wire.submittedNamedStatements[name] !== undefined

/** True for an error that the server sent. */
const isAnswer = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'severity' in error
