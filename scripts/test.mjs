/**
 * `npm test`: prepares the checkout, then runs the checks and the tests. The last line is
 * `N passed, N failed`; a check counts as one. Arguments go to vitest:
 * `npm test -- packages/core/test/filter`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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
/**
 * Skipped for a subset of the tests, because it takes 20 seconds. It fails on a dead link, also in
 * the API reference.
 */
const siteCheck = {
  'the docs site builds': () => run(process.execPath, [join(root, 'scripts/docs.mjs')]),
}

await runMain(() => {
  try {
    checkNode()
    ensureInstalled()
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error
    console.error(error.message)
    return finish({ passed: 0, failed: 1, skipped: 0 })
  }
  const filters = process.argv.slice(2)
  const wanted = Object.entries(filters.length === 0 ? { ...checks, ...siteCheck } : checks)
  const failedChecks = wanted.filter(([title, command]) => !check(title, command))
  const tests = runTests(filters)
  for (const [title] of failedChecks) console.log(`FAILED: ${title} (see above)`)
  return finish({
    passed: tests.passed + wanted.length - failedChecks.length,
    failed: tests.failed + failedChecks.length,
    skipped: tests.skipped,
  })
})

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
  const folder = mkdtempSync(join(tmpdir(), 'entia-test-'))
  const report = join(folder, 'report.json')
  try {
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
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
