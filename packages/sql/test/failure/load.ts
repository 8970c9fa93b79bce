import { isDeepStrictEqual } from 'node:util'
import type { SqlPool } from '../../src/connect/port.ts'
import { run } from '../database.ts'
import type { Reply, World } from './world.ts'

/** The observations of a load. */
export interface LoadReport {
  readonly counts: ReadonlyMap<string, number>
  readonly slowest: number
  readonly violations: readonly string[]
}

type Ask = World['ask']

/**
 * Reads and writes in several lanes until `stop`. Then every answer is compared with what is
 * stored: success means stored, failure means not stored, and a batch is stored whole or not at
 * all.
 */
export function startLoad(ask: Ask, prefix: string, maxMilliseconds: number, lanes = 4) {
  const batches: { readonly mark: string; readonly reply: Reply | null }[] = []
  const counts = new Map<string, number>()
  const violations: string[] = []
  let slowest = 0
  let isOver = false
  const note = (name: string, reply: Reply): void => {
    const answer = `${name} ${reply.status}${codeOf(reply) === UNKNOWN ? ' (not known)' : ''}`
    counts.set(answer, (counts.get(answer) ?? 0) + 1)
    slowest = Math.max(slowest, reply.milliseconds)
    if (reply.milliseconds > maxMilliseconds)
      violations.push(`${name} was answered in ${Math.round(reply.milliseconds)} ms`)
    if (reply.status !== 200 && reply.status !== 503)
      violations.push(`${name}: ${reply.status} ${JSON.stringify(reply.body)}`)
    if (reply.status === 503 && reply.retryAfter === null)
      violations.push(`${name}: 503 without Retry-After`)
  }
  const lane = async (which: number): Promise<void> => {
    for (let at = 0; !isOver; at++) {
      const mark = `${prefix}.${which}.${at}.`
      const body = [{ mark: `${mark}a` }, { mark: `${mark}b` }]
      const path = 'Item?$method=update&$atomic=true'
      const reply = await ask({ method: 'POST', path, body }).catch(() => null)
      batches.push({ mark, reply })
      if (reply !== null) note('batch', reply)
      const read = await ask({ path: `Item?$filter="mark=${mark}@"&$orderby=mark` }).catch(
        () => null,
      )
      if (read !== null) note('page', read)
      // All later reads see an acknowledged write.
      if (reply?.status === 200 && read?.status === 200 && read.body.__COUNT !== 2)
        violations.push(`the batch ${mark} was stored, but a read finds ${read.body.__COUNT}`)
      if (read === null || reply === null || reply.status === 503)
        await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const running = Promise.all(Array.from({ length: lanes }, (_, which) => lane(which)))
  return {
    /** Answers so far. */
    get answered(): number {
      return [...counts.values()].reduce((sum, each) => sum + each, 0)
    },
    /** Waits for the running requests, and compares. */
    async stop(pool: SqlPool, schema: string): Promise<LoadReport> {
      isOver = true
      await running
      await run(pool, `SELECT 1 FROM "${schema}".entia_store FOR UPDATE`)
      const { rows } = await run(
        pool,
        `SELECT "mark" FROM "${schema}"."Item" WHERE "mark" LIKE $1 ORDER BY 1`,
        `${prefix}.%`,
      )
      const stored = new Set(rows.map(([mark]) => mark as string))
      for (const { mark, reply } of batches) {
        const found = ['a', 'b'].filter((end) => stored.has(`${mark}${end}`))
        const isUnknown = reply === null || codeOf(reply) === UNKNOWN
        const expected = reply?.status === 200 ? ['a', 'b'] : []
        if (found.length === 1) violations.push(`the batch ${mark} is half there`)
        else if (!isUnknown && !isDeepStrictEqual(found, expected))
          violations.push(
            `the batch ${mark} was answered ${reply?.status}; stored: ${found.length}`,
          )
      }
      return { counts, slowest, violations }
    },
  }
}

/** `commitOutcomeUnknown`. */
const UNKNOWN = 9128
const codeOf = ({ body }: Reply): unknown => body?.__ERROR?.at(-1)?.errCode

/** The report as one line. */
export const described = ({ counts, slowest, violations }: LoadReport): string =>
  `${[...counts].map(([name, count]) => `${count} × ${name}`).join(', ')}; slowest ${Math.round(slowest)} ms, ${violations.length} violations`
