import { usedParameters } from '@entia/core/internal'
import { FilterText } from '@entia/engine'
import type { Parameters } from './parameters.ts'

/**
 * The parameters with filters of which each has only the values of `$params` that it uses itself.
 * The engine refuses what a filter does not use, so a filter alone needs no check here.
 * `takesValues`: a function takes them all. Throws parameterUnused.
 */
export function withOwnParams(
  parameters: Parameters,
  params: NonNullable<Parameters['params']>,
  takesValues: boolean,
): Parameters {
  const { filter, having, savedFilter } = parameters
  const filters = [filter, having, savedFilter].filter((each) => each !== null)
  if (!takesValues) {
    if (filters.length === 1) return parameters
    usedParameters(filters.map(({ text }) => text))?.check(params)
  }
  return { ...parameters, filter: own(filter), having: own(having), savedFilter: own(savedFilter) }
}

function own(filter: FilterText | null): FilterText | null {
  if (filter === null || filter.params === null) return filter
  const { text, params } = filter
  return new FilterText(text, usedParameters([text])?.only(params) ?? params)
}
