import { type AnyDataStore, isEntiaError } from '@entia/core'
import { createRestHandler, type RestHandler, type RestInput, type RestOptions } from '@entia/rest'
import { expect } from 'vitest'
import type { TestDatabase } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'

/** A reply without what another life of the same store may have differently. */
export interface PlainReply {
  readonly status: number
  readonly type: string | undefined
  readonly text: string
}

/** Words that occur only in messages of PostgreSQL and its driver. */
const DATABASE_WORDS =
  /postgres|sqlstate|\bsql\b|relation "|column "|constraint "|syntax error at|invalid (?:input|byte)|violates|duplicate key|out of range|tuple|\bpg_|\bjsonb\b|bigint|test_[0-9a-f]{16}/i

/** Sends each request to a store in memory and to its copy in a database. */
export class TwoEngines {
  readonly #create: () => AnyDataStore
  readonly #database: TestDatabase
  readonly #options: RestOptions
  #handlers: Promise<readonly [memory: Side, sql: Side]> | null = null

  constructor(database: TestDatabase, create: () => AnyDataStore, options: RestOptions = {}) {
    this.#create = create
    this.#database = database
    this.#options = options
  }

  /** Both replies. Fails if the host got an error, or a reply has words of the database. */
  async replies(input: RestInput): Promise<readonly [memory: PlainReply, sql: PlainReply]> {
    this.#handlers ??= this.#open()
    const [memory, sql] = await this.#handlers
    const expected = await memory.reply(input)
    const found = await sql.reply(input)
    expect(sql.errors.splice(0), describe(input)).toEqual(memory.errors.splice(0))
    const said = DATABASE_WORDS.exec(found.text)?.[0]
    if (said !== undefined && !expected.text.includes(said))
      throw new Error(`${describe(input)}: the reply says "${said}": ${found.text.slice(0, 300)}`)
    return [expected, found]
  }

  /** Fails unless both replies have the same status, type and bytes. Returns them. */
  async expectSame(input: RestInput): Promise<PlainReply> {
    const [expected, found] = await this.replies(input)
    expect(found, describe(input)).toEqual(expected)
    return found
  }

  async #open(): Promise<readonly [Side, Side]> {
    const copied = await openCopy(this.#create(), this.#database.pool, this.#database.newSchema())
    return [new Side(this.#create(), this.#options), new Side(copied, this.#options)]
  }
}

/** One handler and the errors that it reported to its host. */
class Side {
  readonly errors: string[] = []
  readonly #rest: RestHandler
  readonly #ids = new Map<string, string>()

  constructor(store: Parameters<typeof createRestHandler>[0], options: RestOptions) {
    this.#rest = createRestHandler(store, {
      ...options,
      onError: (error) => {
        if (!isEntiaError(error)) this.errors.push(error instanceof Error ? error.message : '?')
      },
    })
  }

  async reply(input: RestInput): Promise<PlainReply> {
    const { status, headers, body } = await this.#rest.handle({
      remoteAddress: '127.0.0.1',
      ...input,
    })
    const text = typeof body === 'string' ? body : Buffer.from(body ?? []).toString('latin1')
    return { status, type: headers['content-type'], text: this.#withoutIds(text) }
  }

  /** Ids are issued in another order: each becomes its number. */
  #withoutIds(text: string): string {
    return text.replace(/0{24}[0-9A-F]{8}/gi, (id) => {
      const known = this.#ids.get(id) ?? `id ${this.#ids.size}`
      this.#ids.set(id, known)
      return known
    })
  }
}

const describe = ({ method, url, body }: RestInput): string =>
  `${method} ${url.slice(0, 200)} ${typeof body === 'string' ? body.slice(0, 200) : ''}`
