import { Agent, request } from 'node:http'

/**
 * What is asked of the server.
 * @typedef {{
 *   readonly method?: string,
 *   readonly path: string,
 *   readonly body?: string | Buffer,
 *   readonly headers?: Readonly<Record<string, string>>,
 *   readonly cutAfter?: number,
 * }} Asked
 * @typedef {{ readonly status: number, readonly text: string, readonly cookie: string | null }} Answered
 */

/** Asks one server over connections that are kept, and counts every answer by its status. */
export class Client {
  /** Answers by status; 0 stands for a request that was cut on purpose. @type {Map<number, number>} */
  statuses = new Map()
  /** What must not be: answers from 500 on, and connections that broke. @type {string[]} */
  failures = []
  asked = 0
  #port
  #agent

  /**
   * @param {number} port
   * @param {number} connections
   */
  constructor(port, connections) {
    this.#port = port
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Ends the connections; the next request opens others. */
  rest() {
    this.#agent.destroy()
  }

  /**
   * @param {Asked} asked
   * @returns {Promise<Answered>}
   */
  async ask(asked) {
    this.asked++
    const answered = await (asked.cutAfter === undefined ? this.#send(asked) : this.#cut(asked, asked.cutAfter))
    const { status, text } = answered
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status >= 500 || status < 0) this.#tell(asked, status < 0 ? text : `${status} ${text}`)
    return answered
  }

  /**
   * @param {Asked} asked
   * @returns {Promise<Answered>}
   */
  #send({ method = 'GET', path, body, headers = {} }) {
    return new Promise((resolve) => {
      const broken = (/** @type {Error} */ error) => resolve({ status: -1, text: error.message, cookie: null })
      const sent = request(
        { agent: this.#agent, host: '127.0.0.1', port: this.#port, method, path, headers, timeout: 60_000 },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (piece) => (text += piece))
          response.once('error', broken)
          response.once('end', () => {
            const [cookie = ''] = response.headers['set-cookie'] ?? []
            resolve({ status: response.statusCode ?? -1, text, cookie: cookie.split(';', 1)[0] || null })
          })
        },
      )
      sent.once('error', broken)
      sent.once('timeout', () => sent.destroy(new Error('no answer in 60 seconds')))
      sent.end(body)
    })
  }

  /**
   * Goes away in the middle of the body.
   * @param {Asked} asked
   * @param {number} after bytes that are sent
   * @returns {Promise<Answered>}
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
   * @param {Asked} asked
   * @param {string} found
   */
  #tell({ method = 'GET', path, body }, found) {
    if (this.failures.length < 20)
      this.failures.push(`${method} ${path} ${String(body ?? '').slice(0, 200)} -> ${found.slice(0, 300)}`)
    else if (this.failures.length === 20) this.failures.push('… and more')
  }
}
