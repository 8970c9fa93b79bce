import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type {
  ConditionNode,
  ConditionTrace,
  Explain,
  ExplainNode,
} from '../../src/model/explain-types.ts'
import { indexSets, offices } from '../arbitraries.ts'
import { filters, orders, queries } from '../filter-arbitraries.ts'
import { patience, runs } from '../runs.ts'
import { type OfficeStore, officeOf, outcome, setIndexes } from './office-store.ts'

/** The indexes that a condition reports as read. */
function reported(condition: ConditionNode | null): readonly string[] {
  if (condition === null) return []
  switch (condition.kind) {
    case 'comparison':
      return condition.index === null ? [] : [condition.index]
    case 'and':
    case 'or':
      return condition.parts.flatMap(reported)
    default:
      return reported(condition.part)
  }
}

/**
 * The indexes that the operators of a plan read for comparisons; indexes of joins and orders answer
 * none.
 */
function read(node: ExplainNode): readonly string[] {
  const isComparison = ['keyLookup', 'postingList', 'wordSearch', 'indexRange'].includes(
    node.operator,
  )
  return [
    ...(isComparison && node.index !== null ? [node.index] : []),
    ...node.inputs.flatMap(read),
  ]
}

const names = (indexes: readonly string[]): readonly string[] => [...new Set(indexes)].sort()
const agrees = ({ condition, root }: Explain): void =>
  expect(names(reported(condition))).toEqual(names(read(root)))

interface Told {
  condition(): ConditionNode | null
  explain(): Explain
  readonly count: number
}

interface Asked {
  explain(text: string, params: unknown): Explain
  trace(text: string, params: unknown): { readonly root: ConditionTrace | null }
}

function mustAgree(selection: Told): void {
  agrees(selection.explain())
  // Both parts, regardless of other queries.
  const condition = selection.condition()
  expect(selection.count).toBeGreaterThanOrEqual(0)
  expect(condition).toEqual(selection.explain().condition)
}

describe('a condition names an index exactly if the executed plan reads it', () => {
  const pages = fc.tuple(fc.nat(3), fc.nat(5))

  test('for queries, orders, pages, parts of selections, and every plan', patience, () => {
    fc.assert(
      fc.property(
        offices(),
        indexSets,
        queries('Employee'),
        filters('Employee'),
        fc.option(orders('Employee')),
        pages,
        (data, indexes, first, second, order, [skip, top]) => {
          const store = officeOf(data, indexes)
          outcome(() => {
            const table = store.Employee as unknown as Asked & typeof store.Employee
            const selection = table.query(first.text, first.params)
            mustAgree(selection as unknown as Told)
            const ordered = order === null ? selection : selection.orderBy(order)
            mustAgree(ordered as unknown as Told)
            mustAgree(
              (ordered as unknown as { page(skip: number, top: number): Told }).page(skip, top),
            )
            mustAgree(ordered.query(second.text, second.params) as unknown as Told)
            agrees(table.explain(first.text, first.params))
            table.plans(first.text, first.params).forEach((each, plan) => {
              agrees(each)
              mustAgree(table.query(first.text, first.params, { plan }) as unknown as Told)
            })
            return []
          })
        },
      ),
      runs(150),
    )
  })

  test('after commits, and when indexes are created and dropped', patience, () => {
    fc.assert(
      fc.property(
        offices(),
        indexSets,
        indexSets,
        queries('Employee'),
        (data, before, after, query) => {
          const store: OfficeStore = officeOf(data, before)
          outcome(() => {
            const selection = store.Employee.query(query.text, query.params)
            setIndexes(store, after)
            mustAgree(selection as unknown as Told)
            return []
          })
        },
      ),
      runs(60),
    )
  })

  test('a trace names the indexes of its own queries', patience, () => {
    const steps = (trace: ConditionTrace): readonly ConditionTrace[] => [
      trace,
      ...trace.steps.flatMap(steps),
    ]
    fc.assert(
      fc.property(offices(), indexSets, queries('Employee'), (data, indexes, query) => {
        const store = officeOf(data, indexes)
        outcome(() => {
          const { root } = (store.Employee as unknown as Asked).trace(query.text, query.params)
          for (const { condition } of root === null ? [] : steps(root)) {
            if (condition.kind !== 'comparison' || condition.index === null) continue
            const [dataClass, attribute] = condition.index.split('.')
            expect([condition.dataClass, condition.attribute]).toEqual([dataClass, attribute])
          }
          return []
        })
      }),
      runs(40),
    )
  })
})
