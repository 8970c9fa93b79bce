import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'
import config from '../../vitest.config.ts'
import workspace, { projects } from '../../vitest.workspace.ts'
import { filesBelow, root } from './source-files.ts'

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
}, 60_000)

test('every package has a project', () => {
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  )
  const names = projects.map(({ test }) => test.name)
  expect(packages.filter((name) => !names.includes(name))).toEqual([])
})

test('vitest.config.ts is the workspace file', () => {
  expect(config).toBe(workspace)
})

function projectOf(file: string): string {
  const [folder, name] = file.split('/')
  if (folder === 'packages') return name ?? file
  return folder === 'scripts' ? 'repo' : (folder ?? file)
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
