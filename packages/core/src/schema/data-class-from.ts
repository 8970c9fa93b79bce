import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { attribute, defineDataClass } from '../model/attribute.ts'
import type {
  AttributeDefinitions,
  DataClass,
  StorageDefinition,
  StorageOptions,
  Untyped,
} from '../model/definition.ts'
import { type Refuse, refuserOf } from '../model/names.ts'
import { type CheckedProperty, saveHooks } from './save-hooks.ts'
import type { JsonSchema } from './value-schema.ts'

/** A Standard Schema of objects that can describe itself as JSON Schema: zod 4 and others. */
export interface JsonSchemaSource<I = Untyped, O = Untyped> {
  readonly '~standard': StandardSchemaV1.Props<I, O> & StandardJSONSchemaV1.Props<I, O>
}

type OptionsOf<I, O, P extends keyof O, K> = (P extends K ? { readonly key: true } : object) &
  (undefined extends O[P]
    ? object
    : null extends O[P]
      ? object
      : P extends keyof I
        ? undefined extends I[P]
          ? { readonly notNull: true; readonly default: NonNullable<O[P]> }
          : { readonly notNull: true }
        : { readonly notNull: true })

/** The attributes that `dataClassFrom` makes from a schema with input `I` and output `O`. */
export type AttributesOfSchema<I, O, K> = {
  readonly [P in keyof O]-?: StorageDefinition<
    NonNullable<O[P]>,
    NonNullable<O[P]>,
    OptionsOf<I, O, P, K>
  >
}

/** The errCode of values that the schema refuses; applications use codes from 10000. */
const SCHEMA_REFUSAL = 10_000

/**
 * A dataclass whose attributes and rules come from the schema of an object. Each property becomes a
 * storage attribute: texts, numbers, whole numbers, booleans, dates (`date`, `date-time`), and
 * objects for lists and nested objects. The schema checks every save with its own messages, one
 * failure with its attribute for each issue, and its output is what the save stores: trimmed texts,
 * defaults, objects without unknown members. It gets what is stored, so its own output must satisfy
 * it.
 *
 * @param options `key` names the property that is the key. `attributes` adds relations, computed
 * attributes and others, and replaces what the schema gives, for example to add an index. `errCode`
 * is the code of refusals by the schema, 10000 by default.
 *
 * Throws `modelInvalid` for a property that no attribute can hold, with the remedy: unions,
 * transforms, asynchronous checks, maps.
 *
 * @example
 * ```ts
 * import { z } from 'zod'
 * const schema = z.object({ code: z.string().min(2), title: z.string() })
 * const Book = dataClassFrom('Book', schema, { key: 'code' })
 * const shop = createDataStore({ name: 'shop', dataClasses: [Book] })
 * shop.Book.insert({ code: 'sol', title: 'Solaris' }).title // → Solaris
 * ```
 */
export function dataClassFrom<
  const N extends string,
  I extends object,
  O extends object,
  const K extends keyof O & string,
  const A extends AttributeDefinitions = Record<never, never>,
>(
  name: N,
  schema: JsonSchemaSource<I, O>,
  options: { readonly key: K; readonly attributes?: A; readonly errCode?: number },
): DataClass<N, Omit<AttributesOfSchema<I, O, K>, keyof A> & A, Record<never, never>> {
  const refuse: Refuse = refuserOf(name)
  // In JavaScript, the options can be left out.
  if (typeof options?.key !== 'string')
    refuse('its key is not named', 'Name a property of the schema: { key: "id" }.')
  const { key, errCode = SCHEMA_REFUSAL } = options
  const own: AttributeDefinitions = options.attributes ?? {}
  const { properties, required } = objectSchema(refuse, schema)
  if (!properties.some(([property]) => property === key))
    refuse(
      `its schema has no property "${key}" for the key`,
      `Properties: ${properties.map(([property]) => property).join(', ')}.`,
    )
  const attributes = properties
    .filter(([property]) => !Object.hasOwn(own, property))
    .map(([property, part]) => [
      property,
      attributeOf(name, property, part, property === key, required.has(property)),
    ])
  const checked = properties.flatMap(([property, part]): CheckedProperty[] => {
    const { kind, type } = Object.hasOwn(own, property)
      ? (own[property] as Untyped)
      : { kind: 'storage', type: typeOfPart(withoutNull(part).part) }
    if (kind === 'relatedEntities') return []
    const isNullable = withoutNull(part).isNullable
    return [{ name: property, isNullable, isKey: property === key, isMoment: type === 'date' }]
  })
  const definition: DataClass<N, Untyped, Untyped> = defineDataClass(
    name,
    { ...Object.fromEntries(attributes), ...own } as Untyped,
    {
      hooks: saveHooks(schema, checked, errCode),
    },
  )
  return definition
}

