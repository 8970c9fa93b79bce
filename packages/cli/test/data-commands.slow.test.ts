import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { runEntia, serveEntia } from './run-entia.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-data-'))
// Modules written to this folder resolve the packages as in a project.
symlinkSync(
  fileURLToPath(new URL('../../../node_modules', import.meta.url)),
  join(folder, 'node_modules'),
)
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
const linesOf = (text: string): string[] => text.split('\n').slice(0, -1)

describe('entia query', () => {
  const ask = (...parameters: string[]) => runEntia(['query', 'office', 'Employee', ...parameters])

  test('prints stored values as NDJSON if stdout is not a terminal', async () => {
    const { stdout, exitCode } = await ask('--top', '1')
    expect(JSON.parse(stdout)).toEqual({
      id: 1,
      lastName: 'Byron',
      salary: 61000,
      company_id: 1,
      managerId: null,
      active: true,
      tags: ['a'],
      hired: null,
    })
    expect(exitCode).toBe(0)
  })

  test('supports parameters, order, attributes and pages', async () => {
    const { stdout } = await ask(
      '-f',
      'company.name = :1',
      '--params',
      '["analytical@"]',
      '-o',
      'salary',
      '-a',
      'lastName',
    )
    expect(linesOf(stdout).map((line) => JSON.parse(line).lastName)).toEqual(["O'Neil", 'Byron'])
    expect(
      linesOf((await ask('-o', 'id desc', '--skip', '1', '-n', '1', '-a', 'id')).stdout),
    ).toEqual(['{"id":2}'])
    expect((await ask('--count', '-f', 'salary > 50000')).stdout).toBe('1\n')
  })

  test('prints tables, CSV and JSON', async () => {
    const of = async (format: string) =>
      (await ask('-a', 'id, lastName, salary', '--format', format)).stdout
    expect(linesOf(await of('table'))).toEqual([
      'id  lastName   salary',
      '--  --------  -------',
      ' 1  Byron       61000',
      " 2  O'Neil    48000.5",
      ' 3  Éa',
    ])
    expect(linesOf(await of('csv'))).toEqual([
      'id,lastName,salary',
      '1,Byron,61000',
      "2,O'Neil,48000.5",
      '3,Éa,',
    ])
    expect(JSON.parse(await of('json'))).toHaveLength(3)
  })

  test('prints the plan on stderr, and marks the error in a filter', async () => {
    expect((await ask('-f', 'salary > 50000', '--plan')).stderr).toContain(
      '[index employees.salary]',
    )
    const { exitCode, stderr } = await ask('-f', 'salary > 1 and nme = 3')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('character 16')
    expect(stderr).not.toContain('    at ')
  })
})

test('entia explain prints the plan, or all of them, without running it', async () => {
  const { stdout } = await runEntia(['explain', 'office', 'employee', '-f', 'salary > 50000'])
  expect(stdout).toContain('indexRange')
  const all = await runEntia(['explain', 'office', 'Employee', '-f', 'salary > 50000', '--all'])
  expect(all.stdout).toMatch(/^1\.\n[\s\S]*\n2\.\n[\s\S]*scan/)
})

test('entia infer writes a module that serves the same data', async () => {
  const module = at('office.mjs')
  expect(await runEntia(['infer', 'office', '--out', module])).toMatchObject({ exitCode: 0 })
  const fromModule = await runEntia([
    'query',
    module,
    'Employee',
    '-a',
    'lastName, company.name, manager.lastName',
  ])
  const fromData = await runEntia([
    'query',
    'office',
    'Employee',
    '-a',
    'lastName, company.name, manager.lastName',
  ])
  expect(fromModule.stderr).toBe('')
  expect(fromModule.stdout).toBe(fromData.stdout)
  expect((await runEntia(['infer', 'office', '--out', module])).stderr).toContain('already exists')
  expect((await runEntia(['infer', 'office', '--out', at('no/such.mjs')])).stderr).toContain(
    'cannot be written',
  )
})

test('entia serve serves a folder of files, and prints the model', async () => {
  const serving = await serveEntia('office')
  expect(serving.printed).toContain('company -> companies by company_id')
  const reply = await fetch(
    `${serving.origin}/rest/companies(1)/employees?$orderby=lastName&$attributes=lastName`,
  )
  expect(
    ((await reply.json()) as { __ENTITIES: { lastName: string }[] }).__ENTITIES.map(
      (each) => each.lastName,
    ),
  ).toEqual(['Byron', "O'Neil"])
  expect((await serving.stop('SIGTERM')).exitCode).toBe(0)
})

const rows = [
  {
    ID: 1,
    text: '',
    note: null,
    big: 2 ** 52,
    share: 0.1,
    on: true,
    day: '2024-02-29',
    at: '2024-02-29T10:00:00.000Z',
    more: { a: [1, null] },
  },
  {
    ID: 2,
    text: 'a "quoted", one\nwith lines',
    note: 'ä',
    big: null,
    share: -0.5,
    on: false,
    day: null,
    at: null,
    more: null,
  },
  {
    ID: 3,
    text: '007',
    note: 'true',
    big: -1,
    share: null,
    on: null,
    day: '0001-01-01',
    at: '1969-12-31T23:59:59.999Z',
    more: [],
  },
]
const model = `import { attribute, createDataStore, defineDataClass } from '@entia/core'
const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(), note: attribute.string(), big: attribute.long64(), share: attribute.number(), on: attribute.bool(),
  day: attribute.date({ dateOnly: true }), at: attribute.date(), more: attribute.object(), pixel: attribute.blob(),
  part: attribute.relatedEntity('Thing'),
})
export default () => createDataStore({ name: 'things', dataClasses: [Thing] })
`

