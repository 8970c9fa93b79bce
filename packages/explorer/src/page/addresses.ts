import type { Place } from './place.ts'

/** Entities per page of the grid. */
export const pageSize = 50

/** Request parameters by their protocol name. */
export type Parameters = Readonly<Record<string, string | number | undefined>>

/** The path of an entity, relative to the base path: `Flight[7]`, `Person[%22Ann%20Lee%22]`. */
export function entityPath(dataClass: string, key: string): string {
  return `${encodeURIComponent(dataClass)}[${keyInAddress(key)}]`
}

/**
 * A key as the server writes it into addresses. Proxies change some characters even if they are
 * escaped: `~a~2Fb`.
 */
function keyInAddress(key: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(key)) return key
  const escaped = encodeURIComponent(key)
  if (!/[\p{Cc}/\\]/u.test(key)) return `%22${escaped}%22`
  const all = escaped.replace(
    /[.!~*'()]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `~${all.replaceAll('%', '~')}`
}

/**
 * The path of the selection at a place, relative to the base path: of a dataclass, an entity set or
 * a relation.
 */
export function selectionPath(place: Place): string {
  const dataClass = encodeURIComponent(place.dataClass ?? '')
  if (place.set !== null) return `${dataClass}/$entityset/${encodeURIComponent(place.set)}`
  const step = place.via.at(-1)
  if (step !== undefined)
    return `${entityPath(step.dataClass, step.key)}/${encodeURIComponent(step.relation)}`
  return dataClass
}

/** The filter and order of the selection. */
export function selectionParameters({ filter, order }: Place): Parameters {
  return {
    ...(filter.trim() === '' ? {} : { $filter: `"${filter}"` }),
    ...(order === '' ? {} : { $orderby: order }),
  }
}

/** `?$top=1&$filter=…` with percent-encoded values. */
export function queryOf(parameters: Parameters): string {
  const parts = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** A literal of the filter language. */
export function literalOf(text: string): string {
  return `'${text.replaceAll("'", '\\u0027')}'`
}

/** A filter parameter for the entities with one of these values at a path. */
export function anyOf(path: string, values: readonly string[]): string {
  return `"${path} isin [${values.map(literalOf).join(',')}]"`
}
