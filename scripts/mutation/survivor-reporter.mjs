/** A Stryker reporter that prints each survivor immediately, and the progress every 100 mutants. */
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { describeMutant, isSurvivor, isTested } from './mutant-name.mjs'

class SurvivorReporter {
  #tested = 0
  #survived = 0

  onMutantTested(result) {
    if (!isTested(result)) return
    this.#tested++
    if (isSurvivor(result)) {
      this.#survived++
      console.log(`${result.status}: ${describeMutant(result)}`)
    }
    if (this.#tested % 100 === 0) console.log(`${this.#tested} tested, ${this.#survived} survived`)
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Reporter, 'survivors', SurvivorReporter),
]
