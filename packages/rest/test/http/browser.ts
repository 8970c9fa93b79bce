import type { RestHandler } from '../../src/index.ts'
import { type Reply, send } from './send.ts'

/** A client that keeps its cookie, as browsers do. */
export class Browser {
  cookie: string | null = null
  readonly #rest: RestHandler
  readonly #headers: { readonly [name: string]: string }

  constructor(rest: RestHandler, headers: { readonly [name: string]: string } = {}) {
    this.#rest = rest
    this.#headers = headers
  }

  get(url: string, headers = {}): Promise<Reply> {
    return this.send('GET', url, undefined, headers)
  }

  post(url: string, body?: unknown, headers = {}): Promise<Reply> {
    return this.send('POST', url, body, headers)
  }

  async send(method: string, url: string, body?: unknown, headers = {}): Promise<Reply> {
    const cookie = this.cookie === null ? {} : { cookie: this.cookie }
    const reply = await send(this.#rest, method, url, body, {
      host: 'hr.test:80',
      ...this.#headers,
      ...cookie,
      ...headers,
    })
    const set = reply.headers['set-cookie']
    if (set !== undefined) this.cookie = set.includes('Max-Age=0') ? null : set.split(';', 1)[0]!
    return reply
  }
}
