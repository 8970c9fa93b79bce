import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The time limit for one request. */
const requestSeconds = 120
const childModule = fileURLToPath(new URL('./child.js', import.meta.url))

/** A request exceeded the time limit of the subject. */
export class TimeoutError extends Error {}

/**
 * A child process that holds one subject. It answers requests in order; send one at a time. A
 * subject that exceeds the limit for one request or for all of them is stopped: every later request
 * throws a `TimeoutError`.
 */
export class SubjectProcess {
  #child
  /** @type {{ resolve: (answer: unknown) => void, reject: (error: Error) => void } | null} */
  #waiting = null
  /** @type {Error | null} the reason why the process ended */
  #end = null
  #millisecondsLeft

  /**
   * Starts the process and loads the subject's module.
   * @param {import('./options.js').BenchSubject} subject
   * @param {number} employeeCount
   * @param {{ seconds?: number, profileDirectory?: string | null, module?: string }} [options]
   *        `seconds` limits all requests together; `module` is the program, `child.js` by default
   */
  static async start(subject, employeeCount, options = {}) {
    const {
      seconds = Number.POSITIVE_INFINITY,
      profileDirectory = null,
      module = childModule,
    } = options
    const started = new SubjectProcess(subject, seconds)
    const args = [
      subject.url,
      String(employeeCount),
      ...(profileDirectory === null ? [] : [profileDirectory]),
    ]
    started.#child = fork(module, args, { execArgv: ['--expose-gc', '--max-old-space-size=12288'] })
    started.#child.on('message', (message) => started.#settle(message))
    started.#child.on('exit', (code, signal) =>
      started.#ended(new Error(`The process of ${subject.name} ended (${signal ?? code}).`)),
    )
    started.version = (await started.#answer()).version
    return started
  }

  /** Use `start`. */
  constructor(subject, seconds) {
    this.subject = subject
    this.name = subject.name
    /** The version of the measured software, as the subject reports it. */
    this.version = ''
    this.#millisecondsLeft = seconds * 1000
  }

  /** The remaining time for all requests together. */
  get secondsLeft() {
    return this.#millisecondsLeft / 1000
  }

  /** Sends a command to the program. Throws the program's error as text, or a `TimeoutError`. */
  async request(command, parameters = {}) {
    if (this.#end !== null) throw this.#end
    const started = performance.now()
    const answer = this.#answer()
    this.#child.send({ command, ...parameters })
    const most = Math.min(requestSeconds * 1000, this.#millisecondsLeft)
    const limit = setTimeout(() => {
      this.stop()
      this.#ended(new TimeoutError(`${this.name} was stopped: it took too long.`))
    }, most)
    return answer.finally(() => {
      clearTimeout(limit)
      this.#millisecondsLeft = Math.max(0, this.#millisecondsLeft - (performance.now() - started))
    })
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
    this.#reject(reason)
  }

  #settle({ answer, error }) {
    if (error !== undefined) return this.#reject(new Error(error))
    this.#waiting?.resolve(answer)
    this.#waiting = null
  }

  #reject(error) {
    this.#waiting?.reject(error)
    this.#waiting = null
  }
}
