/** The documents, updates and searches of the benchmarks of words: the same in every run. */
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '500' },
    /** An address such as `postgres://postgres@127.0.0.1/postgres`: measures over it instead. */
    postgres: { type: 'string', default: '' },
  },
})
export const COUNT = Number(values.documents)
export const ROUNDS = Number(values.rounds)
export const { postgres } = values
const WORDS_PER_DOCUMENT = 40
const VOCABULARY = 20_000

/** Numbers that are the same in every run. */
let state = 12345
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}
const letters = 'etaoinshrdlucmfwypvbgkjqxz'
const vocabulary = Array.from({ length: VOCABULARY }, (_, rank) => {
  let word = ''
  for (let left = rank + 26; left > 0; left = Math.floor(left / 26)) word += letters[left % 26]
  return `${word}${letters[rank % 7]}`
})
/** The frequency of a word falls with its rank, as in natural languages. */
const wordAt = () => vocabulary[Math.floor(VOCABULARY ** random()) - 1] ?? vocabulary[0]
const textOf = () => Array.from({ length: WORDS_PER_DOCUMENT }, wordAt).join(' ')
export const documents = Array.from({ length: COUNT }, (_, at) => ({ ID: at + 1, body: textOf() }))
export const updates = Array.from({ length: 1000 }, () => ({
  ID: 1 + Math.floor(random() * COUNT),
  body: textOf(),
}))

export const [frequent, common, rare] = [vocabulary[3], vocabulary[300], vocabulary[9000]]
export const prefix = vocabulary[700].slice(0, 2)
export const SEARCHES = {
  'count: a frequent word': [frequent],
  'count: a rare word': [rare],
  'count: two words': [frequent, common],
  'count: a prefix': [`${prefix}*`],
}

/** Milliseconds of the fastest round. A subject that is slow has few rounds. */
export async function timed(run) {
  let best = Number.POSITIVE_INFINITY
  const end = performance.now() + 1000
  for (let round = 0; round < 3 || (round < ROUNDS && performance.now() < end); round++) {
    const start = performance.now()
    await run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}
