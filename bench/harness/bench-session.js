import { makeData } from '../data.js'
import { workloads } from '../workloads/index.js'
import { Reference } from '../workloads/reference.js'
import { WriteModel } from '../workloads/write-model.js'
import { findBatchSize, repeatBatches, Stopwatch } from './stopwatch.js'

const spareRecords = 300_000
const warmUpMilliseconds = 200
/**
 * The time limit for checking a subject: a slow one is checked and timed with the arguments it
 * answers in this time.
 */
const checkingMilliseconds = 500
/** The time limit for a batch of writes: a slow subject gets smaller batches. */
const writeBatchMilliseconds = 200

/**
 * One subject and its data in one process: checks and measures workloads one at a time.
 * @typedef {{ kind: 'right' } | { kind: 'absent' } | { kind: 'wrong', reason: string }} Verdict
 */
export class BenchSession {
  #stopwatch = new Stopwatch()
  /**
   * @type {Map<string, { args: readonly unknown[], batch: number, next: number }>} warmed-up reads
   */
  #reads = new Map()
  /** @type {Map<string, number>} batch size of writes */
  #writeBatches = new Map()
  /** @type {string | null} the first wrong answer of a write */
  #wrongAnswer = null

  /**
   * @param {import('../subjects/subject.js').Subject} subject
   * @param {import('../data.js').BenchData} data
   * @param {import('../subjects/subject.js').SubjectStore} store   the data, loaded
   * @param {number} loadNanoseconds                                how long that took
   */
  constructor(subject, data, store, loadNanoseconds) {
    this.subject = subject
    this.data = data
    this.store = store
    this.loadNanoseconds = loadNanoseconds
    this.reference = new Reference(data)
    this.model = new WriteModel(this.reference)
  }

  /** Creates the data and loads it. */
  static async open(subject, employeeCount) {
    const data = makeData(employeeCount)
    const { store, nanoseconds } = await load(subject, data)
    // Collect the garbage of loading now, so that it neither slows the next workload nor occupies
    // memory.
    globalThis.gc()
    return new BenchSession(subject, data, store, nanoseconds)
  }

  /**
   * Compares the answers with the reference, then warms up. `settle` compares the result of writes.
   * @returns {Promise<Verdict>}
   */
  async begin(id) {
    const workload = findWorkload(id)
    if (!this.#competesIn(workload)) return { kind: 'absent' }
    if (workload.kind === 'read') return this.#beginRead(workload)
    if (workload.kind === 'write') await this.#beginWrite(workload)
    return { kind: 'right' }
  }

  #competesIn({ kind, needs, isPrivate }) {
    // A subject without indexes has less work, so the comparison would be unfair.
    if ((kind === 'load' || kind === 'write') && this.subject.isIndexed === false) return false
    if (isPrivate && this.subject.handsOutItsOwn) return false
    return needs.every((name) => this.store[name] !== undefined)
  }

  /** Measures one round in nanoseconds per operation. */
  async measure(id, milliseconds) {
    const workload = findWorkload(id)
    switch (workload.kind) {
      case 'load':
        return this.#measureLoad()
      case 'read':
        globalThis.gc({ type: 'minor' })
        return this.#measureReads(workload, milliseconds)
      case 'write':
        globalThis.gc({ type: 'minor' })
        return this.#measureWrites(workload, milliseconds)
      default:
        throw new Error(`Workload ${id} is not measured in a session.`)
    }
  }

  /** @returns {Promise<Verdict>} whether the writes left the expected data */
  async settle(id) {
    if (findWorkload(id).kind !== 'write') return { kind: 'right' }
    const reason = this.#wrongAnswer ?? (await this.model.findFault(this.store))
    this.#wrongAnswer = null
    return reason === null ? { kind: 'right' } : { kind: 'wrong', reason }
  }

