import fc from 'fast-check'
import { FILTERS, ORDERS } from './league.ts'

/** The part of a selection that chains use. */
export interface Chained {
  readonly count: number
  readonly isSorted: boolean
  keys(): readonly unknown[]
  first(): { readonly ID: unknown } | undefined
  query(filter: string, params: readonly unknown[]): Chained
  orderBy(text: string): Chained
  page(skip: number, top: number): Chained
  and(other: Chained): Chained
  or(other: Chained): Chained
  except(other: Chained): Chained
  intersects(other: Chained): boolean
  clean(): Chained
}
export interface Chains {
  all(): Chained
  from(keys: readonly unknown[]): Chained
  query(filter: string, params: readonly unknown[]): Chained
}

type Asked = { readonly filter: number; readonly params: readonly unknown[] }
type Operation<W> =
  | ({ readonly op: 'query' } & Asked)
  | { readonly op: 'orderBy'; readonly by: number }
  | { readonly op: 'page'; readonly skip: number; readonly top: number }
  | { readonly op: 'and' | 'or' | 'except' | 'intersects'; readonly other: Chain<W> }
  | { readonly op: 'clean' | 'read' }
  | { readonly op: 'write'; readonly step: W }

/** A selection, and what is made of it; in between it may be read, and entities written. */
export interface Chain<W> {
  readonly from: readonly number[] | Asked | null
  readonly operations: readonly Operation<W>[]
}

/** `write`: what may happen between two operations. */
export function chainOf<W>(write: fc.Arbitrary<W>): fc.Arbitrary<Chain<W>> {
  const params = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom('ann', 'Bob', 'red'))
  const asked = fc.record({ filter: fc.nat(FILTERS.length - 1), params })
  const from = fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: asked },
    fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 }),
  )
  const query = asked.map((each) => ({ op: 'query' as const, ...each }))
  const orderBy = fc.record({ op: fc.constant('orderBy' as const), by: fc.nat(ORDERS.length - 1) })
  const small = fc.record({
    from,
    operations: fc.array(fc.oneof(query, orderBy), { maxLength: 2 }),
  })
  const operation: fc.Arbitrary<Operation<W>> = fc.oneof(
    { weight: 4, arbitrary: query },
    { weight: 2, arbitrary: orderBy },
    {
      weight: 3,
      arbitrary: fc.record({
        op: fc.constantFrom(
          'and' as const,
          'or' as const,
          'except' as const,
          'intersects' as const,
        ),
        other: small,
      }),
    },
    fc.record({ op: fc.constant('page' as const), skip: fc.nat(2), top: fc.nat(4) }),
    fc.record({ op: fc.constantFrom('clean' as const, 'read' as const) }),
    { weight: 2, arbitrary: write.map((step) => ({ op: 'write' as const, step })) },
  )
  return fc.record({ from, operations: fc.array(operation, { maxLength: 6 }) })
}

/**
 * What a chain finds on the way and at its end. Without an order of all members, the order of the
 * records is not compared, and there are no pages.
 */
export function found<W>(players: Chains, chain: Chain<W>, write: (step: W) => unknown): unknown[] {
  const seen: unknown[] = []
  const run = ({ from, operations }: Chain<W>): { at: Chained; isOrdered: boolean } => {
    let at =
      from === null
        ? players.all()
        : 'params' in from
          ? players.query(FILTERS[from.filter]!, from.params)
          : players.from(from)
    let isOrdered = from !== null && !('params' in from)
    for (const each of operations)
      switch (each.op) {
        case 'query':
          at = at.query(FILTERS[each.filter]!, each.params)
          break
        case 'orderBy':
          at = at.orderBy(ORDERS[each.by]!)
          isOrdered = true
          break
        case 'page':
          if (isOrdered) at = at.page(each.skip, each.top)
          break
        case 'intersects':
          seen.push(at.intersects(run(each.other).at))
          break
        case 'and':
        case 'except':
          at = at[each.op](run(each.other).at)
          break
        case 'or': {
          const other = run(each.other)
          at = at.or(other.at)
          isOrdered &&= other.isOrdered
          break
        }
        case 'clean':
          at = at.clean()
          break
        case 'read':
          seen.push(shown(at, isOrdered))
          break
        case 'write':
          seen.push(write(each.step))
      }
    return { at, isOrdered }
  }
  const { at, isOrdered } = run(chain)
  return [...seen, shown(at, isOrdered)]
}

function shown(at: Chained, isOrdered: boolean): unknown {
  const keys = at.keys()
  if (!isOrdered) return [at.count, [...keys].sort((a, b) => Number(a) - Number(b))]
  return [at.count, keys, at.first()?.ID]
}
