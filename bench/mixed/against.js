import { withReferenceBuild } from '../harness/against.js'
import { median } from '../harness/runner.js'
import { markdownTable } from '../harness/text-table.js'
import { runMix } from './mix-runner.js'

const subjectFile = 'bench/mixed/subjects/entia.js'
const subjectNeeds = [
  ...['bench/data.js', 'bench/data-classes.js', 'bench/package-version.js', 'bench/mixed/draws.js'],
  ...[
    'bench/mixed/ycsb-data.js',
    'bench/mixed/subjects/entia-figures.js',
    'bench/mixed/subjects/entia-records.js',
  ],
]

/**
 * Runs the mixes on this build and on that of a git reference, in one run with alternating rounds.
 * Throws if git does not know the commit, or if the build fails.
 * @param {import('./mix-options.js').MixOptions} options
 * @param {(step: object) => void} show
 * @returns {Promise<{ text: string, results: readonly import('./mix-runner.js').MixResult[] }>}
 */
export async function compareMixes(options, show) {
  const mixes = options.mixes.filter(({ isOverHttp }) => !isOverHttp)
  const results = []
  await withReferenceBuild(options.against, { subjectFile, subjectNeeds }, async (subjects) => {
    for (const [place, mix] of mixes.entries()) {
      const step = (doing) =>
        show({ workload: mix.id, done: place + 1, total: mixes.length, doing })
      results.push(await runMix(mix, { ...options, subjects }, step))
    }
  })
  return { text: comparisonTable(results), results }
}

function comparisonTable(results) {
  const rows = results.map(({ id, results: { before, now } }) => {
    const show = (cell) =>
      cell?.kind === 'measured' ? cell.perSecond.toFixed(0) : (cell?.reason ?? cell?.kind ?? 'n/a')
    if (before?.kind !== 'measured' || now?.kind !== 'measured')
      return [id, show(before), show(now), '-']
    const ratio = median(now.rounds.map((perSecond, round) => perSecond / before.rounds[round]))
    return [id, show(before), show(now), `${ratio.toFixed(2)}x`]
  })
  return markdownTable(['operations/s', 'before', 'now', 'now/before'], rows, 1)
}
