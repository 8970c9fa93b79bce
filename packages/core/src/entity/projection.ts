import { type Database, recordFinder } from '../execute/database.ts'
import type {
  AttributeModel,
  ClassModel,
  RelationAttribute,
  StorageAttribute,
  ToOneAttribute,
} from '../model/catalog.ts'
import {
  everything,
  findAttribute,
  isRelation,
  knownAttribute,
  notApplicable,
  type ResolvedPath,
  resolvePath,
  type Sees,
} from '../model/path.ts'
import type { TextForm, TextMarks, TextPiece } from '../model/selection-types.ts'
import type { Table } from '../storage/table.ts'
import { outermost, propertiesAt } from '../value/json.ts'
import type { Json } from '../value/types.ts'
import {
  columnText,
  RecordTexts,
  stampText,
  type TextAppender,
  textOfEach,
  timestampReader,
  valueText,
} from './column-text.ts'
import { presentedReader } from './entity-factory.ts'
import { relatedReader } from './path-reader.ts'

export type ValueAttribute = Exclude<AttributeModel, RelationAttribute>

/** Throws in a store that holds only some entities if it does not have the values of a path. */
type Held = (dataClass: ClassModel, path: Pick<ResolvedPath, 'steps' | 'attribute'>) => void

/** What is read of a record. Without `write` a value is written as JSON. */
export type Field =
  | {
      readonly kind: 'value'
      readonly attribute: ValueAttribute
      readonly write?: (value: unknown) => string
    }
  /** What an entity has beside its attributes. */
  | { readonly kind: 'stamp' | 'timestamp' }
  /** Written together with key, stamp and timestamp; without an attribute the value is null. */
  | {
      readonly kind: 'marked'
      readonly attribute: StorageAttribute | null
      readonly write: (value: unknown, marks: TextMarks) => string
    }
  /** Paths below an object attribute. */
  | {
      readonly kind: 'properties'
      readonly attribute: ValueAttribute
      readonly paths: (readonly string[])[]
    }
  | {
      readonly kind: 'relatedKey'
      readonly relation: ToOneAttribute
      readonly write: (key: string | number | null) => string
    }
  /** Paths of the related dataclass. */
  | { readonly kind: 'related'; readonly relation: RelationAttribute; readonly paths: string[] }

/**
 * Resolves `name, spec.size, employer.city, staff.*` to fields by name. Blank text and `*` mean
 * every value of the dataclass, without relations. `key`, `stamp` and `timestamp` are those of the
 * entity, unless an attribute has that name. Attributes for which `sees` is false are unknown.
 * Throws `attributeNotFound`, `attributeNotApplicable`.
 */
function fieldsOfPaths(
  dataClass: ClassModel,
  text: string,
  sees: Sees,
  held: Held,
): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  for (const path of text.trim() === '' ? ['*'] : text.split(','))
    addPath(fields, dataClass, path.trim(), sees, held)
  return fields
}

function addPath(
  fields: Map<string, Field>,
  dataClass: ClassModel,
  path: string,
  sees: Sees,
  held: Held,
): void {
  if (path === '*') {
    for (const attribute of dataClass.attributes.values())
      if (!isRelation(attribute) && sees(attribute))
        fields.set(attribute.name, { kind: 'value', attribute })
    return
  }
  const [name, ...behind] = path.split('.')
  const found = findAttribute(dataClass, name)
  const mark =
    behind.length > 0 || (found !== undefined && sees(found)) ? undefined : markOf(dataClass, name)
  if (mark !== undefined) {
    fields.set(name, mark)
    return
  }
  const attribute = knownAttribute(dataClass, name, sees)
  const known = fields.get(name)
  if (isRelation(attribute)) {
    if (behind.length === 0)
      throw notApplicable(
        dataClass.name,
        name,
        'a value of a projection',
        `Name what is wanted behind it: "${name}.*" or "${name}.<attribute>".`,
      )
    // A blank list would mean `*`.
    if (behind[0] === '') knownAttribute(attribute.target, '', sees)
    held(dataClass, { steps: [attribute], attribute: attribute.target.key })
    if (known?.kind === 'related') known.paths.push(behind.join('.'))
    else fields.set(name, { kind: 'related', relation: attribute, paths: [behind.join('.')] })
    return
  }
  const isAlias = attribute.kind === 'alias'
  held(
    dataClass,
    isAlias ? { ...attribute, attribute: attribute.target } : { steps: [], attribute },
  )
  const { type } = isAlias ? attribute.target : attribute
  // `notes.*` is the whole object.
  const below = type === 'object' && behind.at(-1) === '*' ? behind.slice(0, -1) : behind
  if (below.length === 0) fields.set(name, { kind: 'value', attribute })
  else {
    const { properties } = resolvePath(dataClass, [name, ...below].join('.'))
    if (known?.kind === 'properties') known.paths.push(properties)
    // A whole object includes its properties.
    else if (known === undefined)
      fields.set(name, { kind: 'properties', attribute, paths: [properties] })
  }
}

function markOf({ key }: ClassModel, name: string): Field | undefined {
  if (name === 'key') return { kind: 'value', attribute: key }
  return name === 'stamp' || name === 'timestamp' ? { kind: name } : undefined
}

/**
 * Resolves the names of a piece. Throws as `fieldsOfPaths`, and `attributeNotApplicable` for an
 * attribute that is not stored.
 */
function fieldOfPiece(dataClass: ClassModel, piece: TextPiece, sees: Sees): Field {
  if (piece.kind === 'relatedKey') {
    const relation = knownAttribute(dataClass, piece.relation, sees)
    if (relation.kind !== 'relatedEntity') throw notInForm(relation, 'Name a to-one relation.')
    return { ...piece, relation }
  }
  const attribute =
    piece.attribute === null ? null : knownAttribute(dataClass, piece.attribute, sees)
  if (attribute !== null && attribute.kind !== 'storage')
    throw notInForm(attribute, 'Name a stored attribute.')
  return { ...piece, attribute } as Field
}