interface ObjectSchema {
  readonly properties: readonly (readonly [string, JsonSchema])[]
  readonly required: ReadonlySet<unknown>
}

function objectSchema(refuse: Refuse, schema: JsonSchemaSource): ObjectSchema {
  const standard = schema?.['~standard']
  if (typeof standard?.jsonSchema?.output !== 'function')
    refuse(
      'its schema cannot describe itself as JSON Schema',
      'Pass a zod 4 schema, or wrap a valibot schema in toStandardJsonSchema of @valibot/to-json-schema.',
    )
  let json: JsonSchema
  try {
    json = standard.jsonSchema.output({ target: 'draft-2020-12' })
  } catch (error) {
    refuse(
      `its schema has a part that JSON cannot hold: ${error instanceof Error ? error.message : String(error)}`,
      'Dates are texts in entities: use a schema of ISO 8601 texts.',
    )
  }
  const { type, properties, required } = json
  if (type !== 'object' || typeof properties !== 'object' || properties === null)
    refuse('its schema is not that of an object', 'Pass one with properties.')
  return {
    properties: Object.entries(properties as { readonly [name: string]: JsonSchema }),
    required: new Set(Array.isArray(required) ? required : []),
  }
}

function attributeOf(
  dataClass: string,
  name: string,
  given: JsonSchema,
  isKey: boolean,
  isRequired: boolean,
): StorageDefinition<Untyped, Untyped, Untyped> {
  const { part, isNullable } = withoutNull(given)
  const { default: defaultValue } = given
  const options: StorageOptions = {
    ...(isKey && { key: true }),
    ...(!isKey && isRequired && !isNullable && { notNull: true }),
    ...(defaultValue !== undefined && defaultValue !== null && { default: defaultValue }),
  }
  const refuse: Refuse = refuserOf(dataClass, name)
  const type = typeOfPart(part)
  if (type === null)
    refuse(
      `no attribute type holds its schema ${JSON.stringify(given).slice(0, 80)}`,
      'Give it one type, or define the attribute yourself in the option "attributes".',
    )
  const make: (options: Untyped) => StorageDefinition<Untyped, Untyped, Untyped> = attribute[type]
  const isDateOnly = type === 'date' && part.format === 'date'
  return make({ ...options, ...(isDateOnly && { dateOnly: true }) })
}

/** The attribute type for a schema without null; null if there is none. */
function typeOfPart(part: JsonSchema) {
  const { type, format, enum: words, const: word } = part
  const first = word ?? (Array.isArray(words) ? words[0] : undefined)
  switch (typeof type === 'string' ? type : typeof first) {
    case 'string':
      return format === 'date-time' || format === 'date' ? 'date' : 'string'
    case 'integer':
      return isWithin32Bits(part) ? 'long' : 'long64'
    case 'number':
      return 'number'
    case 'boolean':
      return 'bool'
    case 'object':
    case 'array':
      return 'object'
    default:
      return null
  }
}

/** A schema without the alternative null. */
function withoutNull(given: JsonSchema): {
  readonly part: JsonSchema
  readonly isNullable: boolean
} {
  const { anyOf, type } = given
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== 'null')
    if (types.length === 1)
      return { part: { ...given, type: types[0] }, isNullable: types.length < type.length }
    return { part: {}, isNullable: false }
  }
  if (!Array.isArray(anyOf)) return { part: given, isNullable: false }
  const parts: readonly JsonSchema[] = anyOf.filter((each: JsonSchema) => each.type !== 'null')
  return { part: parts.length === 1 ? parts[0] : {}, isNullable: parts.length < anyOf.length }
}

const isWithin32Bits = ({ minimum, maximum }: JsonSchema): boolean =>
  typeof minimum === 'number' &&
  typeof maximum === 'number' &&
  minimum >= -2_147_483_648 &&
  maximum <= 2_147_483_647
