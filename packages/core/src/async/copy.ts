import type { AsyncMedia, Keyed } from '../model/async-call-types.ts'
import type { AttributeModel, ClassModel } from '../model/catalog.ts'
import {
  foreignKeyOf,
  isEntity,
  keyOf as keyOfEntity,
  stampOf as stampOfEntity,
  timestampOf,
} from '../model/entity.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import { isPlain } from '../value/json.ts'
import { isMedia, type Media } from '../value/types.ts'
import { inJson, isSameAsShown } from '../write/draft.ts'

/** The key and stamp of an entity as it was read. */
export interface Marks {
  readonly key: string | number
  readonly stamp?: number
}
/** The values of an object by name. */
export type Values = { [name: string]: unknown }

/**
 * Holds the marks of a copy whose dataclass has an attribute called `key` or `stamp`. The copies of
 * stores elsewhere use the same symbol, so that one `keyOf` works with all.
 */
const MARKS: symbol = Symbol.for('entia.marks')

/** An image or BLOB of a copy. */
class LocalMedia implements AsyncMedia {
  readonly mediaType: string
  readonly #media: Media

  constructor(media: Media) {
    this.mediaType = media.mediaType
    this.#media = media
  }
  async bytes(): Promise<Uint8Array> {
    return this.#media.bytes()
  }
  static mediaOf(value: LocalMedia): Media {
    return value.#media
  }
}

/** A value as copies show it: the caller's own, and what JSON makes of computed values. */
export const shown = (value: unknown): unknown =>
  isMedia(value) ? new LocalMedia(value) : inJson(value)

/** The copy of an entity. Throws what getters of computed attributes throw. */
export function copyOf(entity: AnyEntity, model: ClassModel): Values {
  const key = keyOfEntity(entity)
  const stamp = stampOfEntity(entity)
  const copy: Values = { key, stamp, timestamp: timestampOf(entity) }
  for (const attribute of model.attributes.values()) {
    if (attribute.kind !== 'relatedEntities')
      copy[attribute.name] = shown(storedValue(entity, attribute))
  }
  return hidesMarks(model) ? Object.assign(copy, { [MARKS]: { key, stamp } }) : copy
}

/** To-one relations as a reference. */
function storedValue(entity: AnyEntity, { kind, name }: AttributeModel): unknown {
  if (kind !== 'relatedEntity') return entity[name]
  const key = foreignKeyOf(entity, name)
  return key === null ? null : { key }
}

const hidesMarks = ({ attributes, key }: ClassModel): boolean =>
  attributes.has('stamp') || (attributes.has('key') && key.name !== 'key')

function carriedMarks(value: object): Marks | null {
  return MARKS in value ? (value[MARKS as keyof typeof value] as Marks) : null
}

/**
 * The marks of an entity as it was read, or of a key alone. Throws a TypeError if `key` is an
 * attribute of an object that was not read.
 */
export function marksIn(value: unknown, model: ClassModel): Marks {
  if (typeof value !== 'object' || value === null) return { key: value as string | number }
  const carried = carriedMarks(value)
  if (carried !== null) return carried
  if (!hidesMarks(model)) return value as Marks
  throw new TypeError(
    `${model.name} has an attribute called "key" or "stamp". Pass the entity as it was read, or its key alone.`,
  )
}

/** The marks of one of many changes: null for a new entity. */
export function marksOfChange(change: object, { attributes, key }: ClassModel): Marks | null {
  const carried = carriedMarks(change)
  if (carried !== null) return carried
  const given = new Map<string, unknown>(Object.entries(change))
  const mark = (name: string): unknown =>
    attributes.has(name) && key.name !== name ? undefined : given.get(name)
  const found = given.get('__KEY') ?? mark('key')
  if (found === undefined) return null
  const stamp = (given.get('__STAMP') ?? mark('stamp')) as number | undefined
  return { key: found as string | number, ...(stamp === undefined ? {} : { stamp }) }
}

const MARK_NAMES: ReadonlySet<string> = new Set(['key', 'stamp', 'timestamp', '__KEY', '__STAMP'])

