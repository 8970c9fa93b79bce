import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { afterAll, describe, expect, test } from 'vitest'
import { findFilters } from '../src/check/find-filters.ts'
import { judgeFilter } from '../src/check/judge-filter.ts'
import { SyntaxTrees } from '../src/check/syntax-trees.ts'
import { runEntia } from './run-entia.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
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
  ['check/risky.mjs:64:54', 'sqlPattern'],
  ['check/rules.mjs:4:20', 'assembledFilter'],
  ['check/rules.mjs:7:34', 'assembledFilter'],
]

const PARTS: Readonly<Record<string, readonly string[]>> = {
  'flows.mjs': ['named-filters.mjs', 'default-filter.mjs'],
  'common.cjs': ['common-late.mjs', 'common-part.cjs', 'common-text.cjs', 'common-whole.cjs'],
}

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
    expect([exitCode, stderr]).toEqual([1, '2 files checked: 14 findings.\n'])
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
    for (const program of ['flows.mjs', 'members.mjs', 'common.cjs']) {
      const { stdout } = await runEntia(['check', `check/${program}`, '--json'])
      const findings: { file: string; line: number; kind: string }[] = JSON.parse(stdout)
      const parts = PARTS[program] ?? []
      expect(findings.map(({ file, line, kind }) => `${file}:${line} ${kind}`).sort()).toEqual(
        [program, ...parts].flatMap(riskyLines).sort(),
      )
    }
  })

  test('ends where names, classes and functions lead to themselves', async () => {
    const circles = join(folder, 'circles.mjs')
    writeFileSync(
      circles,
      `export function circles(store, x) {
        const { circle } = round, { round } = circle, { inner: { a } } = { inner: a }
        circle.circle = circle
        class A extends B { f = this.f; g = this.g + x }
        class B extends A { constructor(c = new A(c)) { super(c); this.c = c } }
        const o = { p() { return this.p() }, get q() { return o.q } }
        let t = t, self = () => self()
        t = t + t
        const again = (z) => again.call(again, z), { dc = dc } = dc, notes = [notes][0]
        for (const f of [circle.circle, a.b, new A().f, new B(x).c, o.p(), o.q, t, self(), again(x)])
          store.Employee.query(f)
        circle.query(round).query.call(circle, again)
        dc.query(new A().g)
        notes.query(t)
        self.query(self)
      }\n`,
    )
    expect((await runEntia(['check', 'hr.mjs', circles])).stderr).toMatch(/^\d files checked: /)
  })

  test('knows the dataclass of a filter through variables, parameters and members', async () => {
    const server = join(folder, 'receivers.mjs')
    writeFileSync(
      server,
      `export const a = ({ Employee: x }, v) => x.query('lastName = :1', [v])
export const b = (s, v) => { const { Employee: { all } } = s; return all.call(s.Employee).query('lastName = :1', [v]) }
export const c = (s, v) => { let x; x = s.Employee; return x.query('lastName = :1', [v]) }
const find = (x, v) => x.query('lastName = :1', [v])
export const d = (s, v) => find(s.Employee, v)
class Desk { constructor(s) { this.people = s.Employee } find(v) { return this.people.query('lastName = :1', [v]) } }
export const e = (s) => new Desk(s)\n`,
    )
    const { stdout } = await runEntia(['check', 'hr.mjs', server, '--json'])
    const findings: { file: string; line: number; kind: string }[] = JSON.parse(stdout)
    const inServer = findings.filter(({ file }) => file.endsWith('receivers.mjs'))
    expect(inServer.map(({ line, kind }) => `${line} ${kind}`)).toEqual(
      [1, 2, 3, 4, 6].map((line) => `${line} wildcards`),
    )
  })

  test('refuses wrong use, with the remedy', async () => {
    expect((await runEntia(['check'])).exitCode).toBe(2)
    expect((await runEntia(['check', 'hr.mjs', '--jsom'])).exitCode).toBe(2)
    expect((await runEntia(['check', 'office'])).stderr).toContain('is a folder')
    expect((await runEntia(['check', 'hr.mjs', join(folder, 'none.mjs')])).stderr).toContain(
      'There is no file',
    )
  })

  test('reads TypeScript where Node loads it, and else names the command that makes it readable', async () => {
    const project = join(folder, 'typed')
    mkdirSync(project)
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(project, 'store.ts'),
      `import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { filterOf } from './filters.ts'
const Note = defineDataClass('Note', { ID: attribute.long({ key: true }), code: attribute.string() })
const store = createDataStore({ name: 'typed', dataClasses: [Note] })
export const find = (code: string): number => store.Note.query(filterOf(code)).count
export default store\n`,
    )
    writeFileSync(
      join(project, 'filters.ts'),
      `export const filterOf = (code: string) => \`code === '$\{code}'\` as const\n`,
    )
    const { exitCode, stdout, stderr } = await runEntia(['check', join(project, 'store.ts')])
    expect(exitCode).toBe(1)
    if ('typescript' in process.features) {
      expect(stdout).toMatch(/filters\.ts:1:43: a filter is put together from texts/)
      return
    }
    const [, ...command] = /npx (esbuild) (.*)/.exec(stderr)!
    const [program, parameters] = command as [string, string]
    expect(stderr).toContain('use Node 22.18 or newer')
    execFileSync(join(root, 'node_modules/.bin', program), parameters.split(' '), { cwd: project })
    const checked = await runEntia(['check', join(project, 'checked.mjs')])
    expect(checked.stdout).toMatch(/checked\.mjs:\d+:\d+: a filter is put together from texts/)
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
