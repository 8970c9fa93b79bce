import { literalOf } from './addresses.ts'
import type { DataClass } from './model.ts'

/** A filter as conditions that all hold, and its order. */
export interface FilterParts {
  readonly conditions: readonly string[]
  /** Whether its only condition has an outer `or` or `except`. */
  readonly isChoice: boolean
  /** `order by …`, or empty. */
  readonly order: string
}

const orderBy = /^order\s+by\b/i
const and = /^(?:and\b|&&?)/i
const other = /^(?:(?:or|except)\b|\|\|?|\^)/i
const closing: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])

/** Divides a filter at its outer `and`. One with an outer `or` or `except` is one condition. */
export function partsOf(filter: string): FilterParts {
  const conditions: string[] = []
  const open: string[] = []
  let from = 0
  let isDivided = true
  let order = ''
  const end = (at: number) => conditions.push(filter.slice(from, at).trim())
  let at = 0
  while (at < filter.length) {
    const sign = filter[at] ?? ''
    const rest = filter.slice(at)
    const isWordStart = at === 0 || /[\s)\]'"]/.test(filter[at - 1] ?? '') || !/\w/.test(sign)
    if (sign === "'" || sign === '"') {
      at = endOfQuote(filter, at)
      continue
    }
    if (closing.has(sign)) open.push(closing.get(sign) ?? '')
    else if (sign === open.at(-1)) open.pop()
    else if (open.length === 0 && isWordStart) {
      if (orderBy.test(rest)) {
        order = rest.trim()
        break
      }
      if (other.test(rest)) isDivided = false
      const joint = and.exec(rest)
      if (joint !== null) {
        end(at)
        at += joint[0].length
        from = at
        continue
      }
    }
    at++
  }
  end(at)
  const whole = filter.slice(0, at).trim()
  const found = isDivided ? conditions : [whole]
  return { conditions: found.filter(Boolean), isChoice: !isDivided, order }
}

/** The filter without one of its conditions. */
export function withoutCondition({ conditions, order }: FilterParts, index: number): string {
  const rest = conditions.filter((_, at) => at !== index).join(' and ')
  return [rest, order].filter(Boolean).join(' ')
}

function endOfQuote(filter: string, from: number): number {
  let at = from + 1
  while (at < filter.length && filter[at] !== filter[from]) at += filter[at] === '\\' ? 2 : 1
  return at + 1
}

/**
 * A condition for the entities with these words in one of their texts: by the index of words where
 * an attribute has one, anywhere in the text elsewhere. Null without texts.
 */
export function searchCondition(typed: string, { attributes }: DataClass): string | null {
  const words = typed.trim().split(/\s+/).filter(Boolean)
  const tests = attributes
    .filter(({ kind, type }) => kind === 'storage' && type === 'string')
    .map(({ name, words: hasWords }) =>
      hasWords
        ? `${name} % ${literalOf(words.map((word) => `${word}*`).join(' '))}`
        : `${name} = ${literalOf(`*${words.join(' ')}*`)}`,
    )
  if (words.length === 0 || tests.length === 0) return null
  return tests.length === 1 ? tests.join('') : `(${tests.join(' or ')})`
}
