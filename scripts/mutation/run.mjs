/**
 * `npm run test:mutation`: mutates the sources one small change at a time and counts the changes
 * that a test detects.
 *
 *   --modules transaction,locks  modules to mutate (see modules.mjs); all by default
 *   --sample 0.1 --seed 7        a tenth of the mutants, chosen by a seed; all by default
 *   --runs 0.1                   ENTIA_RUNS for the tests near the module, which run first
 *   --again 0.3                  ENTIA_RUNS for all tests, which run on the survivors; 0 skips them
 *   --left                       only the survivors of the last run, after adding tests; needs the same sources
 *   --concurrency 2
 *
 * Writes coverage/mutation/<module>.json (score, survivors) and prints a line per module.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { modules } from './modules.mjs'
import { describeMutant, isSurvivor, isTested, nameOf } from './mutant-name.mjs'

const here = fileURLToPath(new URL('./', import.meta.url))
const root = join(here, '../../')
const reports = join(root, 'coverage/mutation')

const { values } = parseArgs({
  options: {
    modules: { type: 'string', default: Object.keys(modules).join(',') },
    sample: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '0.1' },
    again: { type: 'string', default: '0.3' },
    left: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '2' },
  },
})

/** @param {string} name */
async function testModule(name) {
  const { near, tests } = modules[name]
  const file = join(reports, `${name}.json`)
  const last = values.left ? JSON.parse(readFileSync(file, 'utf8')) : null
  const choice = { share: Number(values.sample), seed: values.seed }
  const first = await mutate(name, near, values.runs, {
    ...choice,
    only: last?.survivors.map(({ name }) => name) ?? null,
  })
  const tested = first.filter(isTested)
  const { left: _, ...options } = values
  const counts = last ?? { module: name, ...options, mutants: first.length, tested: tested.length }
  const report = (survivors) => {
    const score = scoreOf(counts.tested, survivors.length)
    writeFileSync(file, `${JSON.stringify({ ...counts, ...score, survivors }, null, 2)}\n`)
    return `${name}: ${counts.tested} of ${counts.mutants} mutants, ${survivors.length} survived, score ${score.score} % (95 %: ${score.low} to ${score.high})`
  }
  const survivors = tested.filter(isSurvivor)
  const firstReport = report(survivors)
  if (Number(values.again) === 0 || survivors.length === 0) return firstReport
  console.log(`after the tests near it: ${firstReport}`)
  const again = await mutate(name, tests, values.again, {
    ...choice,
    only: survivors.map((mutant) => mutant.name),
  })
  return report(again.filter(isTested).filter(isSurvivor))
}

/** Runs Stryker over a module. Returns every mutant, including those that were not chosen. */
async function mutate(name, tests, runs, chosenMutants) {
  process.env.ENTIA_RUNS = runs
  const results = await new Stryker({
    mutate: [...modules[name].mutate],
    chosenMutants,
    roomTests: testFilesOf(tests),
    isQuick: tests === modules[name].near,
    plugins: ['in-process-runner', 'chosen-mutants', 'survivor-reporter'].map((file) =>
      join(here, `${file}.mjs`),
    ),
    testRunner: 'in-process',
    checkers: chosenMutants.share < 1 || chosenMutants.only !== null ? ['chosen'] : [],
    coverageAnalysis: 'perTest',
    disableTypeChecks: false,
    concurrency: Number(values.concurrency),
    timeoutMS: 10_000,
    timeoutFactor: 1.2,
    dryRunTimeoutMinutes: 30,
    ignorePatterns: ['/bench', '/examples', '/docs', '/coverage', 'packages/*/dist'],
    tempDirName: join('coverage', 'stryker'),
    // TypeScript 7 has no compiler API, which Stryker needs to rewrite tsconfig files.
    tsconfigFile: 'no-tsconfig.json',
    reporters: ['survivors'],
    warnings: { unknownOptions: false },
    allowConsoleColors: false,
  }).runMutationTest()
  return results.map((result) => {
    const fileName = relative(root, result.fileName)
    return {
      name: nameOf({ ...result, fileName }),
      text: describeMutant(result),
      status: result.status,
    }
  })
}

/** The test files that match a pattern, relative to the root. */
function testFilesOf(patterns) {
  const found = ['core', 'engine', 'rest'].flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'test'), { recursive: true }).map(
      (file) => `${name}/test/${file}`,
    ),
  )
  const files = found.filter(
    (file) => file.endsWith('.test.ts') && patterns.some((pattern) => pattern.test(file)),
  )
  return files.sort().map((file) => `packages/${file}`)
}

/** The percentage of `n` mutants that were detected, with Wilson's interval for samples. */
function scoreOf(n, survived) {
  const share = n === 0 ? 0 : 1 - survived / n
  const z = 1.96
  const middle = (share + z ** 2 / (2 * n)) / (1 + z ** 2 / n)
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2))
  const percent = (x) => Math.round(x * 1000) / 10
  return { score: percent(share), low: percent(middle - half), high: percent(middle + half) }
}

process.chdir(root)
mkdirSync(reports, { recursive: true })
for (const name of values.modules.split(',')) {
  if (!Object.hasOwn(modules, name))
    throw new Error(`There is no module "${name}". Modules: ${Object.keys(modules).join(', ')}.`)
  console.log(await testModule(name))
}
