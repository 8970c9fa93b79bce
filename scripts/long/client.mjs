import { Agent, request } from 'node:http'

/**
 * A request to the server, and its response.
 * @typedef {{
 *   readonly method?: string,
 *   readonly path: string,
 *   readonly body?: string | Buffer,
 *   readonly headers?: Readonly<Record<string, string>>,
 *   readonly cutAfter?: number,
 * }} Request
 * @typedef {{ readonly status: number, readonly text: string, readonly cookie: string | null,
 *   readonly isReused?: boolean }} Answer a status of -1 is a broken connection
 */

/** Sends requests to one server over keep-alive connections and counts the responses by status. */
export class Client {
  /** Responses by status; 0 counts deliberately aborted requests. @type {Map<number, number>} */
  statuses = new Map()
  /** Errors: 5xx responses and broken connections. @type {string[]} */
  failures = []
  requests = 0
  #port
  #agent

  /**
   * @param {number} port
   * @param {number} connections that are kept; 0 opens one for each request
   */
  constructor(port, connections) {
    this.#port = port
    this.#agent = connections > 0 && new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Closes the connections; the next request opens new ones. */
  rest() {
    if (this.#agent) this.#agent.destroy()
  }

  /**
   * @param {Request} request
   * @returns {Promise<Answer>}
   */
  async ask(request) {
    this.requests++
    const answer = await (request.cutAfter === undefined
      ? this.#send(request)
      : this.#cut(request, request.cutAfter))
    const { status, text } = answer
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status >= 500 || status < 0) this.#report(request, status < 0 ? text : `${status} ${text}`)
    return answer
  }

  /**
   * @param {Request} request
   * @returns {Promise<Answer>}
   */
  #send({ method = 'GET', path, body, headers = {} }) {
    return new Promise((resolve) => {
      const broken = (/** @type {Error} */ error) =>
        resolve({ status: -1, text: error.message, cookie: null, isReused: sent.reusedSocket })
      const sent = request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port: this.#port,
          method,
          path,
          headers,
          timeout: 60_000,
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (piece) => (text += piece))
          response.once('error', broken)
          response.once('end', () => {
            const [cookie = ''] = response.headers['set-cookie'] ?? []
            resolve({
              status: response.statusCode ?? -1,
              text,
              cookie: cookie.split(';', 1)[0] || null,
            })
          })
        },
      )
      sent.once('error', broken)
      sent.once('timeout', () => sent.destroy(new Error('no response in 60 seconds')))
      sent.end(body)
    })
  }

  /**
   * Disconnects in the middle of the body.
   * @param {Request} request
   * @param {number} after bytes that are sent
   * @returns {Promise<Answer>}
   */
  #cut({ method = 'POST', path, body = '', headers = {} }, after) {
    return new Promise((resolve) => {
      const bytes = Buffer.from(body)
      const sent = request({
        agent: false,
        host: '127.0.0.1',
        port: this.#port,
        method,
        path,
        headers: { ...headers, 'content-length': String(bytes.length) },
      })
      sent.on('error', () => {})
      sent.once('close', () => resolve({ status: 0, text: '', cookie: null }))
      sent.write(bytes.subarray(0, after), () => sent.destroy())
    })
  }

  /**
   * @param {Request} request
   * @param {string} found
   */
  #report({ method = 'GET', path, body }, found) {
    if (this.failures.length < 20)
      this.failures.push(
        `${method} ${path} ${String(body ?? '').slice(0, 200)} -> ${found.slice(0, 300)}`,
      )
    else if (this.failures.length === 20) this.failures.push('… and more')
  }
}
