import { comparatorOf, keysInPasses } from '../execute/order-keys.ts'
import { bucketsOf, sortBuckets } from '../execute/sort-ranges.ts'
import { Steps } from '../execute/steps.ts'
import type { TimeSlices } from '../execute/time-slices.ts'
import { prepareFilter } from '../filter/bind-filter.ts'
import { bindOrderBy } from '../filter/bind-order-by.ts'
import type { FilterLimits } from '../filter/filter-errors.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { OrderBy, OrderTerm, Predicate, Scalar } from '../filter/predicate.ts'
import { isAscending } from '../storage/slot-sorter.ts'
import { describeFound, refused } from '../value/check-options.ts'
import { textKey } from '../value/compare.ts'
import { dateOrderKey } from '../value/date.ts'
import type { GroupTable } from './compute-groups.ts'
import { READS_RECORDS } from './members.ts'
import type { RowClass, RowColumn } from './row-class.ts'

/** What turns the groups of a grouping into those of another one. */
export type GroupStep =
  | {
      readonly kind: 'having'
      readonly predicate: Predicate
      /** What the predicate was bound from: each time slice binds one of its own. */
      readonly boundFrom: readonly unknown[]
    }
  | { readonly kind: 'sort'; readonly terms: OrderBy }
  | { readonly kind: 'page'; readonly skip: number; readonly top: number }

/** Binds a condition to the members of rows. Throws the errors of filters, `argumentInvalid`. */
export function bindHaving(
  rows: RowClass,
  limits: FilterLimits,
  text: unknown,
  parameters: FilterParameters | undefined,
): GroupStep {
  if (typeof text !== 'string') throw refused('The condition', 'text', describeFound(text))
  const { predicate, orderBy } = prepareFilter(text, rows.model, { limits }).bind(parameters)
  if (orderBy !== null)
    throw refused('The condition', 'one without an order', '"order by": call orderBy')
  refuseBareNames(predicate)
  return { kind: 'having', predicate, boundFrom: [text, parameters ?? null] }
}

/** Binds an order to the members of rows. Throws the errors of orders, `argumentInvalid`. */
export function bindGroupOrder(rows: RowClass, limits: FilterLimits, text: unknown): GroupStep {
  if (typeof text !== 'string') throw refused('The order', 'text', describeFound(text))
  return { kind: 'sort', terms: bindOrderBy(text, rows.model, { limits }) }
}

/** Refuses a comparison of a name that stands before values only, as `origin` in `origin.state`. */
function refuseBareNames(predicate: Predicate): void {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      for (const part of predicate.parts) refuseBareNames(part)
      return
    case 'not':
    case 'related':
      refuseBareNames(predicate.part)
      return
    case 'compare': {
      const { ordinal, owner } = predicate.attribute
      if (ordinal >= 0) return
      const name = owner.name.slice(owner.name.indexOf('.') + 1)
      throw refused('The condition', 'about values of a row', `about "${name}", which holds some`)
    }
  }
}

/** All groups, in the order of their values. */
export const allGroups = (slices: TimeSlices | null, table: GroupTable): Int32Array =>
  Steps.in(slices, () => ['all groups', table]).once(() => Int32Array.from(table.columns[0].keys()))

/** Applies a step to some groups, which have an order. */
export function applyStep(
  step: GroupStep,
  slices: TimeSlices | null,
  rows: RowClass,
  table: GroupTable,
  groups: Int32Array,
): Int32Array {
  const steps = Steps.in(slices, () => [stepKey(step, rows), table], groups)
  switch (step.kind) {
    case 'page':
      return steps.once(() => groups.slice(step.skip, step.skip + step.top))
    case 'sort':
      return orderGroups(steps, rows, table, step.terms, groups)
    case 'having': {
      const test = rows.rowTest(step.predicate, table)
      const start = (): Uint8Array => new Uint8Array(groups.length)
      const keep = (kept: Uint8Array, from: number, to: number): void => {
        for (let at = from; at < to; at++) kept[at] = test(groups[at]) ? 1 : 0
      }
      const isKept = steps.loop(groups.length, start, keep, READS_RECORDS)
      return steps.once(() => groups.filter((_, at) => isKept[at] === 1))
    }
  }
}

/**
 * What identifies a step in a sliced read. Every time slice binds conditions and orders to a row
 * class of its own.
 */
function stepKey(step: GroupStep, rows: RowClass): readonly unknown[] {
  switch (step.kind) {
    case 'page':
      return ['page', step.skip, step.top]
    case 'sort':
      return ['sort', step.terms.map((term) => [termName(term), term.descending])]
    case 'having':
      return ['having', rows.columns, step.boundFrom]
  }
}

/** Sorts some groups by columns of their rows. Ties have the order of the groups' values. */
function orderGroups(
  steps: Steps,
  rows: RowClass,
  table: GroupTable,
  terms: OrderBy,
  groups: Int32Array,
): Int32Array {
  const keys = terms.map((term) => {
    const name = termName(term)
    const at = rows.columns.findIndex((column) => column.name === name)
    // A property beside those in the rows is null in all of them.
    const keyAt = (place: number): Scalar | null =>
      at < 0 ? null : rowKey(rows.columns[at], table.columns[at][groups[place]])
    return steps.once(() => keysInPasses(steps, groups.length, keyAt))
  })
  const compare = comparatorOf(terms, keys, groups)
  const buckets =
    terms.length === 0 ? null : steps.run(() => bucketsOf(keys[0], terms[0].descending))
  const order = buckets?.places ?? steps.sort(groups.length, compare)
  // Distribution keeps groups with equal keys in their order.
  const isDone = buckets?.isExact && terms.length === 1 && steps.once(() => isAscending(groups))
  if (buckets !== null && !isDone) steps.run(() => sortBuckets(buckets, compare))
  return steps.once(() => order.map((at) => groups[at]))
}

const termName = ({ steps, attribute, properties }: OrderTerm): string =>
  [...steps.map(({ name }) => name), attribute.name, ...properties].join('.')

/** The comparison key of a value as rows show it. */
function rowKey({ type, collation }: RowColumn, value: unknown): Scalar | null {
  if (typeof value === 'string')
    return type === 'date' ? dateOrderKey(value) : textKey(value, collation)
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}
