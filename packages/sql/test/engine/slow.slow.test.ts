import { createRestHandler, type RestHandler, type SlowRequest } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import { createAgency, expectNoHiddenName, HIDING } from '../../../rest/test/http/hidden-plans.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { layoutOf } from '../../src/schema/layout.ts'
import { sqlModelOf } from '../../src/schema/sql-model.ts'
import { describeDatabases, run } from '../database.ts'
import { openCopy } from './sql-host.ts'
import { createHrStore } from './world.ts'

describeDatabases('slow requests over PostgreSQL', { on: 'one' }, ({ pool, newSchema, open }) => {
  const schema = newSchema()
  const memory = createHrStore(3000)
  /** Replaces the plan that the database returns. */
  let canned: object | null = null
  const planning = (inner: SqlPool): SqlPool => ({
    prepares: inner.prepares,
    query: (statement) => inner.query(statement),
    connect: (body) =>
      inner.connect(({ send }) =>
        body({
          send: async (statements) => {
            const at = statements.findIndex(({ text }) => text.startsWith('EXPLAIN'))
            const results = [...(await send(statements))]
            if (at >= 0 && canned !== null)
              results[at] = { rows: [[JSON.stringify([{ Plan: canned }])]], count: 1 }
            return results
          },
        }),
      ),
    close: () => inner.close(),
  })
  let rest: RestHandler
  const waiting: ((request: SlowRequest) => void)[] = []

  beforeAll(async () => {
    const store = await openCopy(memory, planning(pool), schema)
    await run(pool, `ANALYZE "${schema}"."Employee", "${schema}"."Company"`)
    rest = createRestHandler(store, {
      slow: { milliseconds: 0, report: (request) => waiting.shift()?.(request) },
    })
  })

  const ask = async (url: string) => {
    const { status, body } = await rest.handle({ method: 'GET', url: `/rest/${url}`, headers: {} })
    return { status, body: JSON.parse(String(body)) }
  }
  /**
   * The report of a request, which is repeated until there is one, since reports may be omitted.
   */
  const reportOf = async (url: string): Promise<SlowRequest> => {
    const report = new Promise<SlowRequest>((resolve) => waiting.push(resolve))
    let isReported = false
    void report.then(() => {
      isReported = true
    })
    while (!isReported) {
      expect((await ask(url)).status).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return report
  }

  test('a report has the plan of the database, its round trips and no values', async () => {
    const report = await reportOf('Employee?$filter="lastName=\'Name 3\'"&$top=2')
    expect(report).toMatchObject({
      operation: 'page',
      name: 'Employee',
      filter: 'lastName === ?',
      found: 429,
      shown: 2,
      database: { roundTrips: 1 },
      error: null,
    })
    expect(report.plan!.join('\n')).toMatch(/^limit \(about 2\)\n.*Employee/)
    expect(JSON.stringify(report)).not.toContain('Name 3')
  })

  test('$explain shows how the page is found, without the queries of shown values', async () => {
    const { body } = await ask(
      'Employee?$filter="employer.name=Acme"&$top=2&$expand=employer&$explain=true',
    )
    const nodes = nodesOf(body.__explain.root)
    expect(nodes[0]).toMatchObject({ operator: 'limit', detail: '' })
    const details = new Set(nodes.map(({ detail }) => detail))
    expect(details).toEqual(new Set(['', 'Employee', 'Company']))
    expect(nodes.filter(({ detail }) => detail === 'Company')).toHaveLength(1)
  })

  test('a bitmap scan shows its index, whose table the database does not name', async () => {
    const tables = layoutOf(sqlModelOf(memory.catalog, { schema }))
    const index = tables[1]!.indexes.find(({ of }) => of.attribute.name === 'salary')!.name
    canned = {
      'Node Type': 'Bitmap Heap Scan',
      'Relation Name': 'Employee',
      'Plan Rows': 7,
      Plans: [{ 'Node Type': 'Bitmap Index Scan', 'Index Name': index, 'Plan Rows': 8 }],
    }
    const { body } = await ask('Employee?$filter="salary>1"&$explain=true')
    canned = null
    expect(body.__explain.text).toBe(
      'bitmapHeapScan Employee (about 7)\n  bitmapIndexScan [index Employee.salary] (about 8)',
    )
  })

  test.each(HIDING)(
    'plans have no hidden name: $title',
    async ({ isCaseExposed, hidden, options }) => {
      const agency = await openCopy(createAgency(isCaseExposed), open(), newSchema())
      await expectNoHiddenName(createRestHandler(agency, options), hidden)
      await agency.close()
    },
  )
})

interface Node {
  readonly operator: string
  readonly detail: string
  readonly inputs: readonly Node[]
}
const nodesOf = (node: Node): readonly Node[] => [node, ...node.inputs.flatMap(nodesOf)]