describe('exported files can be imported', () => {
  writeFileSync(at('things.mjs'), model)
  const pixel = `data:image/png;base64,${Buffer.from([1, 2, 255]).toString('base64')}`
  writeFileSync(
    at('Thing.ndjson'),
    rows
      .map((row) => `${JSON.stringify({ ...row, pixel, part: row.ID === 3 ? 1 : null })}\n`)
      .join(''),
  )

  test.each(['ndjson', 'json', 'csv'])('as %s', async (format) => {
    const first = await runEntia([
      'import',
      at('things.mjs'),
      at('Thing.ndjson'),
      '--journal',
      at(`first-${format}`),
    ])
    expect(first).toMatchObject({ exitCode: 0 })
    // The store of this module is the content of the journal.
    writeFileSync(
      at(`kept-${format}.mjs`),
      `import open from './things.mjs'
import { openJournal } from '@entia/core/node'
const store = open()
await (await openJournal(store, new URL('./first-${format}', import.meta.url).pathname)).close()
export default store
`,
    )
    const exported = await runEntia([
      'export',
      at(`kept-${format}.mjs`),
      '--out',
      at(`out-${format}`),
      '--format',
      format,
    ])
    expect(exported.stderr).toContain('3 rows')
    const again = await runEntia([
      'import',
      at('things.mjs'),
      at(`out-${format}`),
      '--dump',
      at(`${format}.entia`),
    ])
    expect(again).toMatchObject({ exitCode: 0 })
    writeFileSync(
      at(`dumped-${format}.mjs`),
      `import open from './things.mjs'
import { openDumpFile } from '@entia/core/node'
import { attribute } from '@entia/core'
const model = [...open().catalog.classes]
export default async () => openDumpFile(new URL('./${format}.entia', import.meta.url).pathname, { dataClasses: (await import('./classes.mjs')).classes })
`,
    )
    writeFileSync(
      at('classes.mjs'),
      model.replace(/export default .*\n/, 'export const classes = [Thing]\n'),
    )
    const both = await Promise.all(
      [`kept-${format}.mjs`, `dumped-${format}.mjs`].map((name) =>
        runEntia(['query', at(name), 'Thing', '--format', 'ndjson']),
      ),
    )
    expect(both[0]!.stderr + both[1]!.stderr).toBe('')
    expect(both[1]!.stdout).toBe(both[0]!.stdout)
    expect(linesOf(both[0]!.stdout).map((line) => JSON.parse(line))).toEqual(
      rows.map((row) => ({ ...row, pixel, part: row.ID === 3 ? 1 : null })),
    )
  })
})

describe('a failed import changes nothing and reports the reason', () => {
  const load = (content: string, ...options: string[]) => {
    writeFileSync(at('bad.csv'), content)
    return runEntia([
      'import',
      at('things.mjs'),
      `Thing=${at('bad.csv')}`,
      '--dump',
      at('bad.entia'),
      ...options,
    ])
  }
  test.each([
    ['ID,share\n1,2\n2,abc\n', 'row 2'],
    ['ID,nmae\n1,x\n', 'has no attribute "nmae" to load. It has: ID, text'],
    ['ID,part\n1,9\n', 'part'],
    ['ID\n1\n1\n', 'row 2'],
  ])('%j', async (content, reason) => {
    const { exitCode, stderr } = await load(content)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(reason)
    expect(() => readFileSync(at('bad.entia'))).toThrow('ENOENT')
  })

  test('in a journal, too, if a later file is wrong', async () => {
    writeFileSync(at('good.csv'), 'text\nfirst\n')
    writeFileSync(at('bad.csv'), 'share\nabc\n')
    const place = ['--journal', at('several')]
    const files = ['good.csv', 'bad.csv'].map((name) => `Thing=${at(name)}`)
    const failed = await runEntia(['import', at('things.mjs'), ...files, ...place])
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('row 1') })
    await runEntia(['import', at('things.mjs'), files[0]!, ...place])
    const { stdout } = await runEntia(['query', at('things.mjs'), 'Thing', '--ndjson', ...place])
    expect(linesOf(stdout).map((line) => JSON.parse(line).ID)).toEqual([1])
  })

  test('options skip unknown columns and set dangling relations to null', async () => {
    const { exitCode } = await load('ID,part,nmae\n1,9,x\n', '--ignore-unknown', '--null-relations')
    expect(exitCode).toBe(0)
  })
})

test('each command prints its help', async () => {
  for (const command of ['serve', 'query', 'explain', 'export', 'import', 'infer']) {
    const { exitCode, stdout } = await runEntia([command, '--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`Usage: entia ${command}`)
    expect(stdout).toContain('Exit codes:')
  }
})