/**
 * Lists and plain objects as copies; other values are themselves. A function may change what it is
 * given: that must not reach the caller, nor the next run of the function over a database.
 */
export function ownCopy(value: unknown, copies = new Map<object, object>()): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  const isList = Array.isArray(value)
  if (!isList && !isPlain(value)) return value
  const copy: object = isList ? [] : {}
  copies.set(value, copy)
  for (const [name, each] of Object.entries(value))
    Object.defineProperty(copy, name, {
      value: ownCopy(each, copies),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  return copy
}

/**
 * The values that a save takes. Values that only repeat those of `before` are left out: callers may
 * send a whole copy, with computed values and both halves of a relation. So is null for what a new
 * entity computes. `withoutMarks` drops the marks that are not attributes.
 */
export function inputOf(
  values: object,
  model: ClassModel,
  before: AnyEntity | undefined,
  withoutMarks = 'key' in values && 'stamp' in values && 'timestamp' in values,
): Values {
  const unset: Values = {}
  const computed: Values = {}
  const others: Values = {}
  for (const [name, value] of Object.entries(values)) {
    const attribute = model.attributes.get(name)
    if (attribute === undefined && withoutMarks && MARK_NAMES.has(name)) continue
    const given = attribute === undefined ? value : inputValue(value, attribute)
    if (attribute !== undefined && repeats(given, before, attribute)) continue
    if (attribute?.kind === 'calculated') computed[name] = given
    else if (before === undefined && given === null) unset[name] = given
    else others[name] = given
  }
  // What a setter derives must not replace a value that is given. Null in a new entity is none.
  return { ...unset, ...computed, ...others }
}

function inputValue(value: unknown, attribute: AttributeModel): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof LocalMedia) return LocalMedia.mediaOf(value)
  if (attribute.kind !== 'relatedEntity' || isEntity(value)) return value
  const carried = carriedMarks(value)
  if (carried !== null) return carried.key
  const isReference = !hidesMarks(attribute.target) || Object.keys(value).length === 1
  return isReference && 'key' in value ? value.key : value
}

function repeats(
  given: unknown,
  before: AnyEntity | undefined,
  attribute: AttributeModel,
): boolean {
  if (attribute.kind === 'relatedEntities') return given === null
  if (before === undefined)
    return given === null && (attribute.kind === 'calculated' || attribute.kind === 'alias')
  if (attribute.kind === 'relatedEntity') {
    const stored = foreignKeyOf(before, attribute.name)
    return isSameAsShown(attribute.foreignKey, given, stored)
  }
  const stored = storedOrNone(attribute, before)
  if (stored === UNREADABLE) return false
  return isMedia(stored) ? given === stored : isSameAsShown(attribute, given, stored)
}

const UNREADABLE = Symbol()

/** A value whose getter throws can still be set. */
function storedOrNone(attribute: AttributeModel, before: AnyEntity): unknown {
  if (attribute.kind !== 'calculated' || attribute.set === null) return before[attribute.name]
  try {
    return before[attribute.name]
  } catch {
    return UNREADABLE
  }
}

/**
 * The key of a copy, for any attribute names.
 *
 * @example
 * ```ts
 * import { asyncOf } from '@entia/core/async'
 * keyOf((await asyncOf(store).Employee.get(1))!) // → 1
 * ```
 */
export function keyOf<K extends string | number>(entity: Keyed<K>): K
export function keyOf(entity: object): string | number
export function keyOf(entity: object): string | number {
  return entityMarks(entity).key
}
/**
 * The stamp of a copy, for any attribute names.
 *
 * @example
 * ```ts
 * import { asyncOf } from '@entia/core/async'
 * stampOf((await asyncOf(store).Employee.get(1))!) // → 1
 * ```
 */
export const stampOf = (entity: object): number => entityMarks(entity).stamp as number

function entityMarks(entity: object): Marks {
  if (typeof entity !== 'object' || entity === null)
    throw new TypeError('keyOf and stampOf take an entity.')
  return carriedMarks(entity) ?? (entity as Marks)
}
