import { parseFilter } from '../../src/filter/parse-filter.ts'
import { evaluate, type Params } from './evaluate.ts'
import { orderBySyntax, orderRows } from './order.ts'
import type { PlainOffice, PlainRecord } from './plain-office.ts'

/**
 * The steps that create a selection of employees: from the dataclass, then from the previous
 * selection.
 */
export type Source =
  | { readonly kind: 'all' }
  | { readonly kind: 'query'; readonly text: string; readonly params: Params }
  | { readonly kind: 'from'; readonly keys: readonly number[] }
  | { readonly kind: 'step'; readonly of: Source; readonly step: Step }
export type Step =
  | { readonly kind: 'page'; readonly skip: number; readonly top: number }
  | { readonly kind: 'slice'; readonly start: number; readonly end: number }
  | { readonly kind: 'orderBy'; readonly text: string }
  | { readonly kind: 'query'; readonly text: string; readonly params: Params }
  | { readonly kind: 'and' | 'or' | 'except'; readonly other: Source }
  | { readonly kind: 'clean' }

/** The members of a selection of employees in its order, computed with plain arrays. */
export function membersOf(office: PlainOffice, source: Source): readonly PlainRecord[] {
  switch (source.kind) {
    case 'all':
      return office.living('Employee')
    case 'query': {
      const rows = orderBySyntax(
        office.data,
        'Employee',
        evaluate(office.data, 'Employee', source.text, source.params),
        parseFilter(source.text).orderBy,
      )
      return rows.map((row) => recordOf(office, row))
    }
    case 'from':
      return [...new Set(source.keys)].flatMap((key) => office.find('Employee', key) ?? [])
    case 'step':
      return stepped(office, membersOf(office, source.of), source.step)
  }
}

/** Applies a step to members, some of which may be removed: only pages and orders keep those. */
export function stepped(
  office: PlainOffice,
  members: readonly PlainRecord[],
  step: Step,
): readonly PlainRecord[] {
  const isLiving = (record: PlainRecord) => office.isLiving('Employee', record)
  const living = members.filter(isLiving)
  switch (step.kind) {
    case 'page':
      return members.slice(step.skip, step.skip + step.top)
    case 'slice':
      return members.slice(step.start, step.end)
    case 'clean':
      return living
    case 'orderBy': {
      // Ties are in record order, whatever the previous order was; removed members come last.
      const rows = office
        .living('Employee')
        .filter((record) => members.includes(record))
        .map(({ row }) => row)
      const ordered = orderRows(office.data, 'Employee', rows, step.text).map((row) =>
        recordOf(office, row),
      )
      return [...ordered, ...members.filter((record) => !isLiving(record))]
    }
    case 'query': {
      const found = membersOf(office, { ...step, kind: 'query' })
      const isOrdered = parseFilter(step.text).orderBy !== null
      return isOrdered
        ? found.filter((record) => living.includes(record))
        : living.filter((record) => found.includes(record))
    }
    default: {
      const other = membersOf(office, step.other).filter(isLiving)
      if (step.kind === 'and') return living.filter((record) => other.includes(record))
      if (step.kind === 'except') return living.filter((record) => !other.includes(record))
      return [...living, ...other.filter((record) => !living.includes(record))]
    }
  }
}

function recordOf(office: PlainOffice, row: PlainRecord['row']): PlainRecord {
  const record = office.living('Employee').find((candidate) => candidate.row === row)
  if (record === undefined) throw new Error('no record has this row')
  return record
}