  async #beginRead(workload) {
    const { store, reference } = this
    await workload.prepare?.(store, reference)
    const args = []
    let milliseconds = 0
    for (const argument of workload.argumentsOf(reference)) {
      const started = performance.now()
      const result = await workload.run(store, argument)
      milliseconds += performance.now() - started
      const expected = workload.expected(reference, argument)
      const found = await workload.found(result, argument, reference, store)
      if (found !== expected)
        return { kind: 'wrong', reason: firstDifference(expected, found, argument) }
      args.push(argument)
      if (milliseconds > checkingMilliseconds) break
    }
    const state = { args, batch: 1, next: 0 }
    this.#reads.set(workload.id, state)
    // A subject that took this long to answer is warm.
    if (milliseconds > checkingMilliseconds) return { kind: 'right' }
    state.batch = await findBatchSize((count) => this.#timeReads(workload, count))
    await this.#measureReads(workload, warmUpMilliseconds)
    return { kind: 'right' }
  }

  /** Times one operation to choose the batch size, then warms up. */
  async #beginWrite(workload) {
    const nanoseconds = await this.#timeWrites(workload, 1)
    const most = Math.max(1, Math.floor((writeBatchMilliseconds * 1e6) / nanoseconds))
    this.#writeBatches.set(workload.id, Math.min(workload.batch, most))
    if (nanoseconds < warmUpMilliseconds * 1e6)
      await this.#measureWrites(workload, warmUpMilliseconds)
  }

  #measureReads(workload, milliseconds) {
    const { batch } = this.#reads.get(workload.id)
    return repeatBatches((count) => this.#timeReads(workload, count), batch, milliseconds)
  }

  #timeReads({ id, run, read }, count) {
    const state = this.#reads.get(id)
    const from = state.next
    state.next = (from + count) % state.args.length
    return this.#time({ store: this.store, run, read, args: state.args }, from, count)
  }

  #measureWrites(workload, milliseconds) {
    const batch = this.#writeBatches.get(workload.id)
    // Limit the insertions, so that a small store stays small.
    const most = Math.min(
      workload.mostPerRound,
      Math.max(workload.batch, this.data.employeeCount / 10),
    )
    return repeatBatches((count) => this.#timeWrites(workload, count), batch, milliseconds, most)
  }

  async #timeWrites(workload, count) {
    const args = workload.argumentsFor(this.model, count)
    const plan = { store: this.store, run: workload.run, read: undefined, args }
    if (workload.before !== undefined)
      for (const argument of args) workload.before(this.store, argument)
    const nanoseconds = await this.#time(plan, 0, count)
    const lastResults = this.#stopwatch.kept.slice(0, count)
    if (workload.answer !== undefined && lastResults.some((result) => result !== workload.answer)) {
      this.#wrongAnswer = `an operation returned ${!workload.answer}, expected ${workload.answer}`
    }
    return nanoseconds
  }

  #time(plan, from, count) {
    return this.subject.isAsynchronous
      ? this.#stopwatch.timeAwaited(plan, from, count)
      : this.#stopwatch.time(plan, from, count)
  }

  /** Loads a second store next to the one in use, and drops it. */
  async #measureLoad() {
    globalThis.gc()
    const { store, nanoseconds } = await load(this.subject, this.data)
    await store.close?.()
    return nanoseconds
  }
}

async function load(subject, data) {
  const started = process.hrtime.bigint()
  const store = await subject.open(data, { spareRecords })
  return { store, nanoseconds: Number(process.hrtime.bigint() - started) }
}

function findWorkload(id) {
  return workloads.find((workload) => workload.id === id)
}

/** The first line that differs: answers can be long. */
function firstDifference(expected, found, argument) {
  const expectedLines = expected.split('\n')
  const foundLines = String(found).split('\n')
  const line = expectedLines.findIndex((text, index) => text !== foundLines[index])
  const at = line < 0 ? expectedLines.length : line
  const show = (text) => (text === undefined ? 'nothing' : `"${text.slice(0, 120)}"`)
  return `for ${JSON.stringify(argument)}: ${show(foundLines[at])}, expected ${show(expectedLines[at])} (line ${at + 1})`
}
