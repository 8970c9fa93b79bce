import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { randomOf } from '../../../../scripts/long/random.mjs'
import type { Asked, Bank, Reply } from '../races/bank.ts'
import { type HistoryDone, transaction } from '../races/history-player.ts'

/** The work of one process until it gets the order to stop. */
export interface LoadPlan {
  readonly seed: number
  /** Names this process in ids of transactions. */
  readonly process: number
  /** The accounts of each history. */
  readonly histories: readonly (readonly number[])[]
  /** An account that this process locks and writes. */
  readonly locked: number
  /** The beginning of the unique values that all processes insert. */
  readonly values: string
  /** The global stamp after which commits are followed. */
  readonly since: number
}

/** An insertion of a unique value: `key` if it was acknowledged. */
export interface Insertion {
  readonly email: string
  readonly status: number
  readonly key: number | null
}

/** A commit as a reader of changes got it. */
export interface FollowedCommit {
  readonly globalStamp: number
  readonly digest: string
}

export interface LoadDone {
  readonly history: readonly HistoryDone[]
  readonly insertions: readonly Insertion[]
  /** The global stamps of acknowledged commits. */
  readonly stamps: readonly number[]
  /** The cookie of the session that holds the lock. */
  readonly cookie: string
  readonly problems: readonly string[]
  readonly counts: { readonly [what: string]: number }
}

/** Requests at one process, one after the other in each of several clients. */
export class Load {
  readonly #bank: Bank
  readonly #plan: LoadPlan
  readonly #history: HistoryDone[] = []
  readonly #insertions: Insertion[] = []
  readonly #stamps: number[] = []
  readonly #followed: FollowedCommit[] = []
  readonly #problems: string[] = []
  readonly #counts: { [what: string]: number } = {}
  readonly #replicaReads: number
  #cookie: string | null = null
  #isStopped = false
  readonly #ended = new AbortController()
  #running: Promise<unknown> = Promise.resolve()

