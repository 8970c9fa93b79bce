import type { RemoteModel } from './remote-catalog.ts'

/** What the server knows an entity by. */
export interface Marks {
  readonly key: string | number
  readonly stamp?: number
}

/**
 * Holds the marks of an entity whose dataclass has an attribute called `key` or `stamp`: there `entity.key` is the attribute.
 * A property with a symbol as its name is copied along by `{ ...entity }`.
 */
const MARKS: unique symbol = Symbol('marks of the entity')

/** An entity as it is handed out: its marks, and its attributes above them. */
export function withMarks(
  marks: Marks & { readonly timestamp: unknown },
  values: object,
  { hidesMarks }: RemoteModel,
): object {
  const { key, stamp } = marks
  return hidesMarks ? { ...marks, ...values, [MARKS]: { key, stamp } } : { ...marks, ...values }
}

/** The marks that an object carries beside its attributes; null for one that was not read, or has them as properties. */
export function carriedMarks(value: object): Marks | null {
  return MARKS in value ? (value[MARKS] as Marks) : null
}

/**
 * Which entity an object means. Throws a TypeError where its property `key` is an attribute and the object is not an entity
 * as it was read.
 */
export function marksOf(value: object, { name, hidesMarks }: RemoteModel): Marks {
  const carried = carriedMarks(value)
  if (carried !== null) return carried
  if (!hidesMarks) return value as Marks
  throw new TypeError(
    `${name} has an attribute called "key" or "stamp": give the entity as it was read, or its key alone, so that they are not taken for each other.`,
  )
}

/** The key of an entity that this client handed out, whatever its attributes are called. */
export const keyOf = (entity: object): string | number => (carriedMarks(entity) ?? (entity as Marks)).key
/** The stamp of an entity that this client handed out, whatever its attributes are called. */
export const stampOf = (entity: object): number => (carriedMarks(entity) ?? (entity as Marks)).stamp as number
