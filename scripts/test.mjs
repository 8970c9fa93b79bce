/**
 * `npm test`: prepares the checkout, then runs the checks and the quick tests, with a fifth of the
 * runs of each property. `--gate` (`.ci/run`) also runs the slow tests (`*.slow.test.ts`), which
 * start processes, browsers and databases. `npm run test:full` (`--full`) runs both and makes all
 * runs. The last line is `N passed, N failed`; a check counts as one. With arguments only their
 * tests run: `npm test -- packages/core/test/filter`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
  'nothing is unused: files, exports, dependencies': () => npm('run', '--silent', 'unused'),
}
/** Packages that only slow tests need, also those which their programs would install. */
const slowFolders = [...testFolders, 'scripts/packages', 'docs/site']
/** Every file but the slow ones, then these. */
const quickFiles = ['--exclude', '**/*.slow.test.{ts,tsx}']
const slowFiles = ['.slow.test.']

const MODES = new Set(['--full', '--gate'])

await runMain(async () => {
  const isGate = process.argv.includes('--gate')
  const isFull = isGate || process.argv.includes('--full')
  try {
    checkNode()
    ensureInstalled()
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error
    console.error(error.message)
    return finish([{ passed: 0, failed: 1, skipped: 0 }])
  }
  if (!isFull || isGate) process.env.ENTIA_QUICK = '1'
  const parameters = process.argv.slice(2).filter((argument) => !MODES.has(argument))
  const installing = isFull ? installMeanwhile(slowFolders) : null
  const failed = failuresOf(checks)
  const counts = []
  if (parameters.length === 0) counts.push(runTests('quick tests', quickFiles))
  if (installing !== null) {
    failed.push(...failuresOf({ 'packages of the slow tests': await installing, ...fullChecks }))
    if (parameters.length === 0) counts.push(runTests('slow tests', slowFiles))
  }
  if (parameters.length > 0) counts.push(runTests('tests', parameters))
  const made = Object.keys(checks).length + (isFull ? Object.keys(fullChecks).length + 1 : 0)
  counts.push({ passed: made - failed.length, failed: failed.length, skipped: 0 })
  for (const title of failed) console.log(`FAILED: ${title} (see above)`)
  return finish(counts)
})

/**
 * Installs packages in a process of its own while the quick tests run, which need none of them.
 * Resolves to a check of its end.
 * @param {readonly string[]} folders
 * @returns {Promise<() => number>}
 */
async function installMeanwhile(folders) {
  const script = join(root, 'scripts/install.mjs')
  const installing = spawn(process.execPath, [script, ...folders], { cwd: root, stdio: 'inherit' })
  const [status] = await once(installing, 'exit')
  return () => status ?? 1
}

/** @param {readonly { passed: number, failed: number, skipped: number }[]} counts */
function finish(counts) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ name) =>
    counts.reduce((total, each) => total + each[name], 0)
  if (sum('skipped') > 0) console.log(`${sum('skipped')} skipped`)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  process.exitCode = sum('failed') === 0 ? 0 : 1
}

/**
 * Runs checks and returns the titles of those that failed.
 * @param {Readonly<Record<string, () => number>>} commands which answer exit codes
 */
function failuresOf(commands) {
  return Object.keys(commands).filter((title) => {
    console.log(`\n== ${title}`)
    const failed = commands[title]?.() !== 0
    console.log(failed ? 'FAILED' : 'ok')
    return failed
  })
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
