import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const childModule = fileURLToPath(new URL('./server-child.js', import.meta.url))

/** A child process with one server. */
export class ServerProcess {
  #child

  /**
   * Starts the server. Throws if that fails.
   * @param {{ server: import('./servers/server.js').BenchServer, url: string }} located
   * @param {number} employeeCount
   */
  static async start({ server, url }, employeeCount) {
    const started = new ServerProcess()
    started.server = server
    started.#child = fork(childModule, [url, String(employeeCount)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    started.origin = `http://127.0.0.1:${await started.#answer()}`
    return started
  }

  get pid() {
    return this.#child.pid
  }

  /** Profiles the server during the work. */
  async profiled(directory, name, work) {
    this.#child.send({ command: 'profile', directory, name })
    await this.#answer()
    const result = await work()
    this.#child.send({ command: 'end' })
    return { result, functions: await this.#answer() }
  }

  stop() {
    this.#child.kill('SIGKILL')
  }

  async #answer() {
    const [{ answer, error }] = await once(this.#child, 'message')
    if (error !== undefined) throw new Error(error)
    return answer
  }
}
