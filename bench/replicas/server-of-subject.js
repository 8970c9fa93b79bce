import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { processTree } from './processes.js'

/** The serving process of a subject. */
export class SubjectServer {
  port = 0
  #child
  #databaseProcess = 0
  #waiting = new Map()
  #last = 0

  static async start(options) {
    const server = new SubjectServer()
    server.#child = fork(fileURLToPath(new URL('./server-process.js', import.meta.url)))
    server.#child.on('message', ({ id, result, error }) => {
      const { resolve, reject } = server.#waiting.get(id)
      server.#waiting.delete(id)
      if (error === undefined) resolve(result)
      else reject(new Error(error))
    })
    server.#child.on('exit', () => {
      for (const { reject } of server.#waiting.values())
        reject(new Error('The serving process has ended.'))
    })
    const { port, databaseProcess } = await server.ask('start', options)
    server.port = port
    server.#databaseProcess = databaseProcess
    return server
  }

  /** Runs a method of the server. */
  ask(command, argument) {
    const id = this.#last++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#child.send({ id, command, argument })
    })
  }

  /** Processor time and memory, with those of its database. */
  usage() {
    return processTree([this.#child.pid, this.#databaseProcess].filter((pid) => pid > 0))
  }

  async close() {
    await this.ask('close')
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.disconnect()
    await ended
  }
}
