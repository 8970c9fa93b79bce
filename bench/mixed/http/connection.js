import { once } from 'node:events'
import { connect } from 'node:net'

const headEnd = Buffer.from('\r\n\r\n')

/**
 * A connection that sends one request at a time and reads responses of a known length. It leaves as
 * much of the machine as possible to the server.
 */
export class Connection {
  #socket
  #received = Buffer.alloc(0)
  /** @type {{ resolve: (answer: HttpAnswer) => void, reject: (error: Error) => void } | null} */
  #waiting = null

  /** @param {number} port   of this machine */
  static async open(port) {
    const connection = new Connection(connect(port, '127.0.0.1'))
    await once(connection.#socket, 'connect')
    return connection
  }

  /** Use `open`. */
  constructor(socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('error', (error) => this.#waiting?.reject(error))
    socket.on('close', () => this.#waiting?.reject(new Error('The server closed the connection.')))
  }

  /**
   * @typedef {object} HttpAnswer
   * @property {number} status
   * @property {Buffer} body
   * @param {import('./servers/server.js').MixRequest} request
   * @returns {Promise<HttpAnswer>}
   */
  ask({ method, path, body }) {
    const content =
      body === undefined
        ? ''
        : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${content}\r\n${body ?? ''}`,
      )
    })
  }

  close() {
    this.#waiting = null
    this.#socket.destroy()
  }

  #receive(chunk) {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const end = this.#received.indexOf(headEnd)
    if (end < 0) return
    const head = this.#received.latin1Slice(0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)
    if (length === null)
      return this.#settle('reject', new Error(`A response without a length: ${head}`))
    const total = end + headEnd.length + Number(length[1])
    if (this.#received.length < total) return
    const body = this.#received.subarray(end + headEnd.length, total)
    this.#received = this.#received.subarray(total)
    this.#settle('resolve', { status: Number(head.slice(9, 12)), body })
  }

  #settle(how, value) {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.[how](value)
  }
}
