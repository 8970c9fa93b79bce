import { EntiaError } from '../errors.ts'
import type {
  AttributeModel,
  ClassModel,
  RelationAttribute,
  StorageAttribute,
  ToOneAttribute,
} from '../model/catalog.ts'
import { findAttribute, isRelation, knownAttribute, resolvePath, type Sees } from '../model/path.ts'
import type { TextMarks, TextPiece } from '../model/text-form.ts'

export type ValueAttribute = Exclude<AttributeModel, RelationAttribute>

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
export function fieldsOfPaths(
  dataClass: ClassModel,
  text: string,
  sees: Sees,
): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  for (const path of text.trim() === '' ? ['*'] : text.split(','))
    addPath(fields, dataClass, path.trim(), sees)
  return fields
}

function addPath(
  fields: Map<string, Field>,
  dataClass: ClassModel,
  path: string,
  sees: Sees,
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
    if (behind.length === 0) {
      throw new EntiaError('attributeNotApplicable', {
        dataClass: dataClass.name,
        attribute: name,
        use: 'a value of a projection',
        remedy: `Name what is wanted behind it: "${name}.*" or "${name}.<attribute>".`,
      })
    }
    if (known?.kind === 'related') known.paths.push(behind.join('.'))
    else fields.set(name, { kind: 'related', relation: attribute, paths: [behind.join('.')] })
    return
  }
  const { type } = attribute.kind === 'alias' ? attribute.target : attribute
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
export function fieldOfPiece(dataClass: ClassModel, piece: TextPiece, sees: Sees): Field {
  if (piece.kind === 'relatedKey') {
    const relation = knownAttribute(dataClass, piece.relation, sees)
    if (relation.kind !== 'relatedEntity') throw notApplicable(relation, 'Name a to-one relation.')
    return { ...piece, relation }
  }
  const attribute =
    piece.attribute === null ? null : knownAttribute(dataClass, piece.attribute, sees)
  if (attribute !== null && attribute.kind !== 'storage')
    throw notApplicable(attribute, 'Name a stored attribute.')
  return { ...piece, attribute } as Field
}

const notApplicable = ({ owner, name }: AttributeModel, remedy: string): EntiaError =>
  new EntiaError('attributeNotApplicable', {
    dataClass: owner.name,
    attribute: name,
    use: 'a text form',
    remedy,
  })
