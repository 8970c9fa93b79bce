import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parameterReader, parseParameters } from '../../src/request/parameters.ts'

describe('known parameters', () => {
  test('are those of the query, however often and in whatever order it is repeated', () => {
    const read = parameterReader(DEFAULT_LIMITS)
    const queries = [
      '',
      ...Array.from({ length: 600 }, (_, at) => `$top=${at % 300}&$skip=${at % 7}`),
    ]
    for (const query of [...queries, ...queries])
      expect(read(query)).toEqual(parseParameters(query, DEFAULT_LIMITS))
  })

  test('a query that cannot be read is refused each time', () => {
    const read = parameterReader(DEFAULT_LIMITS)
    for (let times = 0; times < 3; times++) expect(() => read('$nothing=1')).toThrow('$nothing')
  })

  test('values of $params are parsed each time, since a function may modify them', () => {
    const read = parameterReader(DEFAULT_LIMITS)
    const first = read('$params=[[1]]').params as unknown[][]
    first[0]!.push(2)
    expect(read('$params=[[1]]').params).toEqual([[1]])
  })
})
