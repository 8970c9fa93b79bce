import { property } from './entity-interface.ts'

/** Envelope fields of an entity that say nothing about its data. */
const HIDDEN = new Set(['__entityModel', '__DATACLASS', '__TIMESTAMP', '__STATUS', '__GlobalStamp'])

/**
 * An entity of the interface without its envelope: `__KEY`, `__STAMP` and its values. An expanded
 * to-many relation becomes a list, a to-one relation that is not expanded becomes its `__KEY`, and
 * a to-many relation that is not expanded is omitted.
 */
export function plainEntity(entity: unknown): { readonly [name: string]: unknown } {
  const plain: [string, unknown][] = []
  for (const [name, value] of Object.entries(entity ?? {})) {
    if (HIDDEN.has(name)) continue
    const shown = plainValue(value)
    if (shown !== undefined) plain.push([name, shown])
  }
  return Object.fromEntries(plain)
}

function plainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entities = property(value, '__ENTITIES')
  if (Array.isArray(entities)) {
    const count = property(value, '__COUNT')
    const rows = entities.map(plainEntity)
    return count === rows.length ? rows : { count, first: rows }
  }
  const deferred = property(value, '__deferred')
  if (deferred !== undefined) {
    const key = property(deferred, '__KEY')
    if (key !== undefined) return { __KEY: key }
    return property(deferred, 'image') === true ? '(image)' : undefined
  }
  return property(value, '__KEY') === undefined ? value : plainEntity(value)
}

/** As many of the rows as their JSON fits in `maxCharacters`; at least none. */
export function fittingRows<T>(rows: readonly T[], maxCharacters: number): readonly T[] {
  let characters = 0
  const end = rows.findIndex((row) => {
    characters += JSON.stringify(row).length + 1
    return characters > maxCharacters
  })
  return end < 0 ? rows : rows.slice(0, end)
}
