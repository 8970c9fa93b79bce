import { hasRelevance, isRelevance, relevanceError, relevanceOf } from '../filter/bind-order-by.ts'
import type { ComparePredicate, KeywordTest, OrderBy, Predicate } from '../filter/predicate.ts'
import { searchOf } from '../plan/physical-plan.ts'
import type { Table } from '../storage/table.ts'
import type { WordIndex } from '../storage/word-index.ts'
import type { Database } from './database.ts'
import { Steps } from './steps.ts'
import { onceOf, type TimeSlices } from './time-slices.ts'
import { termsOf } from './word-search.ts'

// The customary parameters of BM25.
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75

/** A `%` condition that an index of words answers. */
type WordCondition = ComparePredicate & { readonly test: KeywordTest }

/** Adds the `%` conditions on attributes with an index of words, except negated ones. */
function addConditions(predicate: Predicate, found: WordCondition[]): void {
  if (predicate.kind === 'and' || predicate.kind === 'or')
    for (const part of predicate.parts) addConditions(part, found)
  else if (
    predicate.kind === 'compare' &&
    predicate.attribute.words &&
    predicate.test.op === 'keyword'
  )
    found.push(predicate as WordCondition)
}

/**
 * The relevance of each record for the words of some conditions, by record number; null if one of
 * the attributes has no index of its words. A word that is given twice counts once. All words with
 * the prefix of a search count as one word. Cost: O(entries of the words), and a number per record.
 *
 * Source  Robertson, Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with
 *         the idf of Lucene, which is never negative.
 */
function scoresOf(
  table: Table,
  conditions: readonly WordCondition[],
  slices: TimeSlices | null,
): Float64Array | null {
  const steps = Steps.in(slices, () => ['scores', table, conditions])
  const scores = steps.once(() => new Float64Array(table.length))
  const counted = new Set<string>()
  for (const { attribute, test } of conditions) {
    const index = table.indexes[attribute.ordinal]?.words ?? null
    if (index === null) return null
    const terms = termsOf(index, searchOf(test), slices)
    for (let i = 0; i < terms.length; i++) {
      const { key, isPrefix } = test.words[i]
      const name = `${attribute.ordinal} ${isPrefix} ${key}`
      if (counted.has(name)) continue
      counted.add(name)
      addScores(steps, scores, table, index, terms[i].codes)
    }
  }
  return scores
}

function addScores(
  steps: Steps,
  scores: Float64Array,
  table: Table,
  index: WordIndex,
  codes: readonly number[],
): void {
  const { lengths, total } = index
  const mean = total / table.liveCount
  const { slots, times } = occurrences(steps, table, index, codes)
  const idf = Math.log(1 + (table.liveCount - slots.length + 0.5) / (slots.length + 0.5))
  steps.loop(
    slots.length,
    () => scores,
    (out, from, to) => {
      for (let i = from; i < to; i++) {
        const slot = slots[i]
        const count = times[i]
        const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * lengths[slot]) / mean
        out[slot] += (idf * count * (SATURATION + 1)) / (count + SATURATION * length)
      }
    },
  )
}

/** The records that contain one of some words, and how often. */
function occurrences(
  steps: Steps,
  table: Table,
  { postings, repeats }: WordIndex,
  codes: readonly number[],
): { readonly slots: ArrayLike<number>; readonly times: ArrayLike<number> } {
  if (codes.length === 1) {
    const start = postings.start(codes[0])
    const slots = postings.data.subarray(start, start + postings.length(codes[0]))
    const times = new Int32Array(slots.length).fill(1)
    const end = repeats.start(codes[0]) + repeats.length(codes[0])
    for (let at = repeats.start(codes[0]), place = 0; at < end; at++) {
      while (slots[place] < repeats.data[at]) place++
      times[place]++
    }
    return { slots, times }
  }
  const none = (): Int32Array => new Int32Array(table.length)
  const counts = steps.loop(codes.length, none, (all, from, to) => {
    for (let i = from; i < to; i++)
      for (const lists of [postings, repeats]) {
        const start = lists.start(codes[i])
        const end = start + lists.length(codes[i])
        for (let at = start; at < end; at++) all[lists.data[at]]++
      }
  })
  const start = () => ({ slots: [] as number[], times: [] as number[] })
  return steps.loop(counts.length, start, ({ slots, times }, from, to) => {
    for (let slot = from; slot < to; slot++) {
      if (counts[slot] === 0) continue
      slots.push(slot)
      times.push(counts[slot])
    }
  })
}

/** The filter of a selection, and those of the selections that it was narrowed from. */
export interface Filters {
  readonly read: { readonly predicate: Predicate }
  readonly outer: Filters | null
}

/**
 * An order with the scores of the words in some filters, where it names `relevance`; any other
 * order as it is. `hidesRows`: some entities of the dataclass are hidden. Ties are in the order of
 * keys. Throws `attributeNotSortable` where there is no relevance.
 */
export function scoredOrder(
  database: Database,
  hidesRows: boolean,
  table: Table,
  orderBy: OrderBy,
  filters: Filters | null,
): OrderBy {
  if (!hasRelevance(orderBy)) return orderBy
  const { model } = table
  if (hidesRows)
    throw relevanceError(model, 'Scores count entities that are hidden here: use another order.')
  const conditions: WordCondition[] = []
  // A search without words, or with a condition that cannot hold, selects nothing to order.
  let isEmpty = false
  for (let at = filters; at !== null; at = at.outer) {
    const { predicate } = at.read
    addConditions(predicate, conditions)
    isEmpty ||= predicate.kind === 'constant' && !predicate.value
  }
  if (conditions.length === 0 && !isEmpty) throw relevanceError(model)
  const relevance = onceOf(database.slices, ['relevance', database, conditions], () =>
    relevanceOf(model, table.isWhole ? scoresOf(table, conditions, database.slices) : null),
  )
  if (relevance.scores === null)
    throw relevanceError(model, 'No index of words is kept here: use another order.')
  const terms = orderBy.map((term) =>
    isRelevance(term) ? { ...term, attribute: relevance } : term,
  )
  return [...terms, { steps: [], attribute: model.key, properties: [], descending: false }]
}
