import { where } from '@entia/core/query'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Condition } from '../src/index.ts'
import { openRemote } from './company.ts'

describe('a condition', () => {
  test('is sent as text and values, and adds to a template', async () => {
    const { remote, requests } = openRemote()
    const e = where(remote.Employee)
    const rich = remote.Employee.query(
      e('salary', '>', 20_000).and(e('employer.city', '=', 'Zürich')),
    )
    expect(await rich.count()).toBe(25)
    expect(requests.join('\n')).toContain(
      '$filter="salary > :1 and employer.city = :2"&$params=[20000,"Zürich"]',
    )
    const some = rich.query`ID < ${220}`.query(e('lastName', 'in', ['N203', 'N205', 'N249']))
    expect((await some.toArray()).map(({ ID }) => ID)).toEqual([204, 206])
  })

  test('works for both the store and the client', async () => {
    const { remote, store } = openRemote()
    const e = where(remote.Employee)
    expectTypeOf(e).toEqualTypeOf<ReturnType<typeof where<typeof store.Employee>>>()
    const conditions: readonly Condition<'Employee'>[] = [
      e('hired', '<', new Date('2020-03-01')).and(e('ID', '<=', 3)),
      e('employerName', 'begin', 'acm').except(e('salary', '>', 500)),
      e('lastName', '=', 'n00@')
        .and(e('notes.tags.length', '=', 0))
        .not()
        .and(e('ID', '<', 15)),
      e('boss', '=', null).and(e('title', '%', 'n007')),
      e.or(),
    ]
    for (const condition of conditions) {
      const found = await remote.Employee.query(condition).toArray()
      expect(found.map(({ ID }) => ID)).toEqual(store.Employee.query(condition).keys())
    }
  })

  test('and a template name mistakes as the store does', async () => {
    const { remote } = openRemote()
    const { Employee } = remote
    const refused = async (found: { count(): Promise<number> }, message: string) =>
      expect(found.count()).rejects.toThrow(message)
    await refused(Employee.query`lastName = '${'N007'}'`, 'The filter has :1 in quotes')
    await refused(Employee.query`employer = ${'Acme'}`, 'write a path, as in "employer.')
    await refused(Employee.query`ID = ${1} andd ID = 2`, '"andd" at character 9 where and, or')
    const { text, params } = where(Employee)('ID', '=', 1)
    const forged = { dataClass: 'Employee', text, params: [...params, 2] }
    await refused(Employee.query(forged as never), 'No filter uses parameter 2.')
  })

  test('that every entity satisfies adds no filter, so that remove() refuses it', async () => {
    const { remote } = openRemote()
    const all = where(remote.Employee).and()
    expect(await remote.Employee.query(all).count()).toBe(250)
    await expect(remote.Employee.query(all).remove()).rejects.toThrow('Add a filter')
  })

  test('with a name unknown to the server is refused by the server with its place', async () => {
    const { remote } = openRemote()
    // @ts-expect-error: misspelt
    const wrong = remote.Employee.query(where(remote.Employee)('employer.cty', '=', 'x'))
    await expect(wrong.count()).rejects.toThrow('"cty" attribute cannot be found')
  })

  test('is refused before a request if it is not valid', () => {
    const { remote, requests } = openRemote()
    const query = remote.Employee.query.bind(remote.Employee) as (given: unknown) => unknown
    expect(() => query('salary > 3')).toThrow('Write query`salary > 3` without parentheses')
    const other = where(remote.Company)('city', '=', 'x')
    for (const wrong of [() => true, other, undefined, null, {}, { text: 'ID > 1' }])
      expect(() => query(wrong)).toThrow('a template or a condition on Employee')
    expect(requests).toEqual([])
  })
})
