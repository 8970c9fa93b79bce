import {
  type AttributeModel,
  type ClassModel,
  EntiaError,
  isEntiaError,
  type ToManyAttribute,
  type ToOneAttribute,
} from '@entia/core'
import { describeFound } from '@entia/core/internal'
import {
  type EntityReference,
  isMediaAttribute,
  isWritable,
  type KeyValue,
  type Names,
  type Precondition,
  typeOf,
  type ValueAttribute,
  type WriteItem,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { BodyEntity } from '../../request/body.ts'
import { refuseForeignNames } from '../../request/parameter-values.ts'
import { readMediaItem, type UploadsById } from '../media/media-write.ts'
import { parseKeyJson, referenceText } from '../resolve/entity-key.ts'

export interface WriteItemContext {
  readonly names: Names
  readonly dataClass: ClassModel
  readonly mode: 'update' | 'insert'
  /** The entity in the path, used if `__KEY` is missing. */
  readonly addressed: EntityReference | null
  readonly ifMatch: Precondition | null
  /** The base path of the interface, which addresses of images start with. */
  readonly basePath: string
  /** The uploads that the body names. */
  readonly uploads: UploadsById
}

/**
 * Reads one entity of a body. Reads declared, exposed attributes only. Names that start with `__`,
 * and `uri`, belong to the protocol and are never stored. The first problem becomes the item's
 * refusal.
 */
export function toWriteItem(body: BodyEntity, context: WriteItemContext): WriteItem {
  const { dataClass, names } = context
  const values = new Map<string, unknown>()
  // The entity in the path is the one that fails, even if the item is invalid.
  let reference = context.mode === 'insert' ? null : context.addressed
  let stamp: number | null = null
  let refusal: EntiaError | null = null
  let sorting: Sorting | null = null
  try {
    reference = referenceOf(body, context)
    refuseForeignNames(body.keys())
    if (reference !== null) stamp = parseStamp(dataClass, body.get('__STAMP'))
    const sorted: Sorting = { values, echoes: null, reference, context }
    sorting = sorted
    body.forEach((value, name) => {
      if (name.startsWith('__')) return
      const attribute = names.find(dataClass, name)
      if (attribute !== undefined) sort(attribute, value, sorted)
      else if (name !== 'uri') throw names.unknown(dataClass, name)
    })
  } catch (error) {
    if (!isEntiaError(error)) throw error
    refusal = error
  }
  const precondition = reference === null ? null : context.ifMatch
  const keyText =
    reference !== null
      ? referenceText(reference)
      : refusal !== null && isEntiaError(refusal, 'keyMalformed')
        ? refusal.details.key
        : null
  const echoes = sorting?.echoes ?? NO_ECHOES
  return { reference, keyText, refusal, stamp, precondition, values, echoes }
}

const NO_ECHOES: ReadonlyMap<string, unknown> = new Map()

/** The entity that `__KEY` and the path name; null for a new one. */
function referenceOf(
  body: BodyEntity,
  { dataClass, mode, addressed }: WriteItemContext,
): EntityReference | null {
  const json = body.get('__KEY')
  const isGiven = json !== undefined && json !== null
  if (mode === 'insert' && (isGiven || addressed !== null))
    throw restError('insertWithKey', { dataClass: dataClass.name })
  if (!isGiven) return addressed
  if (addressed !== null) refuseOtherKey(json, dataClass, addressed)
  return { kind: 'key', dataClass, key: parseKeyJson(dataClass, json) }
}

/** Refuses a `__KEY` that differs from the key in the address. Throws bodyMalformed. */
export function refuseOtherKey(
  json: unknown,
  dataClass: ClassModel,
  addressed: EntityReference | null,
): void {
  if (json === undefined || json === null || addressed === null) return
  let key: KeyValue
  try {
    key = parseKeyJson(dataClass, json)
  } catch (cause) {
    throw restError(
      'bodyMalformed',
      { problem: 'its __KEY is not the one in the address' },
      { cause },
    )
  }
  if (addressed.kind === 'key' && addressed.key === key) return
  throw restError('bodyMalformed', { problem: `its __KEY "${key}" is not the one in the address` })
}

/**
 * The `__STAMP` of an item; null if absent, in which case stamps are not compared. Throws
 * valueInvalid.
 */
export function parseStamp(dataClass: ClassModel, value: unknown): number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw new EntiaError('valueInvalid', {
    dataClass: dataClass.name,
    attribute: '__STAMP',
    expected: 'an integer',
    found: Array.isArray(value)
      ? 'an array'
      : typeof value === 'number'
        ? 'another number'
        : `a value of type ${typeof value}`,
  })
}

