/**
 * `npm run packages:check`: packs every package, checks its content with publint and
 * are-the-types-wrong, installs all packages into an empty folder with npm, and runs programs
 * there, and the commands of pages with only what these pack. Exits with 1 on a problem.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  conformanceProgram,
  installPacked,
  runProgram,
  smokePrograms,
  typePrograms,
  writeConsumer,
} from './packages/consumer.mjs'
import { command, packAll } from './packages/pack.mjs'
import { runPage } from './packages/run-page.mjs'
import { tarballProblems } from './packages/tarball-problems.mjs'
import { ensureInstalled, PrepareError, prepare, root, runMain } from './prepare.mjs'

const tools = `${root}scripts/packages`
let failures = 0

/**
 * @param {string} title
 * @param {() => string | null} check returns the problem
 */
function check(title, check) {
  const problem = check()
  if (problem !== null) failures++
  console.log(problem === null ? `ok      ${title}` : `FAILED  ${title}\n${problem}`)
}

/**
 * Runs a tool. @param {readonly string[]} parameters @returns the output of a failure, otherwise
 * null
 */
function ask(...parameters) {
  try {
    command(process.execPath, parameters, root)
    return null
  } catch (error) {
    if (error instanceof PrepareError) return error.message
    throw error
  }
}

await runMain(async () => {
  prepare()
  ensureInstalled('scripts/packages')
  const folder = mkdtempSync(join(tmpdir(), 'entia-packages-'))
  try {
    const packed = await packAll(folder)
    for (const { name, tarball, folder } of packed) {
      check(`${name}: its files and its manifest`, () => tarballProblems(folder).join('\n') || null)
      check(`${name}: publint`, () =>
        ask(`${tools}/node_modules/publint/src/cli.js`, tarball, '--strict'),
      )
      check(`${name}: are-the-types-wrong`, () =>
        ask(
          `${tools}/node_modules/@arethetypeswrong/cli/dist/index.js`,
          tarball,
          '--profile',
          'esm-only',
          // Jest reads it as a configuration: no program imports it.
          '--exclude-entrypoints',
          './jest/jest-preset',
        ),
      )
    }
    const consumer = join(folder, 'consumer')
    mkdirSync(consumer)
    writeConsumer(consumer)
    installPacked(consumer, packed)
    check('npx entia --version', () => {
      const parameters = ['--no-install', 'entia', '--version']
      return command('npx', parameters, consumer).includes('0.') ? null : 'prints no version'
    })
    for (const page of ['docs/tutorial.md', 'packages/cli/README.md']) {
      const place = mkdtempSync(join(folder, 'page-'))
      const problem = await runPage(place, readFileSync(join(root, page), 'utf8'), packed)
      check(`${page}: its commands with only the packages that it packs`, () => problem)
    }
    for (const program of [...smokePrograms, conformanceProgram, ...typePrograms]) {
      check(program.title, () => runProgram(consumer, program))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(failures === 0 ? 'all checks passed' : `${failures} failed`)
  process.exitCode = failures === 0 ? 0 : 1
})
