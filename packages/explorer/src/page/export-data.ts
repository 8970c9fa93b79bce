import { selectionParameters, selectionPath } from './addresses.ts'
import type { Ask } from './api.ts'
import { cellText, deferredOf } from './field-value.ts'
import { type Attribute, attributeOf, type DataClass, listOf, membersOf } from './model.ts'
import type { RowsSet } from './rows-set.ts'

/** Comma-separated for files, tab-separated for the clipboard of spreadsheets. */
export type Format = 'csv' | 'tsv' | 'json'

const pageRows = 1000

/**
 * Reads rows page by page from their entity set, so that changes meanwhile neither repeat nor skip
 * an entity. Entities that are deleted meanwhile are left out.
 */
export async function exportAll(
  ask: Ask,
  rows: RowsSet,
  dataClass: DataClass,
  columns: readonly string[],
  format: Format,
  signal: AbortSignal,
  report: (done: number) => void,
): Promise<{ readonly content: Blob; readonly count: number }> {
  const attributes = columns
    .map((name) => attributeOf(dataClass, name))
    .filter((one): one is Attribute => one !== undefined && isExported(one))
  const path = selectionPath(rows.place)
  const names = attributes.map(({ name }) => name)
  const parts: string[] = [format === 'json' ? '[' : lineOf(names, format)]
  let count = 0
  for (let skip = 0; skip < rows.count; skip += pageRows) {
    report(skip)
    const request = {
      ...selectionParameters(rows.place),
      $attributes: names.join(','),
      $skip: skip,
      $top: pageRows,
    }
    const page = membersOf(await ask(path, { parameters: request, signal }))
    const found = listOf(page.__ENTITIES)
      .map(membersOf)
      .filter(({ __KEY }) => __KEY !== undefined)
    const lines = found.map((entity) =>
      format === 'json'
        ? `\n${JSON.stringify(
            Object.fromEntries(attributes.map((one) => [one.name, plain(entity[one.name], one)])),
          )}`
        : lineOf(
            attributes.map((one) => fieldOf(entity[one.name], one)),
            format,
          ),
    )
    if (lines.length > 0)
      parts.push(
        (format === 'json' && count > 0 ? ',' : '') + lines.join(format === 'json' ? ',' : ''),
      )
    count += lines.length
  }
  if (format === 'json') parts.push('\n]\n')
  const type = format === 'json' ? 'application/json' : 'text/csv;charset=utf-8'
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
function fieldOf(value: unknown, attribute: Attribute): string {
  const found = plain(value, attribute)
  if (found === null) return ''
  const text = typeof found === 'object' ? JSON.stringify(found) : String(found)
  return typeof found === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

/** A line of RFC 4180, with tabs as spreadsheets put them on the clipboard, or with commas. */
export function lineOf(cells: readonly string[], format: 'csv' | 'tsv'): string {
  const [sign, special] = format === 'csv' ? [',', /[",\r\n]/] : ['\t', /["\t\r\n]/]
  const quoted = cells.map((text) =>
    special.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  )
  return `${quoted.join(sign)}\r\n`
}
