import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parseParameters } from '../../src/request/parameters.ts'
import { codeOf } from '../error-code.ts'

const parse = (query: string) => parseParameters(query, DEFAULT_LIMITS)

describe('parameters', () => {
  test('an empty query gives the defaults', () => {
    expect(parse('')).toEqual({
      filter: null,
      search: null,
      orderBy: null,
      top: null,
      skip: 0,
      attributes: null,
      expand: [],
      method: null,
      compute: null,
      distinct: false,
      groupBy: null,
      aggregates: null,
      having: null,
      asArray: false,
      format: 'json',
      queryPlan: false,
      queryPath: false,
      explain: false,
      atomic: false,
      isoTimestamps: false,
      refresh: false,
      timeoutSeconds: null,
      savedFilter: null,
      savedOrderBy: null,
      subOrderBy: null,
      logicOperator: null,
      otherCollection: null,
      clean: false,
      live: false,
      lock: null,
      imageFormat: null,
      version: null,
      binary: false,
      rawPict: null,
      emMethod: null,
      params: null,
      withPlus: new Set(),
      withoutDollar: null,
    })
  })

  test.each([
    ['$top=-1', 'parameterInvalid'],
    ['$top=abc', 'parameterInvalid'],
    ['$top=1.5', 'parameterInvalid'],
    ['$top=NaN', 'parameterInvalid'],
    ['$top=Infinity', 'parameterInvalid'],
    ['$top=1e999', 'parameterInvalid'],
    ['$top=', 'parameterInvalid'],
    ['$limit=-1', 'parameterInvalid'],
    ['$skip=abc', 'parameterInvalid'],
    ['$skip=1.5', 'parameterInvalid'],
    ['$top=5&$limit=6', 'parameterInvalid'],
    ['$top=5&$top=5', 'parameterTwice'],
    ['$filter=a=1&$filter=a=1', 'parameterTwice'],
    ['$filter[]=a', 'parameterUnknown'],
    ['$nosuch=1', 'parameterUnknown'],
    ['$Filter=a=1', 'parameterUnknown'],
    ['$__proto__=1', 'parameterUnknown'],
    ['$asArray=banana', 'parameterInvalid'],
    ['$asArray=TRUE', 'parameterInvalid'],
    ['$queryplan=banana', 'parameterInvalid'],
    ['$atomic=banana', 'parameterInvalid'],
    ['$atomic=true&$atOnce=false', 'parameterInvalid'],
    ['$method=nosuch', 'methodUnknown'],
    ['$method=__proto__', 'methodUnknown'],
    ['$compute=median', 'computeActionUnknown'],
    ['$compute=__proto__', 'computeActionUnknown'],
    ['$format=xml', 'formatUnknown'],
    ['$format=__proto__', 'formatUnknown'],
    ['$lock=banana', 'parameterInvalid'],
    ['$querypath=banana', 'parameterInvalid'],
    ['$timeout=0', 'parameterInvalid'],
    ['$timeout=-1', 'parameterInvalid'],
    ['$timeout=abc', 'parameterInvalid'],
    ['$timeout=1e30', 'parameterInvalid'],
    ['$logicOperator=XOR', 'logicOperatorUnknown'],
    ['$logicOperator=__proto__', 'logicOperatorUnknown'],
    ['$clean=banana', 'parameterInvalid'],
    ['$attributes=a,,b', 'parameterInvalid'],
    ['$attributes=,', 'parameterInvalid'],
    [`$attributes=${','.repeat(2000)}`, 'parameterInvalid'],
    [`$attributes=${Array.from({ length: 500 }, (_, i) => `a${i}`).join(',')}`, 'budgetExceeded'],
    [`$filter=${'a'.repeat(9000)}`, 'budgetExceeded'],
    ['$params=abc', 'parameterInvalid'],
    ['$params=["x"', 'parameterInvalid'],
    ['$params=42', 'parameterInvalid'],
    ['$params=null', 'parameterInvalid'],
    ['$params={"__proto__":1}', 'parameterInvalid'],
    ['$params=[1] [2]', 'parameterInvalid'],
    ['$params=[1e999]', 'parameterInvalid'],
    ['$params=["x"],["y"]', 'parameterInvalid'],
    [`$params='["x"],["y"]'`, 'parameterInvalid'],
    [`$params=${'['.repeat(5000)}${']'.repeat(5000)}`, 'parameterInvalid'],
    [`$params=[${'1,'.repeat(300)}1]`, 'budgetExceeded'],
  ])('%s is refused: %s', (query, code) => {
    expect(codeOf(() => parse(query))).toBe(code)
  })

  test('an unknown name is refused with the names that begin like it', () => {
    expect(() => parse('$filtr=a')).toThrow('Names are case-sensitive. Similar: $filter.')
    expect(() => parse('$orderBy=a')).toThrow(
      '"$orderBy" is unknown. Names are case-sensitive. Similar: $orderby.',
    )
    expect(() => parse('$nosuch=a')).toThrow(/Names are case-sensitive\.$/)
  })

  test('$top and $limit are equivalent; both may agree, and values above the maximum are reduced', () => {
    expect(parse('$limit=7').top).toBe(7)
    expect(parse('$top=5&$limit=5').top).toBe(5)
    expect(parse('$top=100000000000000000000').top).toBe(10_000)
    expect(parse('$top=0').top).toBe(0)
  })

  test('a negative $skip counts as 0, a huge one stays a number', () => {
    expect(parse('$skip=-5').skip).toBe(0)
    expect(parse('$skip=12').skip).toBe(12)
    expect(parse('$skip=999999999999999999999').skip).toBe(Number.MAX_SAFE_INTEGER)
  })

  test('booleans are true, 1, false and 0', () => {
    expect(parse('$asArray=1').asArray).toBe(true)
    expect(parse('$asArray=true').asArray).toBe(true)
    expect(parse('$asArray=0').asArray).toBe(false)
    expect(parse('$clean=false&$querypath=0').asArray).toBe(false)
  })

  test('every spelling of $atomic is equivalent', () => {
    for (const name of ['$atomic', '$atOnce', '$atonce'])
      expect(parse(`${name}=true`).atomic).toBe(true)
    expect(parse('$atomic=true&$atonce=true').atomic).toBe(true)
  })

  test('names without $ are ignored, also twice; the first that is a parameter without its $ is reported', () => {
    expect(parse('page=5&page=6&_="a"')).toEqual(parse(''))
    expect(parse('page=1&top=5&top=6&filter="a"')).toEqual({ ...parse(''), withoutDollar: 'top' })
  })

  test('values lose one pair of quotes, and * means all attributes', () => {
    expect(parse('$orderby="name desc"').orderBy).toBe('name desc')
    expect(parse('$attributes="a,b.c"').attributes).toEqual(['a', 'b.c'])
    expect(parse('$attributes=a,').attributes).toEqual(['a'])
    expect(parse('$attributes=*').attributes).toBeNull()
    expect(parse('$expand=staff,staff.employer').expand).toEqual(['staff', 'staff.employer'])
  })

  test('a blank filter counts as absent', () => {
    expect(parse('$filter=').filter).toBeNull()
    expect(parse('$filter="  "').filter).toBeNull()
  })

  test('a filter of two conditions in quotes keeps the quotes, and loses a pair around the whole', () => {
    const pieces = '"lastName=Smith" and "lastName!=Jones"'
    expect(parse(`$filter=${pieces}`).filter?.text).toBe(pieces)
    expect(parse('$filter="lastName=Smith"').filter?.text).toBe('lastName=Smith')
    expect(parse(`$filter=('a=1' or "a=2") and 'b>0'`).filter?.text).toBe(
      `('a=1' or "a=2") and 'b>0'`,
    )
    // Neither can be read: the one that can be read further is refused.
    expect(parse('$filter="a=1" and "b~2"').filter?.text).toBe('"a=1" and "b~2"')
    expect(parse('$filter="name = "x""').filter?.text).toBe('name = "x"')
  })

  test('$params is an array or an object by name', () => {
    expect(parse(`$filter=a=:1&$params='["ARON"]'`).filter).toMatchObject({
      text: 'a=:1',
      params: ['ARON'],
    })
    expect(parse(`$filter=a=:x&$params={"x":1}`).filter?.params).toEqual({ x: 1 })
  })

  test('an order is recognised at the end of a filter, but not inside a text value', () => {
    expect(parse('$filter=a=1 order by b desc').filter?.hasOrder).toBe(true)
    expect(parse(`$filter=(a='x')ORDER  BY b`).filter?.hasOrder).toBe(true)
    expect(parse(`$filter=a='my order by phone'`).filter?.hasOrder).toBe(false)
    expect(parse(`$filter=orderby=1`).filter?.hasOrder).toBe(false)
  })
})
