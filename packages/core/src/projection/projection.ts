import { presentedReader } from '../entity/entity-factory.ts'
import { relatedReader } from '../entity/path-reader.ts'
import { type Database, recordFinder } from '../execute/database.ts'
import type { ClassModel } from '../model/catalog.ts'
import { everything, type Sees } from '../model/path.ts'
import type { TextForm } from '../model/text-form.ts'
import type { Table } from '../storage/table.ts'
import { propertyAt } from '../value/json.ts'
import type { Json } from '../value/types.ts'
import {
  columnText,
  stampText,
  type TextAppender,
  textOfEach,
  timestampReader,
  valueText,
} from './column-text.ts'
import { type Field, fieldOfPiece, fieldsOfPaths, type ValueAttribute } from './fields.ts'
import { RecordTexts } from './record-texts.ts'

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
 * unknown. Throws `attributeNotFound` and `attributeNotApplicable`.
 */
export function compileProjection(
  database: Database,
  dataClass: ClassModel,
  source: string | TextForm,
  sees: Sees = everything,
): Projection {
  const table = database.tableOf(dataClass)
  const members: Member[] = []
  const add = (name: string, head: string, field: Field): void => {
    members.push({ name, ...compileField(database, table, field, head, sees) })
  }
  if (typeof source === 'string') {
    for (const [name, field] of fieldsOfPaths(dataClass, source, sees))
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
      const read = (slot: number): Json => pick(whole(slot) as Json, paths)
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
      const { object, texts } = compileProjection(database, relation.target, paths.join(), sees)
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

/** Drops each path that lies below another one, whose value includes it. */
function outermost(paths: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isBelow = (path: readonly string[], other: readonly string[]): boolean =>
    other.length < path.length && other.every((name, at) => name === path[at])
  return paths.filter((path) => !paths.some((other) => isBelow(path, other)))
}

/** The named properties of an object, nested as they are in it; null for a missing one. */
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
