import { describe, expect, test } from 'vitest'
import { KnownParameters } from '../../src/request/known-parameters.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parseParameters } from '../../src/request/parameters.ts'

describe('known parameters', () => {
  test('are those of the query, however often and in whatever order it is repeated', () => {
    const known = new KnownParameters(DEFAULT_LIMITS)
    const queries = [
      '',
      ...Array.from({ length: 600 }, (_, at) => `$top=${at % 300}&$skip=${at % 7}`),
    ]
    for (const query of [...queries, ...queries])
      expect(known.of(query)).toEqual(parseParameters(query, DEFAULT_LIMITS))
  })

  test('a query that cannot be read is refused each time', () => {
    const known = new KnownParameters(DEFAULT_LIMITS)
    for (let times = 0; times < 3; times++) expect(() => known.of('$nothing=1')).toThrow('$nothing')
  })

  test('values of $params are parsed each time, since a function may modify them', () => {
    const known = new KnownParameters(DEFAULT_LIMITS)
    const first = known.of('$params=[[1]]').params as unknown[][]
    first[0]!.push(2)
    expect(known.of('$params=[[1]]').params).toEqual([[1]])
  })
})
