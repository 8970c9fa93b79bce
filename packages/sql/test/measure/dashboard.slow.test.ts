import { readFileSync } from 'node:fs'
import { createRestHandler } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'
import { createHrStore } from '../engine/world.ts'

const textOf = (path: string): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const production = 'examples/flights-postgres/production'

/** Names of families: of a histogram, without what Prometheus appends. */
const familiesIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/\bentia_[a-z_]+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  )

interface Panel {
  readonly type: string
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

/** The expressions below each heading. */
function sectionsOf(panels: readonly Panel[]): ReadonlyMap<string, string> {
  const sections = new Map<string, string>()
  let heading = ''
  for (const { type, title, targets = [] } of panels)
    if (type === 'row') heading = title
    else
      sections.set(
        heading,
        `${sections.get(heading) ?? ''} ${targets.map(({ expr }) => expr).join(' ')}`,
      )
  return sections
}

describeDatabases('the dashboard and the alerts', { on: 'one' }, ({ pool, newSchema }) => {
  let inMemory: ReadonlySet<string>
  let inDatabase: ReadonlySet<string>

  beforeAll(async () => {
    const memory = createHrStore(3)
    const scrapes = [memory, await openCopy(memory, pool, newSchema())].map(async (store) => {
      const text = await createRestHandler(store, { metrics: true }).metrics()
      return new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!))
    })
    ;[inMemory, inDatabase] = (await Promise.all(scrapes)) as [Set<string>, Set<string>]
  })

  test('use existing metrics, and the general sections use those of both engines', () => {
    const { panels } = JSON.parse(textOf(`${production}/grafana/entia.json`)) as {
      readonly panels: readonly Panel[]
    }
    for (const [heading, text] of sectionsOf(panels))
      for (const name of familiesIn(text)) {
        expect([heading, name, inDatabase.has(name)]).toEqual([heading, name, true])
        if (!heading.startsWith('Database'))
          expect([heading, name, inMemory.has(name)]).toEqual([heading, name, true])
      }
    for (const name of familiesIn(textOf(`${production}/alerts.yml`)))
      expect([name, inDatabase.has(name)]).toEqual([name, true])
  })

  test('the dashboard shows every metric of the SQL engine', () => {
    const shown = familiesIn(textOf(`${production}/grafana/entia.json`))
    expect([...inDatabase].filter((name) => !shown.has(name))).toEqual([])
  })

  test('the page about observability lists every metric', () => {
    const listed = familiesIn(textOf('docs/how-to/observability.md'))
    const all = new Set([...inMemory, ...inDatabase])
    expect([...all].filter((name) => !listed.has(name))).toEqual([])
  })

  test('each alert has a section in the runbook', () => {
    const runbook = textOf('docs/how-to/runbook.md')
    const alerts = [...textOf(`${production}/alerts.yml`).matchAll(/alert: (\w+)/g)]
    expect(alerts.map(([, name]) => name!).filter((name) => !runbook.includes(name))).toEqual([])
  })
})
