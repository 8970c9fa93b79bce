import { EntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import { everything, findAttribute, resolvePath, type Sees, unknownAttribute } from '../model/path.ts'
import type { Table } from '../storage/table.ts'
import { formatDate } from '../value/date.ts'
import { propertyAt } from '../value/json.ts'
import { isMedia } from '../value/media.ts'
import type { Json } from '../value/types.ts'
import { attributeReader, relatedReader } from './path-reader.ts'

/** A projection ready to run: what is read of each record, compiled once per dataclass and text. */
export interface Projection {
  /** One record as a plain object. */
  object(slot: number): Record<string, unknown>
  /** One record as JSON text. */
  text(slot: number): string
}

/** What is asked for at one level, by name, in the order of asking. */
type Level = Map<string, FieldSyntax>
type FieldSyntax =
  | { readonly kind: 'value' }
  /** What an entity has beside its attributes. */
  | { readonly kind: 'mark' }
  /** Properties of an object attribute. */
  | { readonly kind: 'picked'; readonly paths: string[][] }
  | { readonly kind: 'related'; readonly relation: RelationAttribute; readonly paths: string[] }

/** One member of the result. */
interface Field {
  readonly name: string
  readonly read: (slot: number) => unknown
  readonly text: (slot: number) => string
}

/** Names that stand for what an entity has beside its attributes, unless an attribute is called so. */
const MARKS: ReadonlyMap<string, (table: Table) => (slot: number) => unknown> = new Map([
  ['key', (table: Table) => (slot: number) => table.read(slot, table.model.key.ordinal)],
  ['stamp', (table: Table) => (slot: number) => table.stamps[slot]],
  ['timestamp', (table: Table) => (slot: number) => formatDate(table.timestamps[slot], false)],
])

/**
 * Compiles `name, spec.size, employer.city, staff.*`; blank text or `*` means every value of the dataclass, relations left out.
 * Properties of objects and what is behind relations come nested; attributes for which `sees` is false are unknown. Throws `attributeNotFound` and `attributeNotApplicable`.
 */
export function compileProjection(
  database: Database,
  dataClass: ClassModel,
  text: string,
  sees: Sees = everything,
): Projection {
  const level: Level = new Map()
  const paths = text.trim() === '' ? ['*'] : text.split(',').map((path) => path.trim())
  for (const path of paths) addPath(level, dataClass, path, sees)
  const table = database.tableOf(dataClass)
  const fields = [...level].map(([name, syntax]) => compileField(database, table, name, syntax, sees))
  const heads = fields.map(({ name }, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  return {
    object(slot) {
      const out: Record<string, unknown> = {}
      for (const { name, read } of fields) out[name] = read(slot)
      return out
    },
    text(slot) {
      let out = ''
      for (let i = 0; i < fields.length; i++) out += heads[i] + fields[i].text(slot)
      return out === '' ? '{}' : `${out}}`
    },
  }
}

function compileField(database: Database, table: Table, name: string, syntax: FieldSyntax, sees: Sees): Field {
  if (syntax.kind === 'mark') {
    const read = MARKS.get(name)!(table)
    return { name, read, text: (slot) => JSON.stringify(read(slot)) }
  }
  if (syntax.kind === 'value')
    return { name, read: readerOf(database, table, name), text: textReader(database, table, name) }
  if (syntax.kind === 'picked') {
    const whole = readerOf(database, table, name)
    const read = (slot: number): unknown => pick(whole(slot) as Json, syntax.paths)
    return { name, read, text: (slot) => JSON.stringify(read(slot)) }
  }
  const { relation, paths } = syntax
  const inner = compileProjection(database, relation.target, paths.join(','), sees)
  const related = relatedReader(database, relation)
  if (relation.kind === 'relatedEntities') {
    return {
      name,
      read: (slot) => Array.from(related(slot), inner.object),
      text: (slot) => `[${Array.from(related(slot), inner.text).join(',')}]`,
    }
  }
  const one = <R>(slot: number, none: R, found: (slot: number) => R): R => {
    const slots = related(slot)
    return slots.length === 0 ? none : found(slots[0])
  }
  return { name, read: (slot) => one<unknown>(slot, null, inner.object), text: (slot) => one(slot, 'null', inner.text) }
}

/** The named properties of an object, nested as they are in it; null for what is missing. */
function pick(json: Json, paths: readonly (readonly string[])[]): Json {
  if (json === null) return null
  const out: { [name: string]: Json } = {}
  for (const path of paths) {
    let at = out
    for (const name of path.slice(0, -1)) {
      const next = Object.hasOwn(at, name) ? at[name] : {}
      at[name] = next
      at = next as { [name: string]: Json }
    }
    at[path[path.length - 1]] = propertyAt(json, path) ?? null
  }
  return out
}

function addPath(level: Level, dataClass: ClassModel, path: string, sees: Sees): void {
  if (path === '*') {
    for (const attribute of dataClass.attributes.values()) {
      const { kind, name } = attribute
      if (kind !== 'relatedEntity' && kind !== 'relatedEntities' && sees(attribute)) level.set(name, { kind: 'value' })
    }
    return
  }
  const [head, ...behind] = path.split('.')
  const found = findAttribute(dataClass, head)
  const attribute = found !== undefined && sees(found) ? found : undefined
  if (attribute === undefined && behind.length === 0 && MARKS.has(head)) {
    level.set(head, { kind: 'mark' })
    return
  }
  if (attribute === undefined) throw unknownAttribute(dataClass, head, sees)
  const known = level.get(head)
  if (attribute.kind === 'relatedEntity' || attribute.kind === 'relatedEntities') {
    if (behind.length === 0) {
      throw new EntiaError('attributeNotApplicable', {
        dataClass: dataClass.name,
        attribute: head,
        use: 'a value of a projection',
        remedy: `Name what is wanted behind it: "${head}.*" or "${head}.<attribute>".`,
      })
    }
    if (known?.kind === 'related') known.paths.push(behind.join('.'))
    else level.set(head, { kind: 'related', relation: attribute, paths: [behind.join('.')] })
    return
  }
  if (behind.length === 0) level.set(head, { kind: 'value' })
  else {
    const { properties } = resolvePath(dataClass, path)
    if (known?.kind === 'picked') known.paths.push([...properties])
    // The whole object was asked for: its properties are in it.
    else if (known === undefined) level.set(head, { kind: 'picked', paths: [[...properties]] })
  }
}

function readerOf(database: Database, table: Table, path: string): (slot: number) => unknown {
  const resolved = resolvePath(table.model, path)
  if (resolved.steps.length === 0) return attributeReader(database, resolved)
  // An alias: its value is read through the entity.
  return (slot) => (database.entityAt(table, slot) as Record<string, unknown>)[path] ?? null
}

/** Text that needs no escape in JSON. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\ud7ff\ue000-\uffff]*$/
const quote = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

function textReader(database: Database, table: Table, path: string): (slot: number) => string {
  const attribute = table.model.attributes.get(path)
  if (attribute?.kind === 'storage') {
    const column = table.columns[attribute.ordinal]
    if (column.layout === 'number' && attribute.type !== 'date') {
      return (slot) => {
        const value = column.read(slot)
        return value === null ? 'null' : `${value}`
      }
    }
    if (column.layout === 'word') {
      const quoted: string[] = []
      return (slot) => {
        const code = column.codes[slot]
        return code === 0 ? 'null' : (quoted[code] ??= quote(column.dictionary.spellings[code]))
      }
    }
    if (column.layout === 'text') {
      return (slot) => {
        const value = column.spellings[slot]
        return value === null ? 'null' : quote(value)
      }
    }
    if (column.layout === 'bool')
      return (slot) => (column.data[slot] === 2 ? 'null' : column.data[slot] === 1 ? 'true' : 'false')
  }
  const read = readerOf(database, table, path)
  return (slot) => {
    const value = read(slot)
    if (typeof value === 'string') return quote(value)
    if (isMedia(value as never))
      return JSON.stringify({
        mediaType: (value as { mediaType: string }).mediaType,
        size: (value as { size: number }).size,
      })
    return JSON.stringify(value) ?? 'null'
  }
}
