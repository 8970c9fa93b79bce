import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { afterAll, describe, expect, test } from 'vitest'
import { findFilters } from '../src/check/find-filters.ts'
import { judgeFilter } from '../src/check/judge-filter.ts'
import { SyntaxTrees } from '../src/check/syntax-trees.ts'
import { runEntia } from './run-entia.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-check-'))
afterAll(() => rmSync(folder, { recursive: true }))

const FINDINGS = [
  ['check/risky.mjs:17:55', 'assembledFilter'],
  ['check/risky.mjs:23:37', 'assembledFilter'],
  ['check/risky.mjs:24:34', 'wildcards'],
  ['check/risky.mjs:31:28', 'wildcards'],
  ['check/risky.mjs:32:28', 'wildcards'],
  ['check/risky.mjs:33:48', 'missingIndex'],
  ['check/risky.mjs:51:23', 'missingIndex'],
  ['check/risky.mjs:54:16', 'assembledFilter'],
  ['check/risky.mjs:56:22', 'ruleWildcards'],
  ['check/risky.mjs:60:62', 'wildcards'],
  ['check/risky.mjs:61:63', 'ruleWildcards'],
  ['check/rules.mjs:4:20', 'assembledFilter'],
  ['check/rules.mjs:7:34', 'assembledFilter'],
]

const FLOW_PARTS = ['named-filters.mjs', 'default-filter.mjs']

/** What must be found in a fixture: the lines that end in "// risky". */
function riskyLines(file: string): readonly string[] {
  const text = readFileSync(new URL(`fixtures/check/${file}`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .flatMap((line, at) =>
      line.endsWith('// risky') ? [`check/${file}:${at + 1} assembledFilter`] : [],
    )
}

describe('entia check', () => {
  test('names each kind of finding with its place and remedy', async () => {
    const { exitCode, stdout, stderr } = await runEntia(['check', 'check/risky.mjs'])
    expect([exitCode, stderr]).toEqual([1, '2 files checked: 13 findings.\n'])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.split(': ', 1)[0])).toEqual(FINDINGS.map(([place]) => place))
    expect(lines[2]).toBe(
      'check/risky.mjs:24:34: Document.title is compared with a value by an operator that reads @ and * as wildcards. Write === if equality is meant, or like for a pattern.',
    )
    expect(lines[5]).toContain('Person.city has no index')
    expect(lines[6]).toContain('Document.title has no index')
  })

  test('--json prints the same as data', async () => {
    const { exitCode, stdout } = await runEntia(['check', 'check/risky.mjs', '--json'])
    const findings: { file: string; line: number; column: number; kind: string }[] =
      JSON.parse(stdout)
    expect(exitCode).toBe(1)
    expect(
      findings.map(({ file, line, column, kind }) => [`${file}:${line}:${column}`, kind]),
    ).toEqual(FINDINGS)
    expect(Object.keys(findings[0]!)).toEqual(
      expect.arrayContaining(['file', 'line', 'column', 'kind', 'problem', 'remedy']),
    )
  })

  test('finds nothing in exact, typed, constant and pattern filters, or in other texts', async () => {
    expect(await runEntia(['check', 'check/clean.mjs'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '1 file checked: 0 findings.\n',
    })
    expect((await runEntia(['check', 'check/clean.mjs', '--json'])).stdout).toBe('[]\n')
  })

  test('reads further files with the model of the first, without running them', async () => {
    const server = join(folder, 'server.mjs')
    writeFileSync(
      server,
      "throw new Error()\nexport const authorize = ({ user }) => ({ filter: 'lastName === ' + user.ID })\n",
    )
    const { exitCode, stdout } = await runEntia(['check', 'hr.mjs', server])
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/server\.mjs:2:51: a filter is /)])
  })

  test('follows a filter through names, members, methods, calls and imports', async () => {
    for (const program of ['flows.mjs', 'common.cjs']) {
      const { stdout } = await runEntia(['check', `check/${program}`, '--json'])
      const findings: { file: string; line: number; kind: string }[] = JSON.parse(stdout)
      const parts = program === 'common.cjs' ? ['common-part.cjs'] : FLOW_PARTS
      expect(findings.map(({ file, line, kind }) => `${file}:${line} ${kind}`).sort()).toEqual(
        [program, ...parts].flatMap(riskyLines).sort(),
      )
    }
  })

  test('refuses wrong use and TypeScript, with the remedy', async () => {
    expect((await runEntia(['check'])).exitCode).toBe(2)
    expect((await runEntia(['check', 'hr.mjs', '--jsom'])).exitCode).toBe(2)
    const typed = join(folder, 'store.ts')
    writeFileSync(typed, 'export const a: number = 1\n')
    expect(await runEntia(['check', typed])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Compile it'),
    })
    expect((await runEntia(['check', 'office'])).stderr).toContain('is a folder')
    expect((await runEntia(['check', 'hr.mjs', join(folder, 'none.mjs')])).stderr).toContain(
      'There is no file',
    )
  })

  test('finds nothing in the examples', async () => {
    const examples = fileURLToPath(new URL('../../../examples/', import.meta.url))
    const files = readdirSync(examples, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.m?js$/.test(file) && !/node_modules|dist/.test(file))
      .map((file) => join(examples, file))
    expect(files.length).toBeGreaterThan(40)
    const flights = join(examples, 'flights', 'flights.mjs')
    expect(await runEntia(['check', flights, ...files])).toMatchObject({ exitCode: 0, stdout: '' })
  })
})

