import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { runEntia } from './run-entia.ts'

describe('help and version', () => {
  test.each([['--help'], ['-h'], ['help']])('entia %s prints the commands', async (parameter) => {
    const { exitCode, stdout } = await runEntia([parameter])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('serve <source>')
  })

  test('entia help <command> prints its options, and refuses another word', async () => {
    expect((await runEntia(['help', 'query'])).stdout).toMatch(/^Usage: entia query /)
    expect(await runEntia(['help', 'qurey'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean "query"?'),
    })
  })

  test.each([['--help'], ['-h']])('entia serve %s prints the options', async (parameter) => {
    const { exitCode, stdout } = await runEntia(['serve', parameter])
    expect(exitCode).toBe(0)
    for (const option of ['--port', '--host', '--base-path']) expect(stdout).toContain(option)
  })

  test.each([['--version'], ['-v']])('entia %s prints the version', async (parameter) => {
    expect(await runEntia([parameter])).toMatchObject({
      exitCode: 0,
      stdout: `${manifest.version}\n`,
    })
  })
})

describe('a wrong command line exits with code 2, the reason and the help to read', () => {
  test.each([
    [[], 'Usage: entia'],
    [['sevre'], 'entia has no command "sevre"'],
    [['--port'], 'entia has no option "--port"'],
    [['serve'], '"entia serve" needs a module or data'],
    [['serve', 'a.mjs', 'b.mjs'], 'takes one source, not 2'],
    [['serve', 'hr.mjs', '--prot', '1'], 'has no option "--prot". Did you mean "--port"?'],
    [['query', 'hr.mjs', 'A', '--params', '[1]'], '--params gives values to a filter'],
    [['explain', 'hr.mjs', 'A', '--params', '[1]'], 'needs a filter'],
    [['serve', 'hr.mjs', '--nothing'], '"entia serve" has no option "--nothing".\n'],
    [['sevre', 'hr.mjs'], 'Did you mean "serve"?'],
    [['office'], '"office" is no command. Did you mean "entia serve office"?'],
    [['export', 'hr.mjs', '--out', 'x.csv'], 'writes one dataclass to a file. Name it'],
    [
      ['export', 'hr.mjs', 'Company', '-o', 'x.csv', '--format', 'json'],
      'contradicts the name x.csv',
    ],
    [['export', 'hr.mjs', 'Company', '--format', 'cvs'], 'not "cvs". Did you mean "csv"?'],
    [['serve', 'hr.mjs', '--port', 'http'], '--port must be a port from 0 to 65535, not "http"'],
    [['serve', 'hr.mjs', '--port', '65536'], '--port must be a port'],
    [
      ['serve', 'hr.mjs', '--base-path', 'rest'],
      '--base-path must be a path like /rest, not "rest"',
    ],
    [['serve', 'hr.mjs', '--host', ''], '--host must be an address'],
    [['query', 'hr.mjs', 'Company', '--filter'], '--filter needs a value.'],
    [['query', 'hr.mjs', 'Company', '--top', '-1'], 'follows an equals sign: --top=-1\n'],
    [['query', 'hr.mjs', 'Company', '-n', '-1'], 'follows an equals sign: --top=-1\n'],
    [['query', 'hr.mjs', 'Company', '--count=3'], '--count takes no value.\n'],
    [['query', 'hr.mjs', 'Company', '-f', 'ID = :1', '--params', '3'], 'a JSON list or object'],
    [['query', 'hr.mjs', 'Company', '-o', 'all.csv'], 'entia query … > all.csv'],
    [['infer', 'office', '-o', 'office.txt'], '-o store.mjs'],
    [['completion', 'powershell'], 'bash, zsh or fish, not "powershell"'],
  ])('entia %j', async (parameters, reason) => {
    const { exitCode, stdout, stderr } = await runEntia(parameters)
    expect(stderr).toContain(reason)
    if (parameters.length > 0) expect(stderr).toMatch(/See "entia (\w+ )?--help"/)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  })

  test('an invalid PORT is refused by name', async () => {
    const { exitCode, stderr } = await runEntia(['serve', 'hr.mjs'], { PORT: 'abc' })
    expect(stderr).toContain('The variable PORT must be a port from 0 to 65535, not "abc"')
    expect(exitCode).toBe(2)
  })
})

test('values by name are given as an object, and a plan is printed as JSON', async () => {
  const filter = ['-f', 'name = :n', '--params', '{"n":"none"}']
  expect(await runEntia(['query', 'hr.mjs', 'Company', ...filter])).toMatchObject({
    exitCode: 0,
    stdout: '',
  })
  const one = await runEntia(['explain', 'hr.mjs', 'Company', '--json', ...filter])
  expect(JSON.parse(one.stdout)).toMatchObject({ root: { operator: expect.any(String) } })
  const all = await runEntia(['explain', 'hr.mjs', 'Company', '--json', '--all', ...filter])
  expect(JSON.parse(all.stdout)[0]).toEqual(JSON.parse(one.stdout))
})

test('a store of another copy of the engine is refused with the remedy', async () => {
  expect(await runEntia(['serve', 'another-copy.mjs', '--port', '0'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/another copy of @entia\/core.*npm install entia && npx entia/),
  })
})

describe('a module without a store exits with code 1, the file and the reason', () => {
  test.each([
    ['nowhere.mjs', 'There is no file nowhere.mjs'],
    ['hr.msj', 'Did you mean "hr.mjs"?'],
    ['hr', 'Did you mean "hr.mjs"?'],
    ['ofice', 'Did you mean "office"?'],
    ['office/companies.cvs', 'Did you mean "office/companies.csv"?'],
    ['../fixtures', 'There is no .json, .ndjson, .csv or .tsv file in the folder ../fixtures'],
    ['no-default.mjs', 'no-default.mjs has no default export'],
    ['not-a-store.mjs', 'The default export of not-a-store.mjs is an object, not a store'],
    ['throws.mjs', 'throws.mjs failed to create its store: the disk is on fire'],
    [
      'wrong-model.mjs',
      'wrong-model.mjs failed to create its store: Dataclass "Employee", attribute "employer"',
    ],
    [
      'wrong-rest.mjs',
      'The export "rest" of wrong-rest.mjs is refused: The name of an option must be one of',
    ],
    [
      'wrong-addresses.mjs',
      'The export "addresses" of wrong-addresses.mjs must be a list of { title, path }',
    ],
    ['missing-import.mjs', 'missing-import.mjs cannot be loaded: Cannot find module'],
  ])('entia serve %s', async (module, reason) => {
    const { exitCode, stdout, stderr } = await runEntia(['serve', module, '--port', '0'])
    expect(stderr).toContain(reason)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  })

  test('errors of a module show their stack; errors of the engine do not', async () => {
    expect((await runEntia(['serve', 'throws.mjs'])).stderr).toContain('at createBroken')
    expect((await runEntia(['serve', 'wrong-model.mjs'])).stderr).not.toMatch(/^\s+at /m)
  })
})

test('a port in use exits with code 1 and the remedy', async () => {
  const other = createServer()
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  try {
    const { exitCode, stderr } = await runEntia(['serve', 'hr.mjs'], { PORT: String(port) })
    expect(stderr).toContain(
      `Port ${port} on 127.0.0.1 is in use by another program. Choose another with --port`,
    )
    expect(exitCode).toBe(1)
  } finally {
    other.close()
  }
})
