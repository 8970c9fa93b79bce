import { isDeepStrictEqual } from 'node:util'
import type { SqlPool } from '../../src/connect/port.ts'
import { run } from '../database.ts'
import type { Told, World } from './world.ts'

/** What a load has seen. */
export interface LoadReport {
  readonly counts: ReadonlyMap<string, number>
  readonly slowest: number
  readonly violations: readonly string[]
}

type Ask = World['ask']

/**
 * Reads and writes in several lanes until `stop`. Then every answer is compared with what is stored:
 * success means stored, failure means not stored, and a batch is stored whole or not at all.
 */
export function startLoad(ask: Ask, prefix: string, maxMilliseconds: number, lanes = 4) {
  const batches: { readonly mark: string; readonly told: Told | null }[] = []
  const counts = new Map<string, number>()
  const violations: string[] = []
  let slowest = 0
  let isOver = false
  const note = (name: string, told: Told): void => {
    const answer = `${name} ${told.status}${codeOf(told) === UNKNOWN ? ' (not known)' : ''}`
    counts.set(answer, (counts.get(answer) ?? 0) + 1)
    slowest = Math.max(slowest, told.milliseconds)
    if (told.milliseconds > maxMilliseconds)
      violations.push(`${name} was answered in ${Math.round(told.milliseconds)} ms`)
    if (told.status !== 200 && told.status !== 503)
      violations.push(`${name}: ${told.status} ${JSON.stringify(told.body)}`)
    if (told.status === 503 && told.retryAfter === null)
      violations.push(`${name}: 503 without Retry-After`)
  }
  const lane = async (which: number): Promise<void> => {
    for (let at = 0; !isOver; at++) {
      const mark = `${prefix}.${which}.${at}.`
      const body = [{ mark: `${mark}a` }, { mark: `${mark}b` }]
      const path = 'Item?$method=update&$atomic=true'
      const told = await ask({ method: 'POST', path, body }).catch(() => null)
      batches.push({ mark, told })
      if (told !== null) note('batch', told)
      const read = await ask({ path: `Item?$filter="mark=${mark}@"&$orderby=mark` }).catch(
        () => null,
      )
      if (read !== null) note('page', read)
      // What is acknowledged is read by everybody from then on.
      if (told?.status === 200 && read?.status === 200 && read.body.__COUNT !== 2)
        violations.push(`the batch ${mark} was stored, but a read finds ${read.body.__COUNT}`)
      if (read === null || told === null || told.status === 503)
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
      for (const { mark, told } of batches) {
        const found = ['a', 'b'].filter((end) => stored.has(`${mark}${end}`))
        const isUnknown = told === null || codeOf(told) === UNKNOWN
        const expected = told?.status === 200 ? ['a', 'b'] : []
        if (found.length === 1) violations.push(`the batch ${mark} is half there`)
        else if (!isUnknown && !isDeepStrictEqual(found, expected))
          violations.push(`the batch ${mark} was answered ${told?.status}; stored: ${found.length}`)
      }
      return { counts, slowest, violations }
    },
  }
}

/** `commitOutcomeUnknown`. */
const UNKNOWN = 9128
const codeOf = ({ body }: Told): unknown => body?.__ERROR?.at(-1)?.errCode

/** The report as one line. */
export const described = ({ counts, slowest, violations }: LoadReport): string =>
  `${[...counts].map(([name, count]) => `${count} × ${name}`).join(', ')}; slowest ${Math.round(slowest)} ms, ${violations.length} violations`