  constructor(bank: Bank, plan: LoadPlan) {
    this.#bank = bank
    this.#replicaReads = bank.replicaReads
    this.#plan = plan
    this.#running = Promise.all([
      this.#histories(0),
      this.#histories(1),
      this.#uniqueValues(),
      this.#lockedWrites(),
      this.#entitySets(),
    ])
    void this.#follow()
  }

  /** Acknowledged changes so far. */
  get commits(): number {
    return this.#counts.committed ?? 0
  }
  /** The commits that the reader of changes has received. */
  get followed(): readonly FollowedCommit[] {
    return this.#followed
  }

  async stop(): Promise<LoadDone> {
    this.#isStopped = true
    await this.#running
    this.#counts['reads of the standby'] = this.#bank.replicaReads - this.#replicaReads
    return {
      history: this.#history,
      insertions: this.#insertions,
      stamps: this.#stamps,
      cookie: this.#cookie ?? '',
      problems: this.#problems,
      counts: this.#counts,
    }
  }

  /** Ends the reader of changes, too. */
  end(): void {
    this.#ended.abort()
  }

  async #histories(client: number): Promise<void> {
    const { seed, process, histories } = this.#plan
    const random = randomOf(seed * 100 + process * 10 + client)
    for (let step = 0; !this.#isStopped; step++) {
      const history = Math.floor(random() * histories.length)
      const id = `${process}.${client}.${step}`
      const began = now()
      const outcome = await transaction(this.#bank, random, id, histories[history]!)
      this.#history.push({ history, id, began, ended: now(), ...outcome })
      this.#count(outcome.outcome)
      await wait(2)
    }
  }

  async #uniqueValues(): Promise<void> {
    for (let at = 0; !this.#isStopped; at++) {
      const email = `${this.#plan.values}${at}`
      const asked = { method: 'POST', path: BATCH, body: [{ email }] }
      const reply = await this.#ask(asked, [200, 409])
      const isStored = reply.status === 200
      const key = isStored ? Number(reply.body.__ENTITIES[0].ID) : null
      if (isStored) this.#stamps.push(stampOf(reply))
      this.#insertions.push({ email, status: reply.status, key })
      await wait(3)
    }
  }

  /** Holds one lock permanently, and writes with the last stamp that it received. */
  async #lockedWrites(): Promise<void> {
    const path = `Account(${this.#plan.locked})`
    const locked = await this.#ask({ path: `${path}?$lock=true` }, [200])
    const cookie = locked.cookie
    this.#cookie = cookie
    if (locked.body.result !== true) this.#problems.push(`no lock: ${JSON.stringify(locked.body)}`)
    /**
     * The stamps that the account may have: the acknowledged one, and one for each unknown write.
     */
    let [lowest, highest] = [0, Number.MAX_SAFE_INTEGER]
    for (let stamp: number | null = null; !this.#isStopped; ) {
      if (stamp === null) {
        const read = await this.#ask({ path, cookie }, [200])
        if (read.status !== 200) continue
        stamp = Number(read.body.__STAMP)
        if (stamp < lowest || stamp > highest)
          this.#problems.push(`the locked account has stamp ${stamp}, not ${lowest} to ${highest}`)
      }
      const body = [{ __KEY: `${this.#plan.locked}`, __STAMP: stamp, balance: stamp }]
      const reply = await this.#ask({ method: 'POST', path: BATCH, body, cookie }, [200])
      if (reply.status === 200) {
        ;[lowest, highest] = [stamp + 1, stamp + 1]
        this.#stamps.push(stampOf(reply))
        stamp = Number(reply.body.__ENTITIES[0].__STAMP)
      } else {
        ;[lowest, highest] = [stamp, stamp + 1]
        stamp = null
      }
      await wait(5)
    }
  }

  /** A lost set is error 1802, after which the client creates another one. */
  async #entitySets(): Promise<void> {
    const create = { path: 'Account?$filter="ID>0"&$method=entityset&$top=1' }
    for (let id: string | null = null; !this.#isStopped; await wait(20)) {
      if (id === null) {
        const made = await this.#ask(create, [200])
        if (made.status === 200) id = String(made.body.__ENTITYSET).split('/').at(-1)!
        continue
      }
      const read = await this.#ask({ path: `Account/$entityset/${id}?$top=1` }, [200, 404])
      if (read.status !== 404) continue
      const code: unknown = read.body.__ERROR[0].errCode
      if (code !== 1802) this.#problems.push(`a lost set: ${JSON.stringify(read.body)}`)
      this.#count('lost sets')
      id = null
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended
    for (let last = this.#plan.since; ; await wait(50))
      try {
        for await (const { globalStamp, changes } of this.#bank.changes({ since: last, signal })) {
          if (globalStamp <= last) this.#problems.push(`stamp ${globalStamp} after ${last}`)
          last = globalStamp
          const parts = changes.map(({ dataClass, key, kind }) => `${dataClass} ${key} ${kind}`)
          this.#followed.push({ globalStamp, digest: digestOf(parts) })
        }
        return
      } catch (error) {
        if (signal.aborted) return
        const code: unknown = (error as { code?: unknown }).code
        if (code !== 'engineUnavailable') {
          this.#problems.push(`changes: ${error}`)
          return
        }
      }
  }

  /** Any answer but the expected ones and 503 is a problem. */
  async #ask(asked: Asked, expected: readonly number[]): Promise<Reply> {
    const reply = await this.#bank.ask(asked)
    const { status, body } = reply
    if (status !== 503 && !expected.includes(status))
      this.#problems.push(
        `${asked.method ?? 'GET'} ${asked.path}: ${status} ${JSON.stringify(body)}`,
      )
    if (asked.method === 'POST') this.#count(status === 200 ? 'committed' : `${status}`)
    return reply
  }

  #count(what: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1
  }
}

/** The answer shows the global stamp of the commit with the relation. */
const BATCH = 'Account?$atomic=true&$expand=lines'
const stampOf = ({ body }: Reply): number => Number(body.__ENTITIES[0].lines.__GlobalStamp)

/** Nanoseconds of the machine's monotonic clock, the same for all processes. */
const now = (): number => Number(process.hrtime.bigint())

/** Of `dataclass key kind` of each change, in any order. */
export const digestOf = (changes: readonly string[]): string =>
  createHash('sha256')
    .update([...changes].sort().join('\n'))
    .digest('base64url')
