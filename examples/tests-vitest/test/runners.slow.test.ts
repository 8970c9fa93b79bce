import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

test.each([
  ['tests-vitest', /4 passed/],
  ['tests-jest', /4 passed/],
  ['tests-jest-commonjs', /3 passed/],
  ['tests-node', /^# pass 4$/m],
])('the tests of %s pass unchanged, and the process exits', async (folder, passed) => {
  const cwd = fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  // Hide the outer runner's environment from the runner under test.
  const {
    NODE_OPTIONS: _options,
    VITEST: _vitest,
    VITEST_MODE: _mode,
    ...environment
  } = process.env
  const { stdout, stderr } = await run('npm', ['test'], {
    cwd,
    env: { ...environment, NO_COLOR: '1', CI: '1' },
  })
  expect(stdout + stderr).toMatch(passed)
})
