import type { ConditionNode } from '@entia/core'
import { describe, expect, test } from 'vitest'
import { planHeader, renderQueryPlan } from '../../src/render/query-plan.ts'

const comparison = (
  attribute: string,
  operator: string,
  value: unknown,
  index: string | null = null,
): ConditionNode => ({
  kind: 'comparison',
  dataClass: 'Employee',
  attribute,
  operator,
  value,
  index,
  instance: 1,
})
const join = (part: ConditionNode, instance = 1): ConditionNode => ({
  kind: 'join',
  source: 'Employee',
  leftAttribute: 'employerID',
  target: 'Company',
  rightAttribute: 'ID',
  instance,
  part,
})

describe('query plans', () => {
  test('one comparison is the root', () => {
    expect(renderQueryPlan(comparison('salary', '>', 60))).toEqual({
      __queryPlan: { item: 'Employee.salary > 60' },
      __extendedQueryPlan: {
        type: 'SeqNode',
        field: 'salary',
        table: 'Employee',
        instance: 1,
        oper: ' > ',
        value: 60,
      },
    })
  })

  test('an indexed comparison names its index', () => {
    expect(renderQueryPlan(comparison('salary', '>', 60, 'Employee.salary'))).toEqual({
      __queryPlan: { item: '[index : Employee.salary ] > 60' },
      __extendedQueryPlan: {
        type: 'IndexNode',
        field: 'salary',
        table: 'Employee',
        instance: 1,
        oper: ' > ',
        value: 60,
        index: 'Employee.salary',
      },
    })
  })

  test('a conjunction lists indexed comparisons, joins, then the rest; a disjunction keeps its order', () => {
    const parts = [
      comparison('a', '=', 1),
      join(comparison('name', '===', 'x')),
      comparison('b', '=', 2, 'Employee.b'),
      comparison('c', '=', 3),
    ]
    const items = (kind: 'and' | 'or') => {
      const plan = renderQueryPlan({ kind, parts }).__queryPlan as Record<
        string,
        { readonly item: string }[]
      >
      return (plan.And ?? plan.Or)!.map(({ item }) => item.slice(0, 12))
    }
    expect(items('and')).toEqual(['[index : Emp', 'Join on Tabl', 'Employee.a =', 'Employee.c ='])
    expect(items('or')).toEqual(['Employee.a =', 'Join on Tabl', '[index : Emp', 'Employee.c ='])
  })

  test('negations, tests without a value and nested joins are shown', () => {
    const plan = renderQueryPlan({
      kind: 'not',
      part: join(join(comparison('name', 'is null', null), 2), 3),
    })
    expect(plan.__queryPlan).toEqual({
      Not: [
        {
          item: 'Join on Table : Company  :  Employee.employerID = Company.ID',
          subquery: [
            {
              item: 'Join on Table : Company  :  Employee.employerID = Company.ID',
              subquery: [{ item: 'Employee.name is null' }],
            },
          ],
        },
      ],
    })
    const extended = plan.__extendedQueryPlan as {
      parts: { joinPath: object[]; filter: { joinPath: object[] } }[]
    }
    expect(extended.parts[0]?.joinPath[0]).toMatchObject({ leftInstance: 1, rightInstance: 3 })
    expect(extended.parts[0]?.filter.joinPath[0]).toMatchObject({
      leftInstance: 3,
      rightInstance: 2,
    })
  })

  test('a join that only requires an entity has no inner condition', () => {
    const plan = renderQueryPlan(join({ kind: 'and', parts: [] }))
    expect(plan.__queryPlan).toEqual({
      item: 'Join on Table : Company  :  Employee.employerID = Company.ID',
    })
    expect(plan.__extendedQueryPlan).toMatchObject({ type: 'JoinNode', filter: {} })
  })

  test('without a condition both members are empty', () => {
    expect(renderQueryPlan(null)).toEqual({ __queryPlan: {}, __extendedQueryPlan: {} })
  })

  test('a header holds it in ASCII, cut at 8 KiB', () => {
    const header = planHeader(renderQueryPlan(comparison('name', '=', 'ü\r\nSet-Cookie: x')))
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(header).__extendedQueryPlan.value).toBe('ü\r\nSet-Cookie: x')
    expect(planHeader(renderQueryPlan(comparison('name', '=', 'ü'.repeat(9000))))).toHaveLength(
      8192,
    )
  })
})
