import { expect, test } from 'vitest'
import { Chance } from '../../../rest/test/fuzz/chance.ts'
import { anyRequest, type FuzzRequest } from '../../../rest/test/fuzz/requests.ts'
import { describeDatabases } from '../database.ts'
import { FuzzedEngines } from './fuzzed-engines.ts'

/** `ENTIA_REQUESTS=100000 ENTIA_SEED=7` sends more, from another seed. */
const count = Number(process.env.ENTIA_REQUESTS ?? 300)
const seed = Number(process.env.ENTIA_SEED ?? 20_260)

/** Requests to one store. */
const LIST_LENGTH = 150
/** Findings after which the run ends: further ones mostly repeat them. */
const MAX_FINDINGS = 3

describeDatabases('generated hostile requests', { on: 'one' }, (database) => {
  test('are answered alike by a store in memory and its copy in a database', {
    timeout: 24 * 3_600_000,
  }, async () => {
    const chance = new Chance(seed)
    const statuses = new Map<number, number>()
    const findings: string[] = []
    let [sent, ended] = [0, 0]
    while (sent < count && findings.length < MAX_FINDINGS) {
      const engines = await FuzzedEngines.open(database)
      const list: FuzzRequest[] = []
      try {
        while (list.length < LIST_LENGTH && sent < count) {
          const request = anyRequest(chance, engines.sets, engines.sessions)
          list.push(request)
          sent++
          const status = await engines.ask(request)
          if (status === null) ended++
          if (status === null) break
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      } catch (error) {
        findings.push(
          `${error instanceof Error ? error.message : error}\n${JSON.stringify(list.at(-1))}`,
        )
      }
    }
    if (process.env.ENTIA_REQUESTS !== undefined)
      console.log(
        `seed ${seed}, ${sent} requests, ${ended} lists ended by what only a database refuses: ${JSON.stringify(Object.fromEntries(statuses))}`,
      )
    expect(findings.join('\n\n')).toBe('')
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404, 405]))
  })
})