const notInForm = ({ owner, name }: AttributeModel, remedy: string): Error =>
  notApplicable(owner.name, name, 'a text form', remedy)

/**
 * What is read of the records of one dataclass, compiled for one reader: both objects and text are
 * made from it.
 */
export interface Projection {
  /** One living record as a plain object. */
  object(slot: number): Record<string, unknown>
  readonly texts: RecordTexts
}

/** A field compiled for a table. */
interface Member {
  readonly name: string
  readonly read: (slot: number) => unknown
  readonly append: TextAppender
  /** The text depends on the record alone. */
  readonly isOwn: boolean
}

/**
 * Compiles a list of paths, or the form of an adapter. Attributes for which `sees` is false are
 * unknown. Throws `attributeNotFound` and `attributeNotApplicable`, and what `held` throws for a
 * path that is named.
 */
export function compileProjection(
  database: Database,
  dataClass: ClassModel,
  source: string | TextForm,
  sees: Sees = everything,
  held: Held = () => {},
): Projection {
  const table = database.tableOf(dataClass)
  const members: Member[] = []
  const add = (name: string, head: string, field: Field): void => {
    members.push({ name, ...compileField(database, table, field, head, sees, held) })
  }
  if (typeof source === 'string') {
    for (const [name, field] of fieldsOfPaths(dataClass, source, sees, held))
      add(name, `${members.length === 0 ? '{' : ','}${JSON.stringify(name)}:`, field)
  } else
    for (const piece of source.pieces) add('', piece.head, fieldOfPiece(dataClass, piece, sees))
  const end = typeof source !== 'string' ? source.end : members.length === 0 ? '{}' : '}'
  // What is compiled for a restricted reader is used for one read only.
  const isOwn = database === database.whole && members.every((member) => member.isOwn)
  return {
    object(slot) {
      const out: Record<string, unknown> = {}
      for (const { name, read } of members) out[name] = read(slot)
      return out
    },
    texts: new RecordTexts(
      table,
      members.map(({ append }) => append),
      end,
      isOwn,
    ),
  }
}

function compileField(
  database: Database,
  table: Table,
  field: Field,
  head: string,
  sees: Sees,
  held: Held,
): Omit<Member, 'name'> {
  switch (field.kind) {
    case 'value': {
      const { attribute, write } = field
      const read = valueReader(database, table, attribute)
      return attribute.kind === 'storage'
        ? { read, append: columnText(table, attribute.ordinal, head, write), isOwn: true }
        : { read, append: textOfEach(head, (slot) => valueText(read(slot))), isOwn: false }
    }
    case 'stamp':
      return { read: (slot) => table.stamps[slot], append: stampText(table, head), isOwn: true }
    case 'timestamp': {
      const read = timestampReader(table)
      return { read, append: textOfEach(head, (slot) => `"${read(slot)}"`), isOwn: true }
    }
    case 'marked': {
      const { attribute, write } = field
      const read = attribute === null ? () => null : presentedReader(table, attribute.ordinal)
      const keyOf = presentedReader(table, table.model.key.ordinal) as (
        slot: number,
      ) => string | number
      const timestampOf = timestampReader(table)
      const text = (slot: number): string =>
        write(read(slot), {
          key: keyOf(slot),
          stamp: table.stamps[slot],
          timestamp: timestampOf(slot),
        })
      return { read, append: textOfEach(head, text), isOwn: true }
    }
    case 'properties': {
      const { attribute } = field
      const paths = outermost(field.paths)
      const whole = valueReader(database, table, attribute)
      const read = (slot: number): Json => propertiesAt(whole(slot) as Json, paths)
      const append = textOfEach(head, (slot) => JSON.stringify(read(slot)))
      return { read, append, isOwn: attribute.kind === 'storage' }
    }
    case 'relatedKey': {
      const { foreignKey, target } = field.relation
      const write = field.write as (key: unknown) => string
      const find = recordFinder(database, target)
      const read = (slot: number): unknown => {
        const key = table.read(slot, foreignKey.ordinal)
        return find(key) < 0 ? null : key
      }
      // To a reader who sees everything, each foreign key leads to a record.
      const isWhole = database === database.whole
      const append = isWhole
        ? columnText(table, foreignKey.ordinal, head, write)
        : textOfEach(head, (slot) => write(read(slot)))
      return { read, append, isOwn: true }
    }
    case 'related': {
      const { relation, paths } = field
      const { object, texts } = compileProjection(
        database,
        relation.target,
        paths.join(),
        sees,
        held,
      )
      const related = relatedReader(database, relation)
      if (relation.kind === 'relatedEntities') {
        const append = textOfEach(head, (slot) => `[${texts.of(related(slot)).join(',')}]`)
        return { read: (slot) => Array.from(related(slot), object), append, isOwn: false }
      }
      const read = (slot: number) => {
        const [found] = related(slot)
        return found === undefined ? null : object(found)
      }
      return {
        read,
        append: textOfEach(head, (slot) => texts.of(related(slot))[0] ?? 'null'),
        isOwn: false,
      }
    }
  }
}

/** Reads a value as users see it: a computed or aliased one through the entity. */
function valueReader(
  database: Database,
  table: Table,
  attribute: ValueAttribute,
): (slot: number) => unknown {
  if (attribute.kind === 'storage') return presentedReader(table, attribute.ordinal)
  return (slot) =>
    (database.entityAt(table, slot) as Record<string, unknown>)[attribute.name] ?? null
}