interface Sorting {
  readonly values: Map<string, unknown>
  /** Null while there are none: hardly any item has some. */
  echoes: Map<string, unknown> | null
  /** The entity that is written; null for a new one. */
  readonly reference: EntityReference | null
  readonly context: WriteItemContext
}

/** Sorts one value: to be written, to be compared with the stored one, or ignored. */
function sort(attribute: AttributeModel, value: unknown, sorting: Sorting): void {
  switch (attribute.kind) {
    case 'relatedEntities':
      if (!isEchoOfMany(value)) throw refusedMany(attribute, sorting.context.names)
      return
    case 'relatedEntity':
      sorting.values.set(attribute.name, toForeignKey(attribute, value))
      return
    default:
      if (isMediaAttribute(attribute)) sortMedia(attribute, value, sorting)
      else if (typeof value === 'string' && typeOf(attribute) === 'date')
        put(attribute, toDate(value), sorting)
      else put(attribute, value, sorting)
  }
}

/** Adds a value to write, or one that must equal the stored value. */
function put(attribute: ValueAttribute, value: unknown, sorting: Sorting): void {
  // In a new entity null has no effect for a computed attribute, and lets a key be generated.
  const storesNull = attribute.kind === 'storage' && !attribute.key
  if (sorting.reference === null && value === null && !storesNull) return
  if (isWritable(attribute)) sorting.values.set(attribute.name, value)
  else (sorting.echoes ??= new Map()).set(attribute.name, value)
}

/** True for the forms in which reads show related entities: null, their address, or a page. */
function isEchoOfMany(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null
  const members = new Map<string, unknown>(Object.entries(value))
  const deferred = members.get('__deferred')
  return (
    (typeof deferred === 'object' && deferred !== null) || Array.isArray(members.get('__ENTITIES'))
  )
}

function refusedMany({ name, owner, target, inverse }: ToManyAttribute, names: Names): EntiaError {
  const isKnown = names.find(target, inverse.name) !== undefined
  const remedy = `Related entities are saved on their own${isKnown ? `: set their "${inverse.name}"` : ''}.`
  return new EntiaError('attributeReadOnly', { dataClass: owner.name, attribute: name, remedy })
}

/** A relation is written as null, as a key, or as an object with the `__KEY` of a read form. */
function toForeignKey(relation: ToOneAttribute, value: unknown): unknown {
  const json = keyInside(value)
  if (json === null) return null
  // No entity has the empty key: the relation's target is missing.
  const { name, key } = relation.target
  if (json === '' && key.type === 'string') return ''
  try {
    return parseKeyJson(relation.target, json)
  } catch (cause) {
    throw new EntiaError(
      'valueInvalid',
      {
        dataClass: relation.owner.name,
        attribute: relation.name,
        expected: `null, a key (${key.type}) of "${name}", or an object with its __KEY`,
        found: describeFound(value),
      },
      { cause },
    )
  }
}

function keyInside(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = new Map(Object.entries(value))
  if (members.has('__KEY')) return members.get('__KEY')
  const deferred = members.get('__deferred')
  return typeof deferred === 'object' && deferred !== null && Object.hasOwn(deferred, '__KEY')
    ? keyInside(deferred)
    : value
}

/**
 * The content of images and BLOBs is sent to their own address or uploaded before; the body holds a
 * reference.
 */
function sortMedia(attribute: ValueAttribute, value: unknown, sorting: Sorting): void {
  const { reference, context } = sorting
  const { basePath, uploads } = context
  const item = readMediaItem(value, { attribute, basePath, reference, uploads })
  if (item.kind === 'value') put(attribute, item.value, sorting)
}

const SIMPLE_DATES =
  /^(?:!!(?<iso>(?:\d{4}|[+-]\d{6})-\d{2}-\d{2})!!|(?<day>\d{1,2})!(?<month>\d{1,2})!(?<year>\d{1,4}|[+-]\d{6}))$/

/** Converts the protocol's two date formats to ISO text. The engine checks that the day exists. */
function toDate(value: string): string {
  const parts = SIMPLE_DATES.exec(value)?.groups
  if (parts === undefined) return value
  if (parts.iso !== undefined) return parts.iso
  return `${parts.year!.padStart(4, '0')}-${parts.month!.padStart(2, '0')}-${parts.day!.padStart(2, '0')}`
}
