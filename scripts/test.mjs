/**
 * `npm test`: prepares the checkout, then runs the checks and the quick tests. `npm run test:full`
 * (`--full`) makes all runs of every property, and then runs the slow tests (`*.slow.test.ts`),
 * which start processes, browsers and databases. The last line is `N passed, N failed`; a check
 * counts as one. With arguments only their tests run: `npm test -- packages/core/test/filter`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testFolders } from './install-before-tests.mjs'
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
/** Needs the packages of `testFolders`. */
const fullChecks = {
  'types of the slow tests and examples with packages of their own': () =>
    run(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      'tsconfig.full.json',
    ]),
}
/** Every file but the slow ones, then these. Several of them wait for others at a time. */
const quickFiles = ['--exclude', '**/*.slow.test.{ts,tsx}']
const slowFiles = ['--maxWorkers', '150%', '.slow.test.']

await runMain(() => {
  const isFull = process.argv.includes('--full')
  try {
    checkNode()
    ensureInstalled()
    if (isFull) for (const folder of testFolders) ensureInstalled(folder)
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error
    console.error(error.message)
    return finish([{ passed: 0, failed: 1, skipped: 0 }])
  }
  if (!isFull) process.env.ENTIA_QUICK = '1'
  const parameters = process.argv.slice(2).filter((argument) => argument !== '--full')
  const wanted = Object.entries(isFull ? { ...checks, ...fullChecks } : checks)
  const failedChecks = wanted.filter(([title, command]) => !check(title, command))
  const failed = failedChecks.length
  const counts = [{ passed: wanted.length - failed, failed, skipped: 0 }]
  if (parameters.length > 0) counts.push(runTests('tests', parameters))
  else {
    counts.push(runTests('quick tests', quickFiles))
    if (isFull) counts.push(runTests('slow tests', slowFiles))
  }
  for (const [title] of failedChecks) console.log(`FAILED: ${title} (see above)`)
  return finish(counts)
})

/** @param {readonly { passed: number, failed: number, skipped: number }[]} counts */
function finish(counts) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ name) =>
    counts.reduce((total, each) => total + each[name], 0)
  if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped`)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  process.exitCode = sum('failed') === 0 ? 0 : 1
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
 * @param {string} title
 * @param {readonly string[]} parameters
 */
function runTests(title, parameters) {
  console.log(`\n== ${title}`)
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
      ...parameters,
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
