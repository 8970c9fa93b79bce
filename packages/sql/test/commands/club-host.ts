import type { AnyDataStore } from '@entia/core'
import { createRestHandler, type RestOptions } from '@entia/rest'
import type { Served } from '@entia/rest/engine'
import type { Step } from '../../../testing/src/conformance/case.ts'
import { memberOf } from '../../../testing/src/conformance/check.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import { CookieJar, isJson, requestOf, textOf } from '../../../testing/src/conformance/message.ts'

const HOST = 'club.example'

/** One of the two engines behind a handler, and what its clients remember. */
export class ClubHost {
  readonly #rest: ReturnType<typeof createRestHandler>
  readonly #advance: (seconds: number) => void
  readonly #jars = new Map<string, CookieJar>()
  readonly #kept = new Map<string, string>()

  constructor(
    store: AnyDataStore | Served,
    options: RestOptions,
    advance: (seconds: number) => void,
  ) {
    this.#rest = createRestHandler(store, options)
    this.#advance = advance
  }

  async send(step: Step): Promise<HostReply> {
    if (step.after !== undefined) this.#advance(step.after)
    const jar = this.#jarOf(step.as)
    const request = requestOf(step, this.#fill, { host: HOST, cookie: jar.header })
    const reply = await this.#rest.handle({ ...request, remoteAddress: '127.0.0.1' })
    jar.take(reply.headers['set-cookie'])
    if (reply.headers.etag !== undefined) this.#kept.set('etag', reply.headers.etag)
    for (const [name, member] of Object.entries(step.keep ?? {})) {
      const value = isJson(reply) ? memberOf(JSON.parse(textOf(reply)), member) : undefined
      if (typeof value === 'string') this.#kept.set(name, value)
    }
    return reply
  }

  #jarOf(name: string | undefined): CookieJar {
    const jar = (name === undefined ? undefined : this.#jars.get(name)) ?? new CookieJar()
    if (name !== undefined) this.#jars.set(name, jar)
    return jar
  }

  /** Sets of clients that kept none lead nowhere. */
  readonly #fill = (text: string): string =>
    text.replace(/\{(s\d|etag|upload)(\.id)?\}/g, (_, name: string, isId: string | undefined) => {
      const value = this.#kept.get(name) ?? NOWHERE.get(name[0]!)!
      return isId === undefined ? value : value.slice(value.lastIndexOf('/') + 1)
    })
}

const NOBODY = '0'.repeat(31)
const NOWHERE = new Map([
  ['s', `/rest/Player/$entityset/${NOBODY}A`],
  ['e', '"9-none"'],
  ['u', `${NOBODY}B`],
])

/**
 * Leaves out what may differ: how long parts of a filter took, whether an index answered them, which
 * in memory depends on how many entities they find, and record numbers.
 */
export const comparable = ({ status, headers, body }: HostReply): HostReply => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, withoutNumbers(value)]),
  ),
  body: typeof body === 'string' ? withoutNumbers(body) : body,
})

const withoutNumbers = (text: string): string =>
  text
    .replace(/"time":[\d.e-]+/g, '"time":0')
    .replace(/\[index : ([\w.]+) \]/g, '$1')
    .replaceAll('"IndexNode"', '"SeqNode"')
    .replace(/,"index":"[\w.]+"/g, '')
    .replace(/record(#?) \d+/g, 'record$1')
    .replace(/"recordNumber":\d+/g, '"recordNumber":0')
