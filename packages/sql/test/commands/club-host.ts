import type { AnyDataStore } from '@entia/core'
import type { Served } from '@entia/engine'
import { createRestHandler, type RestHandler, type RestOptions } from '@entia/rest'
import type { Step } from '../../../testing/src/conformance/case.ts'
import { memberOf } from '../../../testing/src/conformance/check.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import { CookieJar, isJson, requestOf, textOf } from '../../../testing/src/conformance/message.ts'
import { ClubCallers } from './club-callers.ts'
import { CALLER } from './club-options.ts'

const HOST = 'club.example'

/**
 * One engine behind its handlers, and what its clients remember. Several handlers are those of
 * several processes over one database: the requests go to one after the other.
 */
export class ClubHost {
  readonly #handlers: readonly RestHandler[]
  readonly #advance: (seconds: number) => void
  readonly #jars = new Map<string, CookieJar>()
  readonly #callers = new Map<string, ClubCallers>()
  readonly #kept = new Map<string, string>()
  #requests = 0

  constructor(
    stores: readonly (AnyDataStore | Served)[],
    options: RestOptions,
    advance: (seconds: number) => void,
  ) {
    this.#handlers = stores.map((store) => createRestHandler(store, options))
    this.#advance = advance
  }

  async send(step: Step): Promise<HostReply> {
    if (step.after !== undefined) this.#advance(step.after)
    if (step.send.startsWith('CLIENT ')) return this.#callersOf(step.as).client(step)
    if (step.send.startsWith('TOOL ')) return this.#callersOf(step.as).tool(step)
    const jar = this.#jarOf(step.as)
    const { headers, ...request } = requestOf(step, this.#fill, { host: HOST, cookie: jar.header })
    const reply = await this.#next().handle({
      ...request,
      headers: { ...headers, [CALLER]: step.as ?? '' },
      remoteAddress: '127.0.0.1',
    })
    jar.take(reply.headers['set-cookie'])
    if (reply.headers.etag !== undefined) this.#kept.set('etag', reply.headers.etag)
    for (const [name, member] of Object.entries(step.keep ?? {})) {
      const value = isJson(reply) ? memberOf(JSON.parse(textOf(reply)), member) : undefined
      if (typeof value === 'string') this.#kept.set(name, value)
    }
    return reply
  }

  #next(): RestHandler {
    return this.#handlers[this.#requests++ % this.#handlers.length]!
  }

  /** The program and the assistant of a caller, with the cookies of the browser. */
  #callersOf(name = ''): ClubCallers {
    const known = this.#callers.get(name)
    if (known !== undefined) return known
    const jar = this.#jarOf(name === '' ? undefined : name)
    const created = new ClubCallers(async (request) => {
      request.headers.delete('cookie')
      if (jar.header !== null) request.headers.set('cookie', jar.header)
      request.headers.set(CALLER, name)
      const response = await this.#next().fetch(request)
      jar.take(response.headers.get('set-cookie') ?? undefined)
      return response
    })
    this.#callers.set(name, created)
    return created
  }

  #jarOf(name: string | undefined): CookieJar {
    const jar = (name === undefined ? undefined : this.#jars.get(name)) ?? new CookieJar()
    if (name !== undefined) this.#jars.set(name, jar)
    return jar
  }

  /** The sets of clients; those that were not created are unknown. */
  readonly #fill = (text: string): string =>
    text.replace(/\{(s\d|etag|upload)(\.id)?\}/g, (_, name: string, isId: string | undefined) => {
      const value = this.#kept.get(name) ?? NOWHERE.get(name[0]!)!
      return isId === undefined ? value : value.slice(value.lastIndexOf('/') + 1)
    })
}

/** Fake ids count up, and do not come this far. */
const UNUSED = 'F'.repeat(31)
const NOWHERE = new Map([
  ['s', `/rest/Player/$entityset/${UNUSED}A`],
  ['e', '"9-none"'],
  ['u', `${UNUSED}B`],
])

/**
 * Leaves out what may differ: how long parts of a filter took, whether an index answered them and
 * so their order, which in memory depends on how many entities they find, record numbers, and the
 * global stamp of replies to writes: in memory after-hooks have then committed, too.
 */
export const comparable = ({ status, headers, body }: HostReply, step: Step): HostReply => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, comparableText(value, step)]),
  ),
  body: typeof body === 'string' ? comparableText(body, step) : body,
})

/**
 * The texts of the log. Over SQL the after-hooks of a function run when it has ended, and in memory
 * after each of its writes: what both log can have each other's keys.
 */
export const LOG_TEXTS = 'GET /rest/Log?$orderby=text&$top=10000&$attributes=text'

/** The same of a text: of a body, or the value of a header. */
export function comparableText(body: string, { send }: Pick<Step, 'send'>): string {
  const text = withoutNumbers(body)
  if (send === LOG_TEXTS) return text.replace(/"__KEY":"\d+"/g, '"__KEY":"0"')
  if (!send.startsWith('GET ')) return text.replace(/"__GlobalStamp":\d+/g, '"__GlobalStamp":0')
  return text.includes('"__queryP') ? JSON.stringify(withPartsInOrder(JSON.parse(text))) : text
}

/**
 * A plan or path whose parts of each AND are in the order of their texts. Of a path that found
 * nothing they are left out: the ones behind the first part without entities did not run.
 */
function withPartsInOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPartsInOrder)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withPartsInOrder(member)])
  const node = Object.fromEntries(members)
  if (node.And !== undefined) return { And: inOrder(node.And) }
  if (node.logicOper === 'And')
    return { ...node, parts: node.foundRecords === 0 ? [] : inOrder(node.parts) }
  if (node.description === 'AND')
    return { ...node, steps: node.recordsfounds === 0 ? [] : inOrder(node.steps) }
  return node
}

const inOrder = (parts: readonly unknown[]): readonly unknown[] =>
  [...parts].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const withoutNumbers = (text: string): string =>
  text
    .replace(/"time":[\d.e-]+/g, '"time":0')
    .replace(/\[index : ([\w.]+) \]/g, '$1')
    .replaceAll('"IndexNode"', '"SeqNode"')
    .replace(/,"index":"[\w.]+"/g, '')
    .replace(/record(#?) \d+/g, 'record$1')
    .replace(/"recordNumber":\d+/g, '"recordNumber":0')
