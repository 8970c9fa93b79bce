/** A piece of an OpenAPI document: plain JSON. */
export interface Piece {
  readonly [name: string | number]: unknown
}

/** Members of a piece by name. Names of `Object.prototype` are ordinary members. */
export const pieceOf = (members: Iterable<readonly [string, unknown]>): Piece =>
  Object.fromEntries(members)

/**
 * The component name for a name of the model. Components allow only ASCII letters, digits, `-` and
 * `_`: `Caf.e9.` for `Café`. Names of the model contain no dots, so component names are unique.
 */
export const componentName = (name: string): string =>
  name.replace(/[^\w-]/gu, (letter) => `.${letter.codePointAt(0)!.toString(16)}.`)

export const schemaRef = (name: string): Piece => ({ $ref: `#/components/schemas/${name}` })
export const parameterRef = (name: string): Piece => ({ $ref: `#/components/parameters/${name}` })

export const refs = (...names: readonly string[]): readonly Piece[] => names.map(parameterRef)

const exampleOf = (example: unknown): Piece => (example === undefined ? {} : { example })

/** A parameter of the query string. */
export const inQuery = (
  name: string,
  description: string,
  schema: Piece,
  example?: unknown,
): Piece => ({ name, in: 'query', description, schema, ...exampleOf(example) })

/** A parameter in the path. */
export const inPath = (
  name: string,
  description: string,
  schema: Piece,
  example?: string,
): Piece => ({ name, in: 'path', required: true, description, schema, ...exampleOf(example) })

/** A header of the request. */
export function inHeader(name: string, description: string): Piece {
  return { name, in: 'header', description, schema: text }
}

/** JSON content of a request or answer. */
export const jsonContent = (schema: Piece): Piece => ({ 'application/json': { schema } })

/** JSON content that is a component. */
export const jsonRef = (name: string): Piece => jsonContent(schemaRef(name))

export const OK = jsonRef('rest.Ok')

const BYTES = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } }

/** The bytes of an image or BLOB. */
export const BINARY: Piece = { 'image/*': BYTES, 'application/octet-stream': BYTES }

/** JSON content of one of several shapes. */
export const anyOf = (...schemas: readonly Piece[]): Piece => jsonContent({ anyOf: schemas })

/** The schema, or null. */
export function orNull(schema: Piece): Piece {
  const { type } = schema
  return typeof type === 'string'
    ? { ...schema, type: [type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
}

export const flag: Piece = { type: 'boolean' }
export const text: Piece = { type: 'string' }
export const count: Piece = { type: 'integer', minimum: 0 }

/** An object that has these members and no others. */
export const object = (
  properties: Piece,
  required: readonly string[] = Object.keys(properties),
): Piece => ({ type: 'object', properties, required, additionalProperties: false })

/** An object with the members of `T`: the compiler refuses a missing or another one. */
export const objectOf = <T>(properties: { readonly [M in keyof T]-?: Piece }): Piece =>
  object(properties)

/** A value that is neither an object nor an array. */
export const PLAIN_VALUE: Piece = { type: ['boolean', 'number', 'string', 'null'] }

export const arrayOf = (items: Piece): Piece => ({ type: 'array', items })
