import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { isEntiaError } from '../errors.ts'
import { buildCatalog } from '../model/build-catalog.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { AnyDataClass, Untyped } from '../model/definition.ts'
import { isEntity, keyOf, modelOfEntity } from '../model/entity.ts'
import type { NewEntity, Patch } from '../model/entity-types.ts'
import type { ModelOf } from '../model/store-types.ts'
import { present } from '../value/compare.ts'
import { readPatch, type Patch as WritePatch } from '../write/patch.ts'
import { checkRules, refuseFixed } from '../write/rules.ts'
import { keyMissing } from '../write/write-errors.ts'
import { isGenerated } from '../write/write-plan.ts'
import { entityJsonSchema, needsValue, type WriteKind } from './value-schema.ts'

/**
 * What a write accepts, as a Standard Schema (https://standardschema.dev) and a Standard JSON
 * Schema. `validate` is synchronous and gives the values in their stored form.
 */
export interface EntitySchema<I> {
  readonly '~standard': StandardJSONSchemaV1.Props<I> & {
    readonly validate: (value: unknown) => StandardSchemaV1.Result<I>
  }
}

/** The schemas of one dataclass. */
export interface DataClassSchemas<I, U> {
  /** The values of a new entity. */
  readonly insert: EntitySchema<I>
  /** Values to change. */
  readonly update: EntitySchema<U>
}

/**
 * The schemas of dataclasses, by name. They need the model only, so that a page can validate a form
 * before it sends it. A value is refused with the message that a write gives, and all wrong values
 * are reported together. Rules that need the data are left to the write: uniqueness, existence of
 * related entities, hooks. Cost: O(attributes). Throws `modelInvalid` as `createDataStore` does.
 *
 * @example
 * ```ts
 * const { Employee: schemas } = schemasOf(dataClasses)
 * const { issues } = await schemas.insert['~standard'].validate({ salary: -1 })
 * issues?.length // → 1
 * ```
 */
export function schemasOf<const T extends readonly AnyDataClass[]>(
  dataClasses: T,
): {
  readonly [N in keyof ModelOf<T>]: DataClassSchemas<NewEntity<ModelOf<T>, N>, Patch<ModelOf<T>, N>>
}
export function schemasOf(dataClasses: readonly AnyDataClass[]): object {
  const { classes } = buildCatalog({ name: 'schemas', dataClasses })
  return Object.fromEntries(
    classes.map((model) => [
      model.name,
      { insert: schemaOf(model, 'insert'), update: schemaOf(model, 'update') },
    ]),
  )
}

function schemaOf(model: ClassModel, kind: WriteKind): EntitySchema<unknown> {
  const convert = ({ target }: StandardJSONSchemaV1.Options) =>
    entityJsonSchema(model, kind, target)
  return {
    '~standard': {
      version: 1,
      vendor: 'entia',
      validate: (value) => validateWrite(model, kind, value),
      jsonSchema: { input: convert, output: convert },
    },
  }
}

/**
 * Checks the values of a write as the writer does, but attribute by attribute, so that all wrong
 * ones are reported.
 */
function validateWrite(
  model: ClassModel,
  kind: WriteKind,
  input: unknown,
): StandardSchemaV1.Result<Untyped> {
  const issues: StandardSchemaV1.Issue[] = []
  const report = (error: unknown, path: readonly string[]): void => {
    if (!isEntiaError(error)) throw error
    issues.push({ message: error.message, path })
  }
  const read = (part: unknown, path: readonly string[]): WritePatch | null => {
    try {
      return readPatch(model, part)
    } catch (error) {
      report(error, path)
      return null
    }
  }

  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  if (!isObject) {
    read(input, [])
    return { issues }
  }
  const all = Object.entries(input).map(([name, value]): [string, unknown] => [
    name,
    keyOfRelated(model, name, value),
  ])
  const given = all.filter(([, value]) => value !== undefined)
  const written = new Set<number>()
  const values: [string, unknown][] = []
  for (const [name, value] of given) {
    const patch = read(Object.fromEntries([[name, value]]), [name])
    if (patch === null) continue
    try {
      if (kind === 'update') refuseFixed(model, patch.ordinals, false)
    } catch (error) {
      report(error, [name])
      continue
    }
    for (let at = 0; at < patch.ordinals.length; at++) {
      const column = model.storage[patch.ordinals[at]]
      // Null for a number or UUID that the store generates means the next one.
      if (patch.values[at] === null && kind === 'insert' && isGenerated(column)) continue
      written.add(column.ordinal)
      for (const error of checkRules(column, patch.values[at], null) ?? []) report(error, [name])
    }
    values.push([name, shown(model, name, value, patch)])
  }
  if (kind === 'insert') {
    for (const column of model.storage) {
      if (!needsValue(column) || written.has(column.ordinal)) continue
      const name = column.relation?.name ?? column.name
      if (issues.some(({ path }) => path?.[0] === name)) continue
      if (column.key) report(keyMissing(model, null), [name])
      else for (const error of checkRules(column, null, null) ?? []) report(error, [name])
    }
  }
  // Values that are right alone may contradict each other: a relation and its foreign key.
  if (issues.length === 0) read(Object.fromEntries(all), [])
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(values) }
}

/**
 * The key of an entity that a relation may lead to. A write takes the entities of its own store;
 * schemas have no store, so an entity of any store is taken by the name of its dataclass.
 */
function keyOfRelated(model: ClassModel, name: string, value: unknown): unknown {
  const attribute = model.attributes.get(name)
  if (attribute?.kind !== 'relatedEntity' || !isEntity(value)) return value
  const isOfTarget = modelOfEntity(value)?.name === attribute.target.name
  return isOfTarget ? keyOf(value) : value
}

/** A value as the entity will show it; the key of a related entity; as given for others. */
function shown(model: ClassModel, name: string, value: unknown, { values }: WritePatch): unknown {
  const attribute = model.attributes.get(name)
  if (attribute?.kind === 'storage') return present(attribute.type, attribute.dateOnly, values[0])
  if (attribute?.kind === 'relatedEntity') {
    const { key } = attribute.target
    return present(key.type, key.dateOnly, values[0])
  }
  return value
}
