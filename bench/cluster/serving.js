import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Connection } from '../mixed/http/connection.js'

const processModule = fileURLToPath(new URL('./server-process.js', import.meta.url))

/** The serving processes of one server, and connections to them. */
export class Serving {
  #children = []
  #ports = []
  /** @type {import('./servers/server.js').ClusterServer} */
  server
  place

  /**
   * Starts the processes. Throws if one of them cannot start.
   * @param {{ server: import('./servers/server.js').ClusterServer, url: string }} located
   * @param {import('./servers/server.js').Place} place
   * @param {number} count
   */
  static async start({ server, url }, place, count) {
    const serving = new Serving()
    serving.server = server
    serving.place = place
    try {
      for (let at = 0; at < count; at++) {
        const child = fork(processModule, [url, JSON.stringify(place)], {
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        })
        serving.#children.push(child)
        serving.#ports.push(await portOf(child))
      }
    } catch (error) {
      serving.stop()
      throw error
    }
    return serving
  }

  /** The process ids of the first processes. */
  pids(count) {
    return this.#children.slice(0, count).map(({ pid }) => pid)
  }

  /**
   * Runs `body` with connections spread over the first processes. Servers close connections that
   * were idle for some seconds, so each round has its own.
   * @template T
   * @param {number} processes
   * @param {number} count
   * @param {(connections: readonly Connection[]) => Promise<T>} body
   */
  async connected(processes, count, body) {
    const connections = []
    try {
      for (let at = 0; at < count; at++)
        connections.push(await Connection.open(this.#ports[at % processes]))
      return await body(connections)
    } finally {
      for (const connection of connections) connection.close()
    }
  }

  stop() {
    for (const child of this.#children) child.kill('SIGKILL')
  }
}

/** Waits until a process serves. Throws if it ends instead. */
async function portOf(child) {
  const ended = new AbortController()
  const { signal } = ended
  try {
    const [answer] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => [{ error: `it ended with ${code}` }]),
    ])
    if (answer.error !== undefined) throw new Error(`A server did not start: ${answer.error}`)
    return answer.port
  } finally {
    ended.abort()
  }
}
