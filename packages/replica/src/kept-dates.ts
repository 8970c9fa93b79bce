import type { AnyDataStore, StorageAttribute } from '@entia/core'
import { type BatchItem, type BatchValues, formatDate } from '@entia/core/internal'
import { columnIn } from './contents.ts'
import type { DateForm, KeptItems } from './own-classes.ts'
import { storedValue } from './stored-value.ts'

// Dates are kept as numbers, of milliseconds or of days. Once the definitions have changed, such a
// number could be taken for another date, or a plain number for a date.

const formOf = ({ type, dateOnly }: StorageAttribute): DateForm | undefined =>
  type === 'date' ? (dateOnly ? 'day' : 'moment') : undefined

/** Items that are to be kept, by the definitions of now. Cost: O(values). */
export function keptItems({ catalog }: AnyDataStore, list: readonly BatchItem[]): KeptItems {
  const dates: { [path: string]: DateForm } = {}
  for (const item of list) {
    const model = catalog.byName.get(item.dataClass)
    for (const name of Object.keys(item.kind === 'remove' ? item.before : item.values)) {
      const column = model && columnIn(model, name)
      const form = column && formOf(column)
      if (form !== undefined) dates[`${item.dataClass}.${name}`] = form
    }
  }
  return { list, dates }
}

/**
 * Kept items with the dates that the definitions of now have. A value that is not one of them
 * becomes its text, which the server refuses by name. Cost: O(values).
 */
export function adaptedItems(store: AnyDataStore, { list, dates = {} }: KeptItems): KeptItems {
  const adapted = (dataClass: string, values: BatchValues): BatchValues => {
    const model = store.catalog.byName.get(dataClass)
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const column = model && columnIn(model, name)
        const form = dates[`${dataClass}.${name}`]
        if (column === undefined || typeof value !== 'number' || formOf(column) === form)
          return [name, value]
        return [name, form === undefined ? String(value) : dateAs(column, value, form)]
      }),
    )
  }
  return keptItems(
    store,
    list.map((item): BatchItem => {
      const { dataClass, kind } = item
      if (kind === 'insert') return { ...item, values: adapted(dataClass, item.values) }
      const before = adapted(dataClass, item.before)
      if (kind === 'remove') return { ...item, before }
      return { ...item, before, values: adapted(dataClass, item.values) }
    }),
  )
}

function dateAs(column: StorageAttribute, value: number, form: DateForm): unknown {
  const shown = formatDate(value, form === 'day')
  try {
    return storedValue(column, shown)
  } catch {
    return shown
  }
}
