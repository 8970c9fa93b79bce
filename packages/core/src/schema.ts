// The entry @entia/core/schema: dataclasses as schemas, and schemas as dataclasses.
export {
  type AttributesOfSchema,
  dataClassFrom,
  type JsonSchemaSource,
} from './schema/data-class-from.ts'
export { type DataClassSchemas, type EntitySchema, schemasOf } from './schema/schemas-of.ts'
export { defaultOf, type JsonSchema, limitsOf, typeSchema } from './schema/value-schema.ts'
