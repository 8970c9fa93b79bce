import { EntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import { resolvePath } from '../model/path.ts'
import type { Table } from '../storage/table.ts'
import { formatDate } from '../value/date.ts'
import { isMedia } from '../value/media.ts'
import { attributeReader, relatedSlots } from './path-reader.ts'

/** A projection ready to run: what is read of each record, compiled once per dataclass and text. */
export interface Projection {
  /** One record as a plain object. */
  object(slot: number): Record<string, unknown>
  /** One record as JSON text. */
  text(slot: number): string
}

/** The names asked for at one level, in order; a relation with what is asked behind it. */
interface Level {
  readonly values: Map<string, string>
  readonly relations: Map<string, { readonly relation: RelationAttribute; readonly paths: string[] }>
}

/** Names that stand for what an entity has beside its attributes, unless an attribute is called so. */
const ENTITY_NAMES = new Set(['key', 'stamp', 'timestamp'])

/**
 * Compiles `name, employer.city, staff.*`; blank text or `*` means every value of the dataclass, relations left out.
 * Throws `attributeNotFound` and `attributeNotApplicable`.
 */
export function compileProjection(database: Database, dataClass: ClassModel, text: string): Projection {
  const level: Level = { values: new Map(), relations: new Map() }
  const paths = text.trim() === '' ? ['*'] : text.split(',').map((path) => path.trim())
  for (const path of paths) addPath(level, dataClass, path)
  const table = database.tableOf(dataClass)
  const values = [...level.values].map(([name, path]) => ({
    name,
    read: readerOf(database, table, path),
    text: textReader(database, table, path),
  }))
  const relations = [...level.relations].map(([name, { relation, paths: inner }]) => ({
    name,
    relation,
    inner: compileProjection(database, relation.target, inner.join(',')),
  }))
  const heads = [...values, ...relations].map((field, at) => `${at === 0 ? '{' : ','}${JSON.stringify(field.name)}:`)
  return {
    object(slot) {
      const out: Record<string, unknown> = {}
      for (const { name, read } of values) out[name] = read(slot)
      for (const { name, relation, inner } of relations) {
        const related = relatedSlots(database, relation, slot)
        if (relation.kind === 'relatedEntity') out[name] = related.length === 0 ? null : inner.object(related[0])
        else out[name] = Array.from(related, inner.object)
      }
      return out
    },
    text(slot) {
      let out = ''
      for (let i = 0; i < values.length; i++) out += heads[i] + values[i].text(slot)
      for (let i = 0; i < relations.length; i++) {
        const { relation, inner } = relations[i]
        const related = relatedSlots(database, relation, slot)
        out += heads[values.length + i]
        if (relation.kind === 'relatedEntity') out += related.length === 0 ? 'null' : inner.text(related[0])
        else out += `[${Array.from(related, inner.text).join(',')}]`
      }
      return out === '' ? '{}' : `${out}}`
    },
  }
}

function addPath(level: Level, dataClass: ClassModel, path: string): void {
  if (path === '*') {
    for (const attribute of dataClass.attributes.values()) {
      if (attribute.kind !== 'relatedEntity' && attribute.kind !== 'relatedEntities')
        level.values.set(attribute.name, attribute.name)
    }
    return
  }
  const dot = path.indexOf('.')
  const head = dot < 0 ? path : path.slice(0, dot)
  const attribute = dataClass.attributes.get(head)
  if (attribute === undefined) {
    if (dot < 0 && ENTITY_NAMES.has(head)) {
      level.values.set(head, head)
      return
    }
    throw new EntiaError('attributeNotFound', {
      dataClass: dataClass.name,
      attribute: head,
      known: [...dataClass.attributes.keys()],
    })
  }
  if (attribute.kind !== 'relatedEntity' && attribute.kind !== 'relatedEntities') {
    level.values.set(path, path)
    return
  }
  if (dot < 0) {
    throw new EntiaError('attributeNotApplicable', {
      dataClass: dataClass.name,
      attribute: head,
      use: 'a value of a projection',
      remedy: `Name what is wanted behind it: "${head}.*" or "${head}.<attribute>".`,
    })
  }
  const known = level.relations.get(head)
  if (known === undefined) level.relations.set(head, { relation: attribute, paths: [path.slice(dot + 1)] })
  else known.paths.push(path.slice(dot + 1))
}

function readerOf(database: Database, table: Table, path: string): (slot: number) => unknown {
  if (!table.model.attributes.has(path)) {
    if (path === 'key') return (slot) => table.read(slot, table.model.key.ordinal)
    if (path === 'stamp') return (slot) => table.stamps[slot]
    if (path === 'timestamp') return (slot) => formatDate(table.timestamps[slot], false)
  }
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
