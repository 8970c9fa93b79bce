import { type AnyDataStore, isEntiaError } from '@entia/core'
import type { Served } from '@entia/engine'
import { createRestHandler, type RestHandler } from '@entia/rest'
import { type FuzzRequest, givenBody } from '../../../rest/test/fuzz/requests.ts'
import { createHr } from '../../../rest/test/http/models.ts'
import { comparableText } from '../commands/compare.ts'
import type { TestDatabase } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'
import { growingRecords } from '../growing-records.ts'

/** A reply as both engines should give it. */
interface FuzzReply {
  readonly status: number
  readonly type: string | undefined
  readonly text: string
}

/** Sends generated requests to a store in memory and to its copy in a database. */
export class FuzzedEngines {
  /** Addresses of entity sets in earlier replies, with numbers in the place of ids. */
  readonly sets: string[] = []
  readonly #memory: Side
  readonly #sql: Side

  private constructor(memory: Side, sql: Side) {
    this.#memory = memory
    this.#sql = sql
  }

  static async open({ pool, newSchema }: TestDatabase): Promise<FuzzedEngines> {
    const copy = await openCopy(createHr(), pool, newSchema(), { onError: () => {} })
    return new FuzzedEngines(new Side(growingRecords(createHr())), new Side(copy))
  }

  get sessions(): number {
    return this.#memory.cookies.length
  }

  /**
   * The status of both replies; null if only the database refuses the request, as documented: then
   * the stores differ. Throws a description of any other difference.
   */
  async ask(request: FuzzRequest): Promise<number | null> {
    const expected = await this.#memory.reply(request)
    const found = await this.#sql.reply(request)
    if (found.text.includes(`"errCode":${NOT_STORABLE}`) && found.text !== expected.text)
      return null
    for (const name of ['status', 'type', 'text'] as const)
      if (found[name] !== expected[name])
        throw new Error(
          `The ${name} differs.\nin memory: ${shown(expected)}\nover SQL:  ${shown(found)}`,
        )
    const set = /"__ENTITYSET":"([^"]+)"/.exec(expected.text)?.[1]
    if (set !== undefined && this.sets.length < 8) this.sets.push(set)
    return expected.status
  }
}

/** U+0000, and texts that are too long for an index. */
const NOT_STORABLE = 9032

const shown = ({ status, type, text }: FuzzReply): string =>
  `${status} ${type} ${text.slice(0, 1500)}`

/** One of the engines, with the ids that it issued. */
class Side {
  readonly cookies: string[] = []
  readonly #rest: RestHandler
  readonly #errors: string[] = []
  /** Ids in the order in which they were seen. */
  readonly #ids: string[] = []

  constructor(store: AnyDataStore | Served) {
    this.#rest = createRestHandler(store, {
      users: [{ name: 'ada', password: 'engine', groups: ['staff'] }],
      allowedOrigins: ['https://app.example'],
      onError: (error) => {
        if (!isEntiaError(error)) this.#errors.push(String(error))
      },
    })
  }

  async reply({ method, url, headers, body, bodyKind, session }: FuzzRequest): Promise<FuzzReply> {
    const cookie = this.cookies[session]
    const given = body === undefined ? undefined : givenBody(body, bodyKind)
    const reply = await this.#rest.handle({
      method,
      url: this.#withIds(url),
      headers: cookie === undefined ? headers : { ...headers, cookie },
      ...(given === undefined ? {} : { body: given as never }),
      remoteAddress: '127.0.0.1',
    })
    const [error] = this.#errors
    if (error !== undefined) throw new Error(`The host got the error ${error}`)
    const [made] = reply.headers['set-cookie']?.split(';') ?? []
    if (made !== undefined && this.cookies.length < 4) this.cookies.push(made)
    const text =
      typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body ?? []).toString('latin1')
    return {
      status: reply.status,
      type: reply.headers['content-type'],
      text: this.#comparable(text, method, url),
    }
  }

  #withIds(url: string): string {
    return url.replace(
      /ISSUED(\d+)/g,
      (whole, number: string) => this.#ids[Number(number)] ?? whole,
    )
  }

  /** Without what may differ: ids, sizes, and what `comparableText` leaves out. */
  #comparable(text: string, method: string, url: string): string {
    const numbered = text.replace(/0{24}[0-9A-F]{8}/gi, (id) => {
      if (!this.#ids.includes(id)) this.#ids.push(id)
      return `ISSUED${this.#ids.indexOf(id)}`
    })
    const plain = comparableText(numbered, `${method} ${url}`)
    return url.includes('$info') ? plain.replace(/"(cacheSize|usedCache)":\d+/g, '"$1":0') : plain
  }
}
