import { connect, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A relay between page and server that counts bytes of both directions, and can be cut. */
export class Wire {
  up = 0
  down = 0
  #last = 0
  #isUp = true
  #sockets = new Set()
  #server

  /** @param {number} port of the server */
  static async open(port) {
    const wire = new Wire()
    wire.#server = createServer((page) => wire.#relay(page, port))
    await new Promise((resolve) => wire.#server.listen(0, '127.0.0.1', resolve))
    return wire
  }

  get origin() {
    return `http://127.0.0.1:${this.#server.address().port}`
  }

  #relay(page, port) {
    if (!this.#isUp) return page.destroy()
    const server = connect(port, '127.0.0.1')
    for (const [from, to, direction] of [
      [page, server, 'up'],
      [server, page, 'down'],
    ]) {
      from.setNoDelay(true)
      this.#sockets.add(from)
      from.on('data', (bytes) => {
        this[direction] += bytes.length
        this.#last = performance.now()
      })
      from.on('error', () => {})
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  }

  cut() {
    this.#isUp = false
    for (const socket of this.#sockets) socket.destroy()
  }

  connect() {
    this.#isUp = true
  }

  reset() {
    this.up = 0
    this.down = 0
  }

  /** Resolves when no byte has passed for some time. */
  async quiet(milliseconds = 500) {
    this.#last = performance.now()
    for (;;) {
      const rest = milliseconds - (performance.now() - this.#last)
      if (rest <= 0) return
      await wait(rest)
    }
  }

  close() {
    this.cut()
    this.#server.close()
  }
}
