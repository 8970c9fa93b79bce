import type { AttributeFacts, ClassFacts } from './catalog.ts'
import { property } from './entity-interface.ts'

/** Envelope fields of an entity that say nothing about its data. */
const HIDDEN = new Set([
  '__entityModel',
  '__DATACLASS',
  '__TIMESTAMP',
  '__STATUS',
  '__GlobalStamp',
  'uri',
])

/**
 * An entity of the interface without its envelope: `__KEY`, `__STAMP` and its values. An expanded
 * to-many relation becomes a list, a to-one relation that is not expanded becomes its `__KEY`, and
 * a to-many relation that is not expanded is omitted. The values of object attributes stay as they
 * are, also where they look like the protocol.
 */
export function plainEntity(
  entity: unknown,
  model: ClassFacts,
  classes: readonly ClassFacts[],
): { readonly [name: string]: unknown } {
  const plain: [string, unknown][] = []
  for (const [name, value] of Object.entries(entity ?? {})) {
    const attribute = model.attributes.find((each) => each.name === name)
    if (attribute === undefined && HIDDEN.has(name)) continue
    const shown = attribute === undefined ? value : plainValue(value, attribute, classes)
    if (shown !== undefined) plain.push([name, shown])
  }
  return Object.fromEntries(plain)
}

const MEDIA = new Set(['image', 'blob'])

/**
 * A calendar date in ISO 8601, as filters and writes take it. The interface writes it as
 * `!!2024-01-31!!` or `31!1!2024`, and in aggregates with a time. Other values stay as they are.
 */
export function plainDate(value: unknown, attribute: AttributeFacts | null): unknown {
  if (attribute?.isDay !== true || typeof value !== 'string') return value
  const [, day, month, year] = /^(\d{1,2})!(\d{1,2})!([+-]\d{6}|\d{1,6})$/.exec(value) ?? []
  if (day !== undefined && month !== undefined && year !== undefined)
    return `${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return (/^!!(.{10,})!!$/.exec(value) ?? /^([^!]+)T/.exec(value))?.[1] ?? value
}

function plainValue(
  value: unknown,
  attribute: AttributeFacts,
  classes: readonly ClassFacts[],
): unknown {
  const { kind, type } = attribute
  if (attribute.isDay) return plainDate(value, attribute)
  const isRelation = kind === 'toOne' || kind === 'toMany'
  if (!isRelation && !MEDIA.has(type)) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const target = classes.find(({ name }) => name === type)
  const entities = property(value, '__ENTITIES')
  if (Array.isArray(entities)) {
    const count = property(value, '__COUNT')
    const rows = entities.map((each) => related(each, target, classes))
    return count === rows.length ? rows : { count, first: rows }
  }
  const deferred = property(value, '__deferred')
  if (deferred !== undefined) {
    const key = property(deferred, '__KEY')
    if (key !== undefined) return { __KEY: key }
    return property(deferred, 'image') === true ? '(image)' : undefined
  }
  return property(value, '__KEY') === undefined ? value : related(value, target, classes)
}

/** An entity behind a relation, whose dataclass the caller may not know. */
const related = (
  entity: unknown,
  target: ClassFacts | undefined,
  classes: readonly ClassFacts[],
): unknown => (target === undefined ? entity : plainEntity(entity, target, classes))

/** As many of the rows as their JSON fits in `maxCharacters`; at least none. */
export function fittingRows<T>(rows: readonly T[], maxCharacters: number): readonly T[] {
  let characters = 0
  const end = rows.findIndex((row) => {
    characters += JSON.stringify(row).length + 1
    return characters > maxCharacters
  })
  return end < 0 ? rows : rows.slice(0, end)
}
