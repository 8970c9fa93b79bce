import type { Capability } from '../kernel/capability.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import { TableQueries } from '../query/queries.ts'
import { Selection } from '../query/selection.ts'
import { conditionFrom } from '../query/where.ts'

type Given = Parameters<TableQueries['query']>[0]

const { query } = TableQueries.prototype
const { query: narrow } = Selection.prototype

const queries = {
  query(this: TableQueries, filter: Given, params?: unknown, options?: QueryOptions): Selection {
    const given = typeof filter === 'function' ? conditionFrom(this, filter) : filter
    return query.call(this, given, params, options)
  },
}
const selection = {
  query(this: Selection, filter: Given, params?: unknown, options?: QueryOptions): Selection {
    const given = typeof filter === 'function' ? conditionFrom(this.dataClass, filter) : filter
    return narrow.call(this, given, params, options)
  },
}

/** Functions as filters: `query((e) => e('salary', '>', 50_000))` of dataclasses and selections. */
export const typedQueries = {
  name: 'typedQueries',
  queries,
  selection,
} as const satisfies Capability
