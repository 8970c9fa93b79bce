/**
 * A Stryker test runner that loads the tests once and calls them as functions. A mutant takes
 * milliseconds; starting vitest takes a second. Tests that cannot run twice, or outside vitest, are
 * left out. A test that fails with a mutant must pass without it immediately afterwards. Otherwise
 * the mutant has changed shared state, and all modules are loaded again.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core'
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import { build } from 'esbuild'
import fc from 'fast-check'

/** The time limit of a test, for promises that never settle. */
const MAX_MILLISECONDS = 30_000
/** Tests up to this many milliseconds always run. */
const SHORT_MILLISECONDS = 500

class InProcessRunner {
  #files
  /** Whether long tests are left out. */
  #isQuick
  #bundle = resolve('mutation-tests.mjs')
  /** The file in which the runner of the dry run stores its results for the others. */
  #learned = resolve('mutation-tests.json')
  #loads = 0
  #tests = new Map()
  #left = new Set()
  #durations = new Map()
  /** The mutant that was active when the modules were loaded. */
  #loadedWith
  #shared = (globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {})

  constructor(files, isQuick) {
    this.#files = files
    this.#isQuick = isQuick
  }

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    // Do not shrink counterexamples, and use the same inputs in each run.
    fc.configureGlobal({ seed: 20_261_121, endOnFailure: true })
    const entries = this.#files.map(
      (file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(`./${file}`)})`,
    )
    await build({
      stdin: {
        contents: `export { collect } from 'vitest'\nexport const files = {${entries}}`,
        resolveDir: resolve('.'),
      },
      outfile: this.#bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      conditions: ['entia-source'],
      alias: { vitest: resolve('scripts/mutation/vitest-stand-in.mjs') },
      plugins: [
        {
          name: 'packages stay outside',
          setup: (build) => build.onResolve({ filter: /^[^./]/ }, outside),
        },
      ],
      logLevel: 'error',
    })
  }

  async dryRun() {
    this.#shared.activeMutant = undefined
    this.#shared.mutantCoverage = { static: {}, perTest: {} }
    await this.#load(undefined)
    const results = []
    let total = 0
    for (const test of this.#tests.values()) {
      const started = performance.now()
      const error = await this.#runAlone(test)
      const timeSpentMs = performance.now() - started
      this.#durations.set(test.id, timeSpentMs)
      total += timeSpentMs
      results.push({ test, timeSpentMs })
      if (error === null) continue
      this.#left.add(test.id)
      console.log(`left out because it fails outside vitest: ${test.id}`)
    }
    for (const test of [...this.#tests.values()].reverse())
      if ((await this.#runAlone(test)) !== null) this.#left.add(test.id)
    if (this.#isQuick)
      for (const [id, duration] of this.#durations)
        if (duration > Math.max(total / 50, SHORT_MILLISECONDS)) this.#left.add(id)
    writeFileSync(
      this.#learned,
      JSON.stringify({ left: [...this.#left], durations: [...this.#durations] }),
    )
    return {
      status: 'complete',
      mutantCoverage: structuredClone(this.#shared.mutantCoverage),
      tests: results.map(({ test: { id }, timeSpentMs }) => ({
        id,
        name: id,
        timeSpentMs,
        fileName: resolve(id.slice(0, id.indexOf('#'))),
        status: this.#left.has(id) ? 2 : 0,
      })),
    }
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation }) {
    if (this.#durations.size === 0) {
      const { left, durations } = JSON.parse(readFileSync(this.#learned, 'utf8'))
      this.#left = new Set(left)
      this.#durations = new Map(durations)
    }
    const isStatic = mutantActivation === 'static'
    for (let attempt = 0; ; attempt++) {
      const wanted = isStatic ? activeMutant.id : undefined
      this.#shared.hitCount = 0
      this.#shared.hitLimit = hitLimit
      this.#shared.activeMutant = activeMutant.id
      if (this.#loads === 0 || this.#loadedWith !== wanted) {
        this.#shared.activeMutant = wanted
        try {
          await this.#load(wanted)
        } catch (error) {
          this.#loadedWith = 'nothing'
          return {
            status: 'killed',
            killedBy: [],
            nrOfTests: 0,
            failureMessage: `cannot be loaded: ${error}`,
          }
        }
        this.#shared.activeMutant = activeMutant.id
      }
      const chosen = this.#chosen(testFilter)
      let ran = 0
      let failed = null
      for (const test of chosen) {
        ran++
        const error = await this.#runAlone(test)
        if (error === null) continue
        failed = { test, error }
        break
      }
      this.#shared.activeMutant = undefined
      const isEndless = hitLimit !== undefined && this.#shared.hitCount > hitLimit
      this.#shared.hitLimit = undefined
      if (isEndless) {
        this.#loadedWith = 'nothing'
        return {
          status: 'timeout',
          reason: 'the mutated code ran too often, probably an endless loop',
        }
      }
      if (failed === null) return { status: 'survived', nrOfTests: ran }
      if (!isStatic && (await this.#runAlone(failed.test)) !== null) {
        this.#loadedWith = 'nothing'
        // It also fails in fresh modules, so it cannot run twice.
        if (attempt > 0) this.#left.add(failed.test.id)
        continue
      }
      const failureMessage = String(failed.error?.message ?? failed.error)
      return { status: 'killed', killedBy: [failed.test.id], nrOfTests: ran, failureMessage }
    }
  }

  /** Loads all modules again. */
  async #load(mutant) {
    this.#loadedWith = mutant
    const { collect, files } = await import(`${pathToFileURL(this.#bundle)}?${++this.#loads}`)
    this.#tests = new Map((await collect(files)).map((test) => [test.id, test]))
  }

  /** Runs the fastest tests first, because the first failure ends the run. */
  #chosen(filter) {
    const wanted = filter === undefined ? null : new Set(filter)
    const chosen = [...this.#tests.values()].filter(
      ({ id }) => !this.#left.has(id) && (wanted?.has(id) ?? true),
    )
    const duration = ({ id }) => this.#durations.get(id) ?? 0
    return chosen.sort((a, b) => duration(a) - duration(b))
  }

  /** Resolves to null, or to the error of the test. */
  async #runAlone({ id, suite, run }) {
    const suites = []
    for (let at = suite; at !== null; at = at.outer) suites.unshift(at)
    const inward = (hook) => suites.flatMap((one) => one[hook])
    this.#shared.currentTestId = id
    let failure = null
    const attempt = async (work) => {
      try {
        const result = work()
        if (result instanceof Promise) await inTime(result)
      } catch (error) {
        failure ??= error ?? new Error('failed with nothing')
      }
    }
    for (const hook of [...inward('beforeAll'), ...inward('beforeEach')]) await attempt(hook)
    if (failure === null) await attempt(run)
    for (const hook of [...inward('afterEach'), ...inward('afterAll')].reverse())
      await attempt(hook)
    this.#shared.currentTestId = undefined
    return failure
  }
}

function outside({ path }) {
  return path === 'vitest' || path.startsWith('@entia/') ? undefined : { path, external: true }
}

async function inTime(promise) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('the test takes too long')), MAX_MILLISECONDS)
  })
  try {
    await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

const create = (options) => new InProcessRunner(options.roomTests, options.isQuick)
create.inject = tokens(commonTokens.options)

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', create)]
