import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { buildCatalog } from '../model/build-catalog.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { AnyDataClass } from '../model/definition.ts'
import type { NewEntity, Patch } from '../model/entity-types.ts'
import type { ModelOf } from '../model/store-types.ts'
import { validateWrite } from './validate-write.ts'
import { entityJsonSchema, type WriteKind } from './value-schema.ts'

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