describe('a comparison of texts is named', () => {
  const Owner = defineDataClass('Owner', {
    mail: attribute.string({ key: true }),
    files: attribute.relatedEntities('File', 'owner'),
  })
  const File = defineDataClass('File', {
    ID: attribute.long({ key: true }),
    folded: attribute.string({ indexed: true }),
    exact: attribute.string({ indexed: true, collation: 'exact' }),
    notes: attribute.object(),
    owner: attribute.relatedEntity('Owner'),
    alias: attribute.alias('owner.mail'),
    computed: attribute.computed('string', { get: ({ folded }) => folded }),
  })
  const store = createDataStore({ name: 'files', dataClasses: [Owner, File] })
  const values = ['a@b', 'axb', 'b']
  store.Owner.load(values.map((mail) => ({ mail })))
  store.File.load(
    values.map((value, ID) => ({
      ID,
      folded: value,
      exact: value,
      notes: { text: value },
      owner: value,
    })),
  )
  const paths = ['folded', 'exact', 'notes.text', 'owner', 'owner.mail', 'alias', 'computed']
  const operators = ['=', '==', 'eq', '===', 'is', 'eqeq', '#', '!=', '= not', '!==', 'isnot']
  const positive = new Set(['=', '==', 'eq', '===', 'is', 'eqeq', 'in', 'isin'])
  const cases = [...operators, 'in', 'isin'].flatMap((operator) =>
    paths.flatMap((path) => [
      { operator, filter: `${path} ${operator} :1`, query: 'a@b' },
      { operator, filter: `not (${path} ${operator} :1 and ID >= 0)`, query: 'a@b' },
    ]),
  )

  test.each(['query', 'rule'])('exactly where a wildcard changes what a %s selects', (use) => {
    for (const { operator, filter, query } of cases) {
      const parameters = [operator.endsWith('in') ? [query] : query]
      const selected =
        use === 'query'
          ? store.File.query(filter, parameters)
          : store
              .view({ rows: { File: { filter, parameters } } })
              .dataClass('File')
              .all()
      const isNegated = filter.startsWith('not (')
      const isEqual = positive.has(operator) !== isNegated
      const expected = isEqual ? [0] : [1, 2]
      const isPattern = selected.distinct('ID').join() !== expected.join()
      expect([use, filter, kindsOf(use, filter)]).toEqual([
        use,
        filter,
        isPattern ? ['wildcards'] : [],
      ])
    }
  })

  let programs = 0
  function kindsOf(use: string, filter: string): readonly string[] {
    const file = join(folder, `program-${programs++}.mjs`)
    writeFileSync(
      file,
      use === 'query'
        ? `export default (store, x) => store.File.query(${JSON.stringify(filter)}, [x])`
        : `export const authorize = ({ user: x }) => ({ filter: ${JSON.stringify(filter)}, parameters: [x] })`,
    )
    const trees = new SyntaxTrees()
    trees.add(file)
    return [...findFilters(trees, store.catalog)]
      .flatMap((found) => judgeFilter(store.catalog, found))
      .flatMap(({ kind }) => (kind === 'missingIndex' ? [] : [kind]))
  }
})
