import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Processor time of a process with all of its threads, in nanoseconds: 0 if it has ended, and on
 * systems without `/proc`.
 * @param {number} pid
 */
export function processNanoseconds(pid) {
  try {
    let sum = 0
    for (const thread of readdirSync(`/proc/${pid}/task`))
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0])
    return sum
  } catch {
    return 0
  }
}

/**
 * The processor time of the connections of a server with one application name, and what they wait
 * for. The database must be on this machine; time of its other processes is not counted.
 */
export class DatabaseWork {
  #client
  #applicationName
  /** @type {Map<number, number>} */
  #before = new Map()
  #waits = new Map()
  #isOver = false
  #sampling = Promise.resolve()

  /** @param {import('pg').Client} client @param {string} applicationName */
  constructor(client, applicationName) {
    this.#client = client
    this.#applicationName = applicationName
  }

  async start() {
    this.#before = await this.#backends()
    this.#sampling = this.#sampleUntilOver()
  }

  /**
   * @typedef {object} Work
   * @property {number} nanoseconds
   * @property {Record<string, number>} waits   samples by what a connection that was in a
   * transaction or statement waited for; `processor` if for nothing
   * @returns {Promise<Work>}
   */
  async end() {
    this.#isOver = true
    await this.#sampling
    let nanoseconds = 0
    for (const [pid, now] of await this.#backends())
      nanoseconds += now - (this.#before.get(pid) ?? 0)
    return { nanoseconds, waits: Object.fromEntries(this.#waits) }
  }

  async #backends() {
    const { rows } = await this.#client.query(
      'SELECT pid FROM pg_stat_activity WHERE application_name = $1',
      [this.#applicationName],
    )
    return new Map(rows.map(({ pid }) => [pid, processNanoseconds(pid)]))
  }

  async #sampleUntilOver() {
    while (!this.#isOver) {
      await wait(100)
      await this.#sample()
    }
  }

  async #sample() {
    const { rows } = await this.#client.query(
      `SELECT CASE WHEN state <> 'active' THEN 'next statement'
          ELSE coalesce(wait_event_type || ' ' || wait_event, 'processor') END AS wait,
        count(*)::int AS count
      FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle' GROUP BY 1`,
      [this.#applicationName],
    )
    for (const { wait, count } of rows) this.#waits.set(wait, (this.#waits.get(wait) ?? 0) + count)
  }
}
