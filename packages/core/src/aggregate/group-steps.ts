import { compareKeys, keysInPasses, type OrderKeys, passOf } from '../execute/order-keys.ts'
import { recordTest } from '../execute/record-test.ts'
import { orderedPositions } from '../execute/sort.ts'
import { loopOf, onceOf, type TimeSlices } from '../execute/time-slices.ts'
import { prepareFilter } from '../filter/bind-filter.ts'
import { bindOrderBy } from '../filter/bind-order-by.ts'
import type { FilterLimits } from '../filter/limits.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { OrderBy, OrderTerm, Predicate, Scalar } from '../filter/predicate.ts'
import { describeFound, refused } from '../value/check-options.ts'
import { dateOrderKey } from '../value/date.ts'
import { textKey } from '../value/text-key.ts'
import type { GroupTable } from './compute-groups.ts'
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
  onceOf(
    slices,
    () => ['all groups', table],
    null,
    () => Int32Array.from({ length: table.count }, (_, group) => group),
  )

/** Applies a step to some groups, which have an order. */
export function applyStep(
  step: GroupStep,
  slices: TimeSlices | null,
  rows: RowClass,
  table: GroupTable,
  groups: Int32Array,
): Int32Array {
  switch (step.kind) {
    case 'page':
      return onceOf(
        slices,
        () => ['page of groups', step.skip, step.top],
        groups,
        () => groups.slice(step.skip, step.skip + step.top),
      )
    case 'sort':
      return orderGroups(slices, rows, table, step.terms, groups)
    case 'having': {
      const test = recordTest(step.predicate)
      const { view, moveTo } = rows.viewOf(table)
      const memoKey = () => ['having', rows.columns, step.boundFrom, table]
      const start = (): Uint8Array => new Uint8Array(groups.length)
      const isKept = loopOf(slices, memoKey, groups, groups.length, start, (kept, from, to) => {
        for (let at = from; at < to; at++) {
          moveTo(groups[at])
          kept[at] = test?.(view) === true ? 1 : 0
        }
      })
      return onceOf(
        slices,
        () => ['kept groups', memoKey()],
        groups,
        () => groups.filter((_, at) => isKept[at] === 1),
      )
    }
  }
}

/** Sorts some groups by columns of their rows. Ties have the order of the groups' values. */
function orderGroups(
  slices: TimeSlices | null,
  rows: RowClass,
  table: GroupTable,
  terms: OrderBy,
  groups: Int32Array,
): Int32Array {
  const memoKey = ['order of groups', terms.map(orderText), table]
  const keysOf = (term: OrderTerm, place: number): OrderKeys => {
    const name = nameOf(term)
    const at = rows.columns.findIndex((column) => column.name === name)
    const pass = passOf(slices, [memoKey, place], groups)
    // A property beside those in the rows is null in all of them.
    return keysInPasses(pass, groups.length, (place) =>
      at < 0 ? null : keyOf(rows.columns[at], table.columns[at][groups[place]]),
    )
  }
  const find = () => terms.map(keysOf)
  const keys = onceOf(slices, () => ['keys', memoKey], groups, find)
  const compare = (a: number, b: number): number => {
    for (let i = 0; i < terms.length; i++) {
      const order = compareKeys(keys[i], a, b)
      if (order !== 0) return terms[i].descending ? -order : order
    }
    return groups[a] - groups[b]
  }
  const order = orderedPositions(slices, memoKey, groups, compare)
  return onceOf(
    slices,
    () => ['ordered groups', memoKey],
    groups,
    () => order.map((at) => groups[at]),
  )
}

/** A term by its name: its attribute is of one grouping, which every time slice creates. */
const orderText = (term: OrderTerm): string => `${nameOf(term)}${term.descending ? ' desc' : ''}`

const nameOf = ({ steps, attribute, properties }: OrderTerm): string =>
  [...steps.map(({ name }) => name), attribute.name, ...properties].join('.')

/** The comparison key of a value as rows show it. */
function keyOf({ type, collation }: RowColumn, value: unknown): Scalar | null {
  if (typeof value === 'string')
    return type === 'date' ? dateOrderKey(value) : textKey(value, collation)
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}
