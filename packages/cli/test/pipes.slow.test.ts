import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatOf } from '../src/data/standard-input.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const bin = fileURLToPath(new URL('../bin/entia.mjs', import.meta.url))

let folder: string
let temporary: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'entia-piped-'))
  temporary = mkdtempSync(join(tmpdir(), 'entia-temporary-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(
    join(folder, 'hr.mjs'),
    `import { attribute, createDataStore, defineDataClass } from '@entia/core'
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
})
export default createDataStore({ name: 'hr', dataClasses: [Person] })
`,
  )
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(temporary, { recursive: true })
})

/** Runs a command with a text on standard input. Its temporary files are in `temporary`. */
function entia(input: string, ...parameters: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...parameters], {
    cwd: folder,
    input,
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: temporary, NO_COLOR: '1' },
  })
  return { status, stdout, stderr }
}

const CSV = 'ID,name\n1,Ann\n2,Bo\n'
const INPUTS = {
  csv: CSV,
  'csv with a byte order mark': `\uFEFF${CSV}`,
  tsv: CSV.replaceAll(',', '\t'),
  json: '[{ "ID": 1, "name": "Ann" }, { "ID": 2, "name": "Bo" }]',
  'json of lists': '{ "Person": [{ "ID": 1, "name": "Ann" }, { "ID": 2, "name": "Bo" }] }',
  ndjson: '{"ID":1,"name":"Ann"}\n{"ID":2,"name":"Bo"}\n',
}
const OUTPUTS = {
  '--csv': CSV,
  '--tsv': CSV.replaceAll(',', '\t'),
  '--ndjson': INPUTS.ndjson,
  '--json': '[\n  {"ID":1,"name":"Ann"},\n  {"ID":2,"name":"Bo"}\n]\n',
}

describe('standard input', () => {
  test.each(Object.entries(INPUTS))('%s is read by query, and leaves no file', (_, input) => {
    expect(entia(input, 'query', '-', 'Person', '-f', 'ID > 1')).toEqual({
      status: 0,
      stdout: '{"ID":2,"name":"Bo"}\n',
      stderr: '',
    })
    expect(readdirSync(temporary)).toEqual([])
  })

  test('is read by explain, export, infer and import', () => {
    expect(entia(CSV, 'explain', '-', 'Person', '-f', 'ID = 1').stdout).toContain('Person')
    expect(entia(CSV, 'export', '-', 'Person', '-o', '-', '--csv').stdout).toBe(CSV)
    expect(entia(CSV, 'infer', '-').stdout).toContain('2 rows from standard input')
    const saved = entia(CSV, 'import', 'hr.mjs', 'Person=-', '--dump', 'hr.entia')
    expect(saved).toMatchObject({ status: 0, stderr: expect.stringContaining('of standard input') })
    expect(entia('', 'query', 'hr.entia', 'Person', '--csv').stdout).toBe(CSV)
  })

  test('infer writes a module that works when standard input is gone', () => {
    const written = entia(CSV, 'infer', '-', '-o', 'piped.mjs')
    expect(written.stderr).toContain('entia import piped.mjs rows=- --journal data')
    expect(readFileSync(join(folder, 'piped.mjs'), 'utf8')).not.toContain('loadFile')
    expect(entia(CSV, 'import', 'piped.mjs', 'rows=-', '--journal', 'data').status).toBe(0)
    expect(entia('', 'query', 'piped.mjs', 'rows', '--journal', 'data', '--csv').stdout).toBe(CSV)
  })

  test.each(['store.txt', 'store.json', 'store', 'store.cjs'])(
    'infer does not write a module as %s',
    (file) => {
      expect(entia(CSV, 'infer', '-', '-o', file)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('-o store.mjs'),
      })
    },
  )

  test('import needs the name of its dataclass', () => {
    expect(entia(CSV, 'import', 'hr.mjs', '-', '--dump', 'x.entia')).toMatchObject({
      status: 1,
      stderr: 'Name the dataclass of standard input: Employee=-\n',
    })
  })

  test('an empty or wrong one is refused by name', () => {
    expect(entia('', 'query', '-', 'Person')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Standard input is empty'),
    })
    const { status, stderr } = entia('{"ID":1}\n{oops\n', 'query', '-', 'Person')
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('standard input, line 2 is not JSON'),
    })
    expect(stderr).not.toContain(temporary)
  })

  test('entia mcp refuses it: it carries the protocol', () => {
    expect(entia(CSV, 'mcp', '-')).toMatchObject({ status: 2 })
  })

  test.each([
    ['{"a":1}', 'ndjson'],
    ['{"a":1}\n\n', 'ndjson'],
    ['{"a":[1]}\n{"a":[2]}', 'ndjson'],
    ['{"a":[]}', 'json'],
    ['{\n  "a": []\n}', 'json'],
    ['\n [1]', 'json'],
    ['a\tb\n1\t2', 'tsv'],
    ['a,b\tc\n', 'csv'],
    ['a\n', 'csv'],
  ])('%j is %s', (head, format) => {
    expect(formatOf(head)).toBe(format)
  })
})

describe('the form of the output', () => {
  test.each(Object.entries(OUTPUTS))('%s of query and export', (option, text) => {
    expect(entia(CSV, 'query', '-', 'Person', option).stdout).toBe(text)
    expect(entia(CSV, 'export', '-', 'Person', option).stdout).toBe(text)
    expect(entia(CSV, 'query', '-', 'Person', '--format', option.slice(2)).stdout).toBe(text)
  })

  test('--table prints columns into a pipe too, and --quiet omits the remark', () => {
    const { stdout, stderr } = entia(CSV, 'query', '-', 'Person', '--table', '-n', '1')
    expect(stdout).toMatch(/ID +name/)
    expect(stderr).toContain('1 more')
    expect(entia(CSV, 'query', '-', 'Person', '--table', '-n', '1', '-q').stderr).toBe('')
  })

  test('two forms are refused', () => {
    expect(entia(CSV, 'query', '-', 'Person', '--csv', '--json')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/Choose one format: (csv or json|json or csv)/),
    })
  })

  test('--quiet leaves the failures of import and nothing else', () => {
    const quiet = ['import', 'hr.mjs', 'Person=-', '--journal', 'kept', '-q']
    expect(entia(CSV, ...quiet)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(entia('ID,nam\n3,Cy\n', ...quiet)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nam'),
    })
  })
})

describe('entia init', () => {
  test('writes a project of about forty lines whose test passes', () => {
    expect(entia('', 'init', 'My Store')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('npm install'),
    })
    const project = join(folder, 'My Store')
    const files = readdirSync(project).sort()
    expect(files).toEqual(['package.json', 'store.mjs', 'store.test.mjs'])
    const lines = files.flatMap((file) => readFileSync(join(project, file), 'utf8').split('\n'))
    expect(lines.length).toBeLessThan(55)
    expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).name).toBe('my-store')
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
    const tested = spawnSync('npm', ['test'], { cwd: project, encoding: 'utf8', env })
    expect(tested.stdout + tested.stderr).toMatch(/pass 1/)
    expect(entia('', 'query', 'My Store/store.mjs', 'employees', '--csv').stdout).toContain('Byron')
  })

  test('replaces no file without --force', () => {
    expect(entia('', 'init', 'twice').status).toBe(0)
    expect(entia('', 'init', 'twice')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('already exists'),
    })
    expect(entia('', 'init', 'twice', '--force').status).toBe(0)
  })
})
