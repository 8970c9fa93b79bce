import { selectionParameters, selectionPath } from './addresses.ts'
import { type Ask, Refusal } from './api.ts'
import { cellText, deferredOf } from './field-value.ts'
import { type Attribute, attributeOf, type DataClass, listOf, membersOf } from './model.ts'
import type { Members } from './reader.ts'
import type { RowsSet } from './rows-set.ts'

/** Comma-separated for files, tab-separated for the clipboard of spreadsheets. */
export type Format = 'csv' | 'tsv' | 'json'

/** Rows of the first page; the next ones have up to `maxRows`, while a page takes `pageTime`. */
const firstRows = 1000
const maxRows = 10_000
/** Milliseconds in which a page is read, so that the progress moves and a cancel is quick. */
const pageTime = 300

/**
 * Reads rows page by page from their entity set, so that changes meanwhile neither repeat nor skip
 * an entity. Entities that are deleted meanwhile are left out. The next page is read while one is
 * written. A page that is too expensive for the server is read in smaller ones.
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
  const exported = columns
    .map((name) => attributeOf(dataClass, name))
    .filter((one): one is Attribute => one !== undefined && isExported(one))
    .map((attribute) => columnOf(dataClass, attribute))
  const path = selectionPath(rows.place)
  const $attributes = exported.map(({ source }) => source).join(',')
  // Without time stamps and envelope, but numeric keys of relations are not texts then.
  const isArray = exported.every(({ isDeferred }) => !isDeferred)
  let size = firstRows
  const read = async ($skip: number): Promise<readonly unknown[]> => {
    const begun = performance.now()
    const parameters = {
      ...selectionParameters(rows.place),
      $attributes,
      $skip,
      $top: size,
      ...(isArray ? { $asArray: 'true' } : {}),
    }
    try {
      const answer = await ask(path, { parameters, signal })
      const found = listOf(isArray ? answer : membersOf(answer).__ENTITIES)
      const took = performance.now() - begun
      if (took < pageTime) size = Math.min(maxRows, size * 2)
      else if (took > 2 * pageTime) size = Math.max(1, size >> 1)
      return found
    } catch (error) {
      if (!(error instanceof Refusal) || !error.isTooExpensive || size === 1) throw error
      size = Math.max(1, size >> 2)
      return read($skip)
    }
  }
  const isJson = format === 'json'
  const names = exported.map(({ name }) => name)
  // Blobs, which the browser may keep outside of its memory.
  const parts: Blob[] = [new Blob([isJson ? '[' : lineOf(names, format)])]
  let count = 0
  let done = 0
  let next: Promise<readonly unknown[]> | null = rows.count > 0 ? read(0) : null
  report(0)
  while (next !== null) {
    const page = await next
    done += page.length
    next = done < rows.count && page.length > 0 ? read(done) : null
    // Awaited only after this page is written.
    next?.catch(() => {})
    const found = page.map(membersOf).filter(({ __KEY }) => __KEY !== undefined)
    const lines = found.map((entity) =>
      isJson
        ? `\n${JSON.stringify(plainOf(entity, exported))}`
        : lineOf(
            exported.map(({ plain }) => fieldOf(plain(entity))),
            format,
          ),
    )
    const separator = isJson && count > 0 && lines.length > 0 ? ',' : ''
    parts.push(new Blob([separator + lines.join(isJson ? ',' : '')]))
    count += lines.length
    report(done)
  }
  if (isJson) parts.push(new Blob(['\n]\n']))
  const type = isJson ? 'application/json' : 'text/csv;charset=utf-8'
  return { content: new Blob(parts, { type }), count }
}

function plainOf(entity: Members, columns: readonly Column[]): unknown {
  // Assignments take half the time of `Object.fromEntries`. No attribute is called `__proto__`.
  const row: Record<string, unknown> = {}
  for (const { name, plain } of columns) row[name] = plain(entity)
  return row
}

/** A column of the file. */
interface Column {
  readonly name: string
  /** Whether it is a relation, of which the server sends an address. */
  readonly isDeferred: boolean
  /** The attribute that is read. */
  readonly source: string
  readonly plain: (entity: Members) => unknown
}

/** Of a related entity its key: from the foreign key, if it shows the same and is shorter. */
function columnOf(dataClass: DataClass, attribute: Attribute): Column {
  const { name, kind, dateOnly } = attribute
  if (kind === 'relatedEntity') {
    const foreignKey = attributeOf(dataClass, attribute.foreignKey ?? '')
    if (foreignKey === undefined || !keyTypes.has(foreignKey.type))
      return {
        name,
        isDeferred: true,
        source: name,
        plain: (entity) => deferredOf(entity[name])?.key ?? null,
      }
    const source = foreignKey.name
    const plain: Column['plain'] = ({ [source]: key }) => (key == null ? null : String(key))
    return { name, isDeferred: false, source, plain }
  }
  const plain: Column['plain'] = dateOnly
    ? ({ [name]: value }) => (value == null ? null : cellText(value, attribute))
    : ({ [name]: value }) => value ?? null
  return { name, isDeferred: false, source: name, plain }
}

/** Types of keys whose texts are those of the values. */
const keyTypes: ReadonlySet<string> = new Set(['string', 'uuid', 'long', 'long64'])

function isExported({ kind, type }: Attribute): boolean {
  return kind !== 'relatedEntities' && type !== 'image' && type !== 'blob'
}

/** Text that a spreadsheet would compute gets an apostrophe. Null is an empty field. */
function fieldOf(value: unknown): string {
  if (value === null) return ''
  if (typeof value !== 'string')
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
}

/** A line of RFC 4180, with tabs as spreadsheets put them on the clipboard, or with commas. */
export function lineOf(cells: readonly string[], format: 'csv' | 'tsv'): string {
  const [sign, special] = format === 'csv' ? [',', /[",\r\n]/] : ['\t', /["\t\r\n]/]
  const quoted = cells.map((text) =>
    special.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  )
  return `${quoted.join(sign)}\r\n`
}
