import { createRestHandler, type RestHandler, type RestOptions } from '@entia/rest'
import type { Step } from '../../../testing/src/conformance/case.ts'
import { memberOf } from '../../../testing/src/conformance/check.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import { CookieJar, isJson, requestOf, textOf } from '../../../testing/src/conformance/message.ts'
import { ClubCallers } from './club-callers.ts'
import { CALLER } from './club-options.ts'
import { inDocument, type Opened, type OtherProcess, type Received } from './targets.ts'

const HOST = 'club.example'

/** Callers who may see everything and send no requests: their programs can run in the process. */
export const IN_PROCESS: ReadonlySet<string> = new Set(['', 'dora'])

/** In place of a request: what serves ends, and starts again. */
export const RESTART = 'RESTART'

type Handler = Pick<RestHandler, 'handle' | 'fetch'>

/** The handler of another process. */
function handlerIn(other: OtherProcess, isAlone: () => boolean): Handler {
  return {
    handle: (input) => other.handle(input as Received, isAlone()),
    async fetch(request) {
      const { method, url } = request
      const { status, headers, body } = await other.handle(
        {
          method,
          url,
          headers: { host: HOST, ...Object.fromEntries(request.headers) },
          ...(request.body !== null && { body: new Uint8Array(await request.arrayBuffer()) }),
        },
        isAlone(),
      )
      return new Response(body.length === 0 ? null : (body as string | ArrayBuffer), {
        status,
        headers,
      })
    },
  }
}

/**
 * One engine behind its handlers, and what its clients remember. Several handlers are those of
 * several processes over one database: the requests go to one after the other.
 */
export class ClubHost {
  #opened: Opened
  #handlers: readonly Handler[] = []
  readonly #options: RestOptions
  readonly #advance: (seconds: number) => void
  readonly #jars = new Map<string, CookieJar>()
  readonly #callers = new Map<string, ClubCallers>()
  readonly #kept = new Map<string, string>()
  #requests = 0
  #isAlone = true

  constructor(opened: Opened, options: RestOptions, advance: (seconds: number) => void) {
    this.#opened = opened
    this.#options = options
    this.#advance = advance
    this.#serve()
  }

  get opened(): Opened {
    return this.#opened
  }

  #serve(): void {
    const { stores, processes = [], options = {} } = this.#opened
    const handlers = stores.map((store) =>
      createRestHandler(store, { ...this.#options, ...options }),
    )
    const isAlone = (): boolean => this.#isAlone
    this.#handlers = [...handlers, ...processes.map((other) => handlerIn(other, isAlone))]
  }

  /** `isAlone`: false for one of several requests at a time, whose replies leave nothing behind. */
  async send(step: Step, isAlone = true): Promise<HostReply> {
    this.#isAlone = isAlone
    if (step.after !== undefined) this.#advance(step.after)
    if (step.send === RESTART) return this.#restart()
    return this.#sendNamed(this.#opened.restart === undefined ? step : inDocument(step), isAlone)
  }

  async #sendNamed(step: Step, isAlone: boolean): Promise<HostReply> {
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
    if (!isAlone) return reply
    if (reply.headers.etag !== undefined) this.#kept.set('etag', reply.headers.etag)
    for (const [name, member] of Object.entries(step.keep ?? {})) {
      const value = isJson(reply) ? memberOf(JSON.parse(textOf(reply)), member) : undefined
      if (typeof value === 'string') this.#kept.set(name, value)
    }
    return reply
  }

  /** Everything in memory is lost; what was kept is the reply. */
  async #restart(): Promise<HostReply> {
    const { kept, opened } = await this.#opened.restart!()
    this.#opened = opened
    for (const map of [this.#jars, this.#callers, this.#kept]) map.clear()
    this.#serve()
    return { status: 200, headers: {}, body: kept }
  }

  #next(): Handler {
    return this.#handlers[this.#requests++ % this.#handlers.length]!
  }

  /** The program and the assistant of a caller, with the cookies of the browser. */
  #callersOf(name = ''): ClubCallers {
    const known = this.#callers.get(name)
    if (known !== undefined) return known
    const jar = this.#jarOf(name === '' ? undefined : name)
    const created = new ClubCallers(
      async (request) => {
        request.headers.delete('cookie')
        if (jar.header !== null) request.headers.set('cookie', jar.header)
        request.headers.set(CALLER, name)
        const response = await this.#next().fetch(request)
        jar.take(response.headers.get('set-cookie') ?? undefined)
        return response
      },
      IN_PROCESS.has(name) ? this.#opened.program?.() : undefined,
    )
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
