import { type Parameters, queryOf } from './addresses.ts'

/** What the console asks for. */
export interface ConsoleQuery {
  readonly dataClass: string
  readonly filter: string
  /** The values of `:1`, `:2` … as a JSON list; empty for none. */
  readonly values: string
  readonly order: string
  /** With commas; empty for the stored values. */
  readonly attributes: string
}

/** Rows of an answer. */
export const consoleRows = 20

const most = 50

/** The browser storage key for the console of a store. */
export const consoleKey = (storeName: string): string => `entia console ${storeName}`

/** Reads stored queries, newest first. Skips invalid entries. */
export function queriesFrom(text: string | null): readonly ConsoleQuery[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(kept) ? kept.filter(isQuery).slice(0, most) : []
  } catch {
    return []
  }
}

function isQuery(one: unknown): one is ConsoleQuery {
  if (typeof one !== 'object' || one === null) return false
  const { dataClass, filter, values, order, attributes } = one as Partial<ConsoleQuery>
  return [dataClass, filter, values, order, attributes].every((each) => typeof each === 'string')
}

/** Adds a query: each one once, newest first, up to the limit of the history. */
export function withNewestQuery(
  queries: readonly ConsoleQuery[],
  query: ConsoleQuery,
): readonly ConsoleQuery[] {
  const text = JSON.stringify(query)
  return [query, ...queries.filter((one) => JSON.stringify(one) !== text)].slice(0, most)
}

/** What is wrong with the values; null for a JSON list and for none. */
export function problemOfValues(values: string): string | null {
  if (values.trim() === '') return null
  try {
    return Array.isArray(JSON.parse(values)) ? null : 'The values must be a JSON list.'
  } catch {
    return 'The values must be a JSON list, for example [50000, "Paris"].'
  }
}

export function parametersOf({ filter, values, order, attributes }: ConsoleQuery): Parameters {
  return {
    $filter: filter.trim() === '' ? undefined : `"${filter.trim()}"`,
    $params: values.trim() === '' ? undefined : values.trim(),
    $orderby: order.trim() || undefined,
    $attributes: attributes.trim() || undefined,
    $top: consoleRows,
  }
}

/** The request as a command of a shell. */
export function curlOf(origin: string, base: string, query: ConsoleQuery): string {
  const path = `${base}/${encodeURIComponent(query.dataClass)}`
  const address = `${origin}${path}${queryOf(parametersOf(query))}`
  return `curl -g '${address.replaceAll("'", '%27')}'`
}

/** The query as a program writes it, for the client and for stores. */
export function typeScriptOf({
  dataClass,
  filter,
  values,
  order,
  attributes,
}: ConsoleQuery): string {
  const given = values.trim() === '' ? '' : `, ${values.trim()}`
  const from = filter.trim() === '' ? 'all()' : `query(${textOf(filter.trim())}${given})`
  const sorted = order.trim() === '' ? '' : `.orderBy(${textOf(order.trim())})`
  const read =
    attributes.trim() === '' ? `.page(0, ${consoleRows})` : `.select(${textOf(attributes.trim())})`
  return `await db.${dataClass}.${from}${sorted}${read}`
}

/** A text of TypeScript in single quotes. */
function textOf(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
