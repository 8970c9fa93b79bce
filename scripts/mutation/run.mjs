/**
 * `npm run test:mutation`: changes the sources one small thing at a time and counts the changes that some test notices.
 *
 *   --rooms transaction,locks   which rooms (see rooms.mjs); all unless given
 *   --sample 0.1 --seed 7       a tenth of the mutants, the same ones for the same seed; all unless given
 *   --runs 0.1                  how often properties run, as ENTIA_RUNS, in the tests near the room, which come first
 *   --again 0.3                 the same in all tests, which meet what is left; 0 leaves it
 *   --left                      only what survived the last time, after tests were added: the sources must be the same
 *   --concurrency 2
 *
 * Writes coverage/mutation/<room>.json (score, survivors) and prints a line for each room.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { describeMutant, isSurvivor, isTested, nameOf } from './mutant-name.mjs'
import { rooms } from './rooms.mjs'

const here = fileURLToPath(new URL('./', import.meta.url))
const root = join(here, '../../')
const reports = join(root, 'coverage/mutation')

const { values } = parseArgs({
  options: {
    rooms: { type: 'string', default: Object.keys(rooms).join(',') },
    sample: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '0.1' },
    again: { type: 'string', default: '0.3' },
    left: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '2' },
  },
})

/** @param {string} name */
async function testRoom(name) {
  const { near, tests } = rooms[name]
  const file = join(reports, `${name}.json`)
  const last = values.left ? JSON.parse(readFileSync(file, 'utf8')) : null
  const choice = { share: Number(values.sample), seed: values.seed }
  const first = await mutate(name, near, values.runs, {
    ...choice,
    only: last?.survivors.map(({ name }) => name) ?? null,
  })
  const tested = first.filter(isTested)
  const { left: _, ...options } = values
  const counts = last ?? { room: name, ...options, mutants: first.length, tested: tested.length }
  const report = (survivors) => {
    const score = scoreOf(counts.tested, survivors.length)
    writeFileSync(file, `${JSON.stringify({ ...counts, ...score, survivors }, null, 2)}\n`)
    return `${name}: ${counts.tested} of ${counts.mutants} mutants, ${survivors.length} survived, score ${score.score} % (95 %: ${score.low} to ${score.high})`
  }
  const survivors = tested.filter(isSurvivor)
  const told = report(survivors)
  if (Number(values.again) === 0 || survivors.length === 0) return told
  console.log(`after the tests near it, ${told}`)
  const again = await mutate(name, tests, values.again, { ...choice, only: survivors.map((mutant) => mutant.name) })
  return report(again.filter(isTested).filter(isSurvivor))
}

/** One run of Stryker over a room. Answers every mutant, those that were not chosen as well. */
async function mutate(name, tests, runs, chosenMutants) {
  process.env.ENTIA_RUNS = runs
  const results = await new Stryker({
    mutate: [...rooms[name].mutate],
    chosenMutants,
    roomTests: testFilesOf(tests),
    isQuick: tests === rooms[name].near,
    plugins: ['in-process-runner', 'chosen-mutants', 'told-survivors'].map((file) => join(here, `${file}.mjs`)),
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
    // The compiler of version 7 has no interface for programs, which Stryker rewrites tsconfig files with; none is needed.
    tsconfigFile: 'no-tsconfig.json',
    reporters: ['told'],
    warnings: { unknownOptions: false },
    allowConsoleColors: false,
  }).runMutationTest()
  return results.map((result) => {
    const fileName = relative(root, result.fileName)
    return { name: nameOf({ ...result, fileName }), text: describeMutant(result), status: result.status }
  })
}

/** The test files that any of the patterns names, from the root. */
function testFilesOf(patterns) {
  const found = ['core', 'rest'].flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'test'), { recursive: true }).map((file) => `${name}/test/${file}`),
  )
  const files = found.filter((file) => file.endsWith('.test.ts') && patterns.some((pattern) => pattern.test(file)))
  return files.sort().map((file) => `packages/${file}`)
}

/** Percent of `n` mutants noticed, and Wilson's interval, which a sample of all leaves without meaning. */
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
for (const name of values.rooms.split(',')) {
  if (!Object.hasOwn(rooms, name)) throw new Error(`No room "${name}". Known: ${Object.keys(rooms).join(', ')}.`)
  console.log(await testRoom(name))
}
