// The goals of the benchmark, as ratios within one run: to the best peer and to the hand-written
// baseline.

/**
 * @typedef {object} Lead
 * @property {readonly string[] | null} than   these peers; null for all others
 * @property {number} times the factor by which Entia is faster (or smaller) than the best of them
 *
 * @typedef {object} Goal
 * @property {readonly Lead[]} ahead
 * @property {number} withinBaseline              the largest allowed multiple of the baseline
 */

/** The goals hold for this size: at other sizes other costs dominate. */
export const goalsEmployeeCount = 100_000

const ofAll = null
/** Libraries for sets of record numbers. They offer nothing else. */
const setLibraries = ['roaring', 'roaring-wasm']

const lead = (times, than = ofAll) => ({ than, times })
/** @returns {Goal} */
const goal = (ahead, withinBaseline) => ({
  ahead: typeof ahead === 'number' ? [lead(ahead)] : ahead,
  withinBaseline,
})

/** By workload id. @type {ReadonlyMap<string, Goal>} */
export const goals = new Map([
  ['W1', goal(3, 2)],
  // SQLite stays smaller: the e-mail texts and their unique index are most of the size.
  ['W1m', goal([lead(0.83, ['sqljs']), lead(1 / 0.65, ['better-sqlite3'])], 1.3)],
  // LokiJS returns its own mutable row: a property read without a copy.
  ['W2', goal([lead(0.33, ['lokijs']), lead(1)], 1.75)],
  ['W2b', goal(1.5, 1.75)],
  // TinyBase returns an array that it maintains per value; there is no query.
  ['W3', goal([lead(1, ['tinybase']), lead(20)], 2)],
  ['W3e', goal(3, 2)],
  ['W4a', goal(2.5, 2.5)],
  ['W4b', goal(10, 2.5)],
  ['W4c', goal(60, 2.5)],
  ['W4ea', goal(3, 1.75)],
  ['W4eb', goal(4, 1.75)],
  ['W4ec', goal(12, 1.75)],
  ['W5', goal(15, 2)],
  ['W6', goal(8, 2)],
  ['W7', goal(20, 2.5)],
  ['W8a', goal(50, 2.5)],
  ['W8b', goal(25, 2)],
  ['W9', goal(10, 2.5)],
  ['W9e', goal(6, 1.75)],
  ['W10a', goal(2.5, 1.5)],
  ['W10b', goal(3.5, 1.5)],
  ['W11', goal(4, 2)],
  ['W20a', goal(2, 3.5)],
  ['W20b', goal(2, 2.5)],
  ['W20c', goal(1.5, 3.5)],
  ['W12a', goal([lead(1.25, setLibraries), lead(500)], 2)],
  ['W12b', goal([lead(1.5, setLibraries), lead(500)], 2)],
  ['W12c', goal([lead(2, setLibraries), lead(500)], 2)],
  ['W17', goal(2.5, 1.5)],
  ['W18a', goal(10, 5)],
  ['W18b', goal(8, 4)],
  ['W13', goal(2.5, 2)],
  ['W14', goal(2.5, 2.5)],
  ['W15a', goal(30, 15)],
  ['W15b', goal(3, 1.7)],
  ['W16', goal(3, 2)],
])

/**
 * @typedef {object} LeadFound
 * @property {string} peer     the best of the compared peers
 * @property {number} ratio    the factor by which Entia is ahead of it
 * @property {number} goal
 * @property {boolean} isReached
 */

/**
 * The leads of a value over the peers that were measured.
 * @param {Goal} goal
 * @param {number} ours                       the value of Entia; smaller is better
 * @param {ReadonlyMap<string, number>} peers
 * @returns {readonly LeadFound[]}            without leads over peers that were not measured
 */
export function leadsOf({ ahead }, ours, peers) {
  const named = new Set(ahead.flatMap(({ than }) => than ?? []))
  return ahead.flatMap(({ than, times }) => {
    const rivals = [...peers].filter(([name]) =>
      than === null ? !named.has(name) : than.includes(name),
    )
    if (rivals.length === 0) return []
    const [peer, value] = rivals.reduce((best, rival) => (rival[1] < best[1] ? rival : best))
    const ratio = value / ours
    return [{ peer, ratio, goal: times, isReached: ratio >= times }]
  })
}
