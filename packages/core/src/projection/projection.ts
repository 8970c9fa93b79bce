import { attributeReader, relatedReader } from '../entity/path-reader.ts'
import { EntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import type { AttributeModel, ClassModel, RelationAttribute } from '../model/catalog.ts'
import { everything, findAttribute, resolvePath, type Sees, unknownAttribute } from '../model/path.ts'
import type { Table } from '../storage/table.ts'
import { propertyAt } from '../value/json.ts'
import type { Json } from '../value/types.ts'
import { columnText, markText, type TextAppender, textOfEach, timestampReader, valueText } from './column-text.ts'
import { RecordTexts } from './record-texts.ts'

/** A projection ready to run: what is read of each record, compiled once per dataclass and text. */
export interface Projection {
  /** One record as a plain object. */
  object(slot: number): Record<string, unknown>
  /** Records as JSON text. */
  readonly texts: RecordTexts
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

/** One member of the result. `head` is what stands before its value in the text. */
interface Field {
  readonly name: string
  readonly read: (slot: number) => unknown
  readonly text: (head: string) => TextAppender
  /** It depends on the record alone. */
  readonly isOwn: boolean
}

/** Names that stand for what an entity has beside its attributes, unless an attribute is called so. */
const MARKS: ReadonlyMap<string, 'key' | 'stamp' | 'timestamp'> = new Map([
  ['key', 'key'],
  ['stamp', 'stamp'],
  ['timestamp', 'timestamp'],
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
  const pieces = fields.map(({ name, text }, at) => text(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`))
  return {
    object(slot) {
      const out: Record<string, unknown> = {}
      for (const { name, read } of fields) out[name] = read(slot)
      return out
    },
    texts: new RecordTexts(
      table,
      pieces,
      fields.length === 0 ? '{}' : '}',
      // What is compiled for a reader who may not see everything is soon gone again.
      database === database.whole && fields.every(({ isOwn }) => isOwn),
    ),
  }
}

function compileField(database: Database, table: Table, name: string, syntax: FieldSyntax, sees: Sees): Field {
  switch (syntax.kind) {
    case 'mark': {
      const mark = MARKS.get(name)!
      return { name, read: markReader(table, mark), text: (head) => markText(table, mark, head), isOwn: true }
    }
    case 'value':
      return valueField(database, table, name)
    case 'picked': {
      const whole = readerOf(database, table, name)
      const paths = outermost(syntax.paths)
      const read = (slot: number): unknown => pick(whole(slot) as Json, paths)
      const text = (head: string) => textOfEach(head, (slot) => JSON.stringify(read(slot)))
      return { name, read, text, isOwn: table.model.attributes.get(name)?.kind === 'storage' }
    }
    case 'related':
      return relatedField(database, name, syntax, sees)
  }
}

function relatedField(
  database: Database,
  name: string,
  { relation, paths }: Extract<FieldSyntax, { kind: 'related' }>,
  sees: Sees,
): Field {
  const { object, texts } = compileProjection(database, relation.target, paths.join(','), sees)
  const related = relatedReader(database, relation)
  if (relation.kind === 'relatedEntities') {
    const text = (head: string) => textOfEach(head, (slot) => `[${texts.of(related(slot)).join(',')}]`)
    return { name, read: (slot) => Array.from(related(slot), object), text, isOwn: false }
  }
  const read = (slot: number) => {
    const [found] = related(slot)
    return found === undefined ? null : object(found)
  }
  return { name, read, text: (head) => textOfEach(head, (slot) => texts.of(related(slot))[0] ?? 'null'), isOwn: false }
}

function isObject(attribute: AttributeModel): boolean {
  const target = attribute.kind === 'alias' ? attribute.target : attribute
  return 'type' in target && target.type === 'object'
}

/** Paths without those that lie below another one: what that one names holds them. */
function outermost(paths: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isBelow = (path: readonly string[], other: readonly string[]): boolean =>
    other.length < path.length && other.every((name, at) => name === path[at])
  return paths.filter((path) => !paths.some((other) => isBelow(path, other)))
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
  // "notes.*" is all that is in the object: the object.
  const isAll = behind.at(-1) === '*' && isObject(attribute)
  const below = isAll ? behind.slice(0, -1) : behind
  if (below.length === 0) level.set(head, { kind: 'value' })
  else {
    const { properties } = resolvePath(dataClass, [head, ...below].join('.'))
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

function markReader(table: Table, mark: 'key' | 'stamp' | 'timestamp'): (slot: number) => unknown {
  if (mark === 'timestamp') return timestampReader(table)
  return mark === 'stamp' ? (slot) => table.stamps[slot] : (slot) => table.read(slot, table.model.key.ordinal)
}

function valueField(database: Database, table: Table, name: string): Field {
  const read = readerOf(database, table, name)
  const attribute = findAttribute(table.model, name)
  return attribute?.kind === 'storage'
    ? { name, read, text: (head) => columnText(table, attribute.ordinal, head), isOwn: true }
    : { name, read, text: (head) => textOfEach(head, (slot) => valueText(read(slot))), isOwn: false }
}
