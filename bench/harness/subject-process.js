import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const patienceSeconds = 120
const childModule = fileURLToPath(new URL('./child.js', import.meta.url))

/** A child process that holds one subject. Requests are answered in order; ask one at a time. */
export class SubjectProcess {
  #child
  /** @type {{ resolve: (answer: unknown) => void, reject: (error: Error) => void } | null} */
  #waiting = null
  /** @type {string | null} why the process is no longer there */
  #end = null

  /** Starts the process and loads the subject's module. */
  static async start({ name, url }, employeeCount, profileDirectory) {
    const started = new SubjectProcess()
    started.name = name
    const args = [url, String(employeeCount), ...(profileDirectory === null ? [] : [profileDirectory])]
    started.#child = fork(childModule, args, { execArgv: ['--expose-gc', '--max-old-space-size=12288'] })
    started.#child.on('message', (message) => started.#settle(message))
    started.#child.on('exit', (code, signal) => started.#ended(`The process of ${name} ended (${signal ?? code}).`))
    await started.#answer()
    return started
  }

  /** Asks for one command of `child.js`. Throws what it throws there, as text; who takes too long is stopped for good. */
  async request(command, parameters = {}) {
    if (this.#end !== null) throw new Error(this.#end)
    const answer = this.#answer()
    this.#child.send({ command, ...parameters })
    const limit = setTimeout(() => {
      this.stop()
      this.#ended(`${this.name} was stopped: it took more than ${patienceSeconds} s for one step.`)
    }, patienceSeconds * 1000)
    return answer.finally(() => clearTimeout(limit))
  }

  stop() {
    this.#child.removeAllListeners()
    this.#child.kill('SIGKILL')
  }

  #answer() {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  #ended(reason) {
    this.#end = reason
    this.#settle({ error: reason })
  }

  #settle({ answer, error }) {
    const waiting = this.#waiting
    this.#waiting = null
    if (waiting === null) return
    if (error === undefined) waiting.resolve(answer)
    else waiting.reject(new Error(error))
  }
}
