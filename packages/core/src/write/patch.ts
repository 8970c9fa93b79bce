import { EntiaError } from '../errors.ts'
import type {
  ClassModel,
  ComputedAttribute,
  StorageAttribute,
  ToOneAttribute,
} from '../model/catalog.ts'
import { modelOfEntity } from '../model/entity.ts'
import { describeFound, isAttributes, refused } from '../value/check-options.ts'
import { coerceInput, Refusal } from '../value/coerce.ts'
import { present, sameValue } from '../value/compare.ts'
import type { StoredValue } from '../value/types.ts'
import { invalidRelation, invalidValue, readOnly, unknownName } from './rules.ts'
import { callUserCode } from './write-errors.ts'

/** Reads one value for a storage attribute. Throws `valueInvalid`. */
export function readValue(attribute: StorageAttribute, input: unknown): StoredValue {
  const value = coerceInput(attribute.type, attribute.dateOnly, input)
  // The test of the type spares most values a search of prototypes.
  if (typeof value === 'object' && value instanceof Refusal)
    throw invalidValue(attribute, value.expected, value.found)
  return value
}

/**
 * Reads one value for a to-one relation as the target's key. The value is a key, null, or an entity
 * (an object that has the key attribute as an own property). Throws `valueInvalid`.
 */
export function readForeignKey(relation: ToOneAttribute, input: unknown): StoredValue {
  const { key } = relation.target
  let given = input
  if (typeof input === 'object' && input !== null) {
    const model = modelOfEntity(input)
    if (model !== null && model !== relation.target) {
      throw invalidRelation(
        relation,
        model.name === relation.target.name
          ? 'an entity of another store'
          : `an entity of "${model.name}"`,
      )
    }
    if (!Object.hasOwn(input, key.name)) throw invalidRelation(relation, describeFound(input))
    given = (input as { readonly [name: string]: unknown })[key.name]
    if (given === null || given === undefined)
      throw invalidRelation(relation, 'an entity without a key')
  }
  const value = coerceInput(key.type, key.dateOnly, given)
  if (value instanceof Refusal) throw invalidRelation(relation, describeFound(given))
  return value
}

/**
 * A value as an entity would show it after a save: coerced to the attribute's type, dates as text.
 * Checks no rules. Throws `valueInvalid`.
 *
 * @internal For other packages of Entia.
 */
export function checkedValue(
  attribute: StorageAttribute | ComputedAttribute,
  input: unknown,
): unknown {
  const { type, dateOnly } = attribute
  const stored = coerceInput(type, dateOnly, input)
  if (stored instanceof Refusal) throw invalidValue(attribute, stored.expected, stored.found)
  return present(type, dateOnly, stored)
}

/** Columns and their new stored values, by place; no column twice. */
export interface Patch {
  readonly ordinals: readonly number[]
  readonly values: StoredValue[]
}

/** How deep setters of computed attributes may nest. */
const MAX_SETTER_DEPTH = 8

/**
 * Reads the values for an entity: declared attributes only, each coerced to its type. `undefined`
 * counts as absent. Throws `attributeNotFound`, `attributeReadOnly` (computed without setter,
 * alias, to-many), `valueInvalid`, `argumentInvalid`. It accepts readOnly attributes and keys: the
 * caller decides whether they may change.
 */
export function readPatch(model: ClassModel, input: unknown): Patch {
  return new PatchDraft().read(model, input).resolve().take()
}

/**
 * Reads an input completely before the write begins: it may be code (getters, proxies) that writes
 * to the store.
 */
export const readGiven = (model: ClassModel, input: unknown): PatchDraft =>
  input instanceof PatchDraft ? input : new PatchDraft().read(model, input)

/** A setter to run after the whole input is read. */
interface PendingSetter {
  readonly attribute: ComputedAttribute
  readonly given: unknown
  /** The number of columns before it. */
  readonly place: number
}

/**
 * A reusable buffer in which a patch is read and compared. Only the first `count` places of its
 * arrays are valid. The writer reuses one buffer, because the resulting patch is usually smaller or
 * copied to other arrays.
 */
export class PatchDraft {
  readonly ordinals: number[] = []
  readonly values: StoredValue[] = []
  /** The number of columns. */
  count = 0
  /** True when a column may come twice. */
  mayRepeat = false
  #setters: PendingSetter[] | null = null
  #failure: { readonly error: unknown } | null = null

  /** Replaces its contents by a patch. */
  copy({ ordinals, values }: Patch): this {
    for (let i = 0; i < ordinals.length; i++) {
      this.ordinals[i] = ordinals[i]
      this.values[i] = values[i]
    }
    this.count = ordinals.length
    return this
  }

  /**
   * Replaces its contents by an input. It keeps a refusal and the setters for `resolve`, so that a
   * write is first refused for reasons other than its values, such as a missing entity.
   */
  read(model: ClassModel, input: unknown): this {
    this.count = 0
    this.mayRepeat = false
    this.#setters = null
    this.#failure = null
    try {
      readInto(this, model, input, 0)
    } catch (error) {
      this.#failure = { error }
    }
    return this
  }

  /** True when `resolve` has nothing to do: no setter to run and no refusal. */
  get isPlain(): boolean {
    return this.#setters === null && this.#failure === null
  }

