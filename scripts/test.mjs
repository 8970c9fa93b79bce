/**
 * `npm test`: prepares the checkout, then runs the checks and the tests. The last line is
 * `N passed, N failed`; a check counts as one. Arguments go to vitest:
 * `npm test -- packages/core/test/filter`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkNode,
  ensureInstalled,
  generators,
  npm,
  PrepareError,
  root,
  run,
  runMain,
} from './prepare.mjs'
import { countTests } from './test-counts.mjs'

const checks = {
  'the generated files are fresh': () =>
    Math.max(...generators.map((generator) => run(process.execPath, [generator, '--check']))),
  'format and lint': () => npm('run', '--silent', 'lint'),
  'types of packages (which builds them), tests, examples and scripts': () =>
    npm('run', '--silent', 'typecheck'),
}
const folder = mkdtempSync(join(tmpdir(), 'entia-test-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

await runMain(async () => {
  try {
    checkNode()
    ensureInstalled()
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error
    console.error(error.message)
    return finish({ passed: 0, failed: 1, skipped: 0 })
  }
  const filters = process.argv.slice(2)
  const failed = Object.entries(checks).filter(([title, command]) => !check(title, command))
  const site = filters.length === 0 ? startSiteCheck() : null
  const tests = runTests(filters)
  for (const [title] of failed) console.log(`FAILED: ${title} (see above)`)
  const siteFails = site !== null && !(await site())
  const count = Object.keys(checks).length + (site === null ? 0 : 1)
  const failures = failed.length + (siteFails ? 1 : 0)
  return finish({
    passed: tests.passed + count - failures,
    failed: tests.failed + failures,
    skipped: tests.skipped,
  })
})

/**
 * Starts to build the docs site beside the tests, which leave a part of the processors idle. It
 * fails on a dead link, also in the API reference. Returns a function that waits for the result,
 * and prints the output of a build that failed.
 */
function startSiteCheck() {
  const log = join(folder, 'site.log')
  const output = openSync(log, 'w')
  const build = spawn(process.execPath, [join(root, 'scripts/docs.mjs')], {
    stdio: ['ignore', output, output],
  })
  const exit = once(build, 'exit')
  return async () => {
    const [status] = await exit
    closeSync(output)
    if (status !== 0) console.log(readFileSync(log, 'utf8'))
    console.log(`\n== the docs site builds\n${status === 0 ? 'ok' : 'FAILED (see above)'}`)
    return status === 0
  }
}

/** @param {{ passed: number, failed: number, skipped: number }} counts */
function finish({ passed, failed, skipped }) {
  if (skipped > 0) console.log(`${skipped} skipped`)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

/**
 * @param {string} title
 * @param {() => number} command answers an exit code
 */
function check(title, command) {
  console.log(`\n== ${title}`)
  const passed = command() === 0
  console.log(passed ? 'ok' : 'FAILED')
  return passed
}

/**
 * Runs vitest and counts the results in its JSON report.
 * @param {readonly string[]} filters
 */
function runTests(filters) {
  console.log('\n== tests')
  const report = join(folder, 'report.json')
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const status = run(process.execPath, [
    vitest,
    'run',
    '--config',
    'vitest.workspace.ts',
    ...reporters,
    ...filters,
  ])
  return countTests(readReport(report), status)
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
