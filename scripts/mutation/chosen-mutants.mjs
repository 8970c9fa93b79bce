/**
 * A Stryker checker that accepts a seeded sample, or the mutants of a list. Other mutants are
 * reported as not compiled, which no score counts. Settings: `options.chosenMutants`, { share,
 * seed, only }.
 */
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import { nameOf } from './mutant-name.mjs'

const rank = (seed, name) =>
  createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE(0) / 2 ** 32

const next = ({ line, column }) => ({ line: line + 1, column: column + 1 })

function createChecker(options) {
  const { share, seed, only } = options.chosenMutants
  const list = only === null ? null : new Set(only)
  const isChosen = (mutant) => {
    const fileName = relative(process.cwd(), mutant.fileName)
    // Lines and columns count from 0 here, and from 1 in results.
    const location = { start: next(mutant.location.start), end: next(mutant.location.end) }
    const name = nameOf({ ...mutant, fileName, location })
    return list === null ? rank(seed, name) < share : list.has(name)
  }
  const passed = { status: 'passed' }
  const heldBack = { status: 'compileError', reason: 'not chosen' }
  return {
    init: async () => {},
    check: async (mutants) =>
      Object.fromEntries(mutants.map((one) => [one.id, isChosen(one) ? passed : heldBack])),
    group: async (mutants) => [mutants.map(({ id }) => id)],
  }
}
createChecker.inject = tokens(commonTokens.options)

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'chosen', createChecker)]
