import { selectionParameters, selectionPath } from './addresses.ts'
import type { Ask } from './api.ts'
import { cellText, deferredOf } from './field-value.ts'
import { type Attribute, attributeOf, type DataClass, listOf, membersOf, textOf } from './model.ts'
import { type Place, placeOf } from './place.ts'

export type Format = 'csv' | 'json'

const pageRows = 1000

/**
 * Reads the whole selection page by page from an entity set, so that changes meanwhile neither
 * repeat nor skip an entity. Entities that are deleted meanwhile are left out.
 */
export async function exportAll(
  ask: Ask,
  place: Place,
  dataClass: DataClass,
  columns: readonly string[],
  format: Format,
  signal: AbortSignal,
  report: (done: number, of: number) => void,
): Promise<{ readonly content: Blob; readonly count: number }> {
  const attributes = columns
    .map((name) => attributeOf(dataClass, name))
    .filter((one): one is Attribute => one !== undefined && isExported(one))
  const parameters = { ...selectionParameters(place), $method: 'entityset', $top: 0 }
  const answer = membersOf(await ask(selectionPath(place), { parameters, signal }))
  const set = textOf(answer.__ENTITYSET).split('/').at(-1) ?? ''
  const path = selectionPath(placeOf(dataClass.name, { set }))
  const of = Number(answer.__COUNT)
  const parts: string[] = [format === 'csv' ? csvLine(attributes.map(({ name }) => name)) : '[']
  let count = 0
  try {
    for (let skip = 0; skip < of; skip += pageRows) {
      report(skip, of)
      const request = {
        $attributes: attributes.map(({ name }) => name).join(','),
        $skip: skip,
        $top: pageRows,
      }
      const page = membersOf(await ask(path, { parameters: request, signal }))
      const found = listOf(page.__ENTITIES)
        .map(membersOf)
        .filter(({ __KEY }) => __KEY !== undefined)
      const rows = found.map((entity) =>
        format === 'csv'
          ? csvLine(attributes.map((one) => csvText(entity[one.name], one)))
          : `\n${JSON.stringify(
              Object.fromEntries(attributes.map((one) => [one.name, plain(entity[one.name], one)])),
            )}`,
      )
      if (rows.length > 0)
        parts.push(
          (format === 'json' && count > 0 ? ',' : '') + rows.join(format === 'csv' ? '' : ','),
        )
      count += rows.length
    }
  } finally {
    if (set !== place.set) ask(path, { parameters: { $method: 'release' } }).catch(() => {})
  }
  if (format === 'json') parts.push('\n]\n')
  const type = format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json'
  return { content: new Blob(parts, { type }), count }
}

function isExported({ kind, type }: Attribute): boolean {
  return kind !== 'relatedEntities' && type !== 'image' && type !== 'blob'
}

function plain(value: unknown, attribute: Attribute): unknown {
  if (attribute.kind === 'relatedEntity') return deferredOf(value)?.key ?? null
  return attribute.dateOnly && value != null ? cellText(value, attribute) : (value ?? null)
}

/** Text that a spreadsheet would compute gets an apostrophe. Null is an empty field. */
function csvText(value: unknown, attribute: Attribute): string {
  const found = plain(value, attribute)
  if (found === null) return ''
  const text = typeof found === 'object' ? JSON.stringify(found) : String(found)
  return typeof found === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

/** A line of RFC 4180. */
export function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((text) =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  )
  return `${quoted.join(',')}\r\n`
}
