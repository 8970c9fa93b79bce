import { type DataClass, defaultColumns } from './model.ts'
import type { Place } from './place.ts'

/** Widths of columns in pixels. */
const narrowest = 40
const widest = 900

/** The place with these columns; the default ones leave the address. */
export function withColumns(place: Place, dataClass: DataClass, columns: readonly string[]): Place {
  const isDefault = columns.join() === defaultColumns(dataClass).join()
  return columns.length === 0 ? place : { ...place, columns: isDefault ? null : columns }
}

/** The columns with one of them moved to the place of another. */
export function movedColumn(
  columns: readonly string[],
  from: number,
  to: number,
): readonly string[] {
  const name = columns[from]
  if (name === undefined || to < 0 || to >= columns.length) return columns
  const rest = columns.filter((_, at) => at !== from)
  return [...rest.slice(0, to), name, ...rest.slice(to)]
}

/** The place with another width of a column; null lets its content decide. */
export function withWidth(place: Place, name: string, width: number | null): Place {
  const others = place.widths.filter(([other]) => other !== name)
  return { ...place, widths: width === null ? others : [...others, [name, limited(width)]] }
}

export function limited(width: number): number {
  return Math.round(Math.max(narrowest, Math.min(widest, width)))
}

/** The style of the cells of a column. */
export function widthStyle({ widths }: Place, name: string) {
  const width = widths.find(([other]) => other === name)?.[1]
  if (width === undefined) return undefined
  const pixels = `${width}px`
  return { width: pixels, minWidth: pixels, maxWidth: pixels }
}
