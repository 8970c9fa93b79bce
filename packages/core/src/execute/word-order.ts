import type { WordColumn } from '../storage/column.ts'
import type { WordOrder } from '../storage/word-order.ts'
import { positionsInTurns } from './sort-in-turns.ts'
import type { Turns } from './turns.ts'

/** The order of a column's words. Where there is none yet and the read is carried out in turns, they are sorted in turns. */
export function wordOrder({ attribute, dictionary }: WordColumn, turns: Turns | null): WordOrder {
  if (turns === null || dictionary.hasOrder) return dictionary.order()
  const { keys } = dictionary
  const codes = dictionary.codes()
  const compare = (a: number, b: number): number => {
    const left = keys[codes[a]]
    const right = keys[codes[b]]
    return left < right ? -1 : left > right ? 1 : codes[a] - codes[b]
  }
  const positions = positionsInTurns(turns, ['words', attribute], codes, compare)
  return dictionary.order(Array.from(positions, (at) => codes[at]))
}
