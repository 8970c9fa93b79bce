import type { EntiaError, SetOperator } from '@entia/core'
import { restError } from '../errors/rest-error.ts'

export type Method = 'delete' | 'entityset' | 'insert' | 'release' | 'subentityset' | 'update'
export type ComputeAction = 'all' | 'average' | 'count' | 'max' | 'min' | 'sum'
export type AnswerFormat = 'json' | 'dashboard'

/** One of several words. Throws what `onUnknown` makes. */
function wordOf<W>(
  words: Iterable<readonly [string, W]>,
  onUnknown: (found: string) => EntiaError,
) {
  const byName = new Map(words)
  return (value: string): W => {
    const word = byName.get(value)
    if (word === undefined) throw onUnknown(value.slice(0, 40))
    return word
  }
}

const pairs = <W extends string>(...words: readonly W[]): readonly (readonly [W, W])[] =>
  words.map((word) => [word, word])

export const methodOf = wordOf(
  pairs<Method>('delete', 'entityset', 'insert', 'release', 'subentityset', 'update'),
  (method) => restError('methodUnknown', { method }),
)
export const computeActionOf = wordOf<ComputeAction>(
  [['$all', 'all'], ...pairs<ComputeAction>('all', 'average', 'count', 'max', 'min', 'sum')],
  (action) => restError('computeActionUnknown', { action }),
)
export const formatOf = wordOf<AnswerFormat>(
  // An older name.
  [['looker', 'dashboard'], ...pairs<AnswerFormat>('json', 'dashboard')],
  (format) => restError('formatUnknown', { format }),
)
export const operatorOf = wordOf(
  pairs<SetOperator>('AND', 'OR', 'EXCEPT', 'INTERSECT'),
  (operator) => restError('logicOperatorUnknown', { operator }),
)
export const metadataOf = wordOf(pairs('full'), (found) =>
  restError('parameterInvalid', { parameter: '$metadata', expected: 'full', found }),
)