  /** Runs the setters of computed attributes in the input. Throws as `readPatch`. */
  resolve(): this {
    if (this.#failure !== null) throw this.#failure.error
    const setters = this.#setters
    if (setters === null) return this
    this.#setters = null
    const { ordinals, values } = this.take()
    this.count = 0
    this.mayRepeat = true
    let at = 0
    for (const { attribute, given, place } of setters) {
      const { storage } = attribute.owner
      for (; at < place; at++) add(this, storage[ordinals[at]], values[at])
      runSetter(this, attribute, given, 0)
    }
    const { storage } = setters[0].attribute.owner
    for (; at < ordinals.length; at++) add(this, storage[ordinals[at]], values[at])
    return this
  }

  /** Adds a setter to run. */
  later(attribute: ComputedAttribute, given: unknown): void {
    this.#setters ??= []
    this.#setters.push({ attribute, given, place: this.count })
  }

  /** Drops the values that a record already has; returns the number of those left. */
  keepChanges(source: ValueSource, slot: number): number {
    const { ordinals, values, count } = this
    let kept = 0
    for (let i = 0; i < count; i++) {
      if (sameValue(values[i], source.read(slot, ordinals[i]))) continue
      ordinals[kept] = ordinals[i]
      values[kept++] = values[i]
    }
    for (let i = kept; i < count; i++) values[i] = null
    this.count = kept
    return kept
  }

  /** Writes its values into an array by column. */
  assignTo(values: StoredValue[]): void {
    for (let i = 0; i < this.count; i++) values[this.ordinals[i]] = this.values[i]
  }

  /** Drops its values, which may be large, until it is used again. */
  empty(): this {
    for (let i = 0; i < this.count; i++) this.values[i] = null
    this.count = 0
    return this
  }

  /** A copy in new arrays. */
  take(): Patch {
    const { count } = this
    return { ordinals: this.ordinals.slice(0, count), values: this.values.slice(0, count) }
  }
}

/** In a `for … in` loop over an object V8 knows its result. */
export const hasOwn = Object.prototype.hasOwnProperty

function readInto(patch: PatchDraft, model: ClassModel, input: unknown, depth: number): void {
  if (!isAttributes(input))
    throw refused(
      `The input for the "${model.name}" dataclass`,
      'an object of attributes',
      describeFound(input),
    )
  // In exactly this form of loop V8 reads `input[name]` as fast as `input.x`. With a list of keys
  // it looks each one up.
  for (const name in input) {
    if (!hasOwn.call(input, name)) continue
    const given = (input as { readonly [name: string]: unknown })[name]
    const attribute = model.attributes.get(name)
    if (attribute === undefined) throw unknownName(model, name)
    if (given === undefined) continue
    switch (attribute.kind) {
      case 'storage':
        add(patch, attribute, readValue(attribute, given))
        break
      case 'relatedEntity':
        add(patch, attribute.foreignKey, readForeignKey(attribute, given))
        break
      case 'calculated':
        if (attribute.set === null)
          throw readOnly(
            attribute,
            'It is computed and has no setter: write what it is computed from.',
          )
        if (depth === 0) patch.later(attribute, checkedValue(attribute, given))
        else runSetter(patch, attribute, checkedValue(attribute, given), depth)
        break
      case 'alias':
        throw readOnly(
          attribute,
          `It is an alias of "${attribute.path}": write to the related entity.`,
        )
      case 'relatedEntities':
        throw readOnly(
          attribute,
          `Set "${attribute.inverse.name}" of the "${attribute.target.name}" entities.`,
        )
    }
  }
}

/** Runs a setter with a checked value and reads what it returns, `depth` setters deep. */
function runSetter(
  patch: PatchDraft,
  { owner, name, set }: ComputedAttribute,
  given: unknown,
  depth: number,
): void {
  if (depth === MAX_SETTER_DEPTH)
    throw new EntiaError('hookTooDeep', {
      dataClass: owner.name,
      hook: `set ${name}`,
      limit: MAX_SETTER_DEPTH,
    })
  patch.mayRepeat = true
  const means = callUserCode(owner, `set ${name}`, () => set?.(given as never))
  if (means !== undefined && means !== null) readInto(patch, owner, means, depth + 1)
}

/**
 * A relation and its foreign key share a column: an input with both must agree. For other columns,
 * which only setters give twice, the later value counts.
 */
function add(patch: PatchDraft, attribute: StorageAttribute, value: StoredValue): void {
  const { ordinals, values, count } = patch
  const { ordinal } = attribute
  if (patch.mayRepeat || attribute.relation !== null) {
    let place = 0
    while (place < count && ordinals[place] !== ordinal) place++
    if (place < count) {
      if (attribute.relation !== null && !sameValue(values[place], value)) {
        throw invalidRelation(attribute.relation, `another one than "${attribute.name}" gives`)
      }
      values[place] = value
      return
    }
  }
  ordinals[count] = ordinal
  values[count] = value
  patch.count = count + 1
}

/** Reads values of records: a table, or a table with its staged changes. */
export interface ValueSource {
  read(slot: number, ordinal: number): StoredValue
}

/** Writes a patch into values by column. */
export function assignPatch(values: StoredValue[], patch: Patch | null): void {
  if (patch === null) return
  for (let i = 0; i < patch.ordinals.length; i++) values[patch.ordinals[i]] = patch.values[i]
}
