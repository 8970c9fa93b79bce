import type { Keyed } from '@entia/core'
import type { RemoteModel } from './remote-catalog.ts'

/** The key and stamp by which the server identifies an entity. */
export interface Marks {
  readonly key: string | number
  readonly stamp?: number
}

/**
 * Holds the marks of an entity whose dataclass has an attribute called `key` or `stamp`; there
 * `entity.key` is the attribute. `{ ...entity }` copies a property whose name is a symbol. The
 * copies of `@entia/core/async` use the same symbol.
 */
const MARKS: symbol = Symbol.for('entia.marks')

/** The entity that callers get: its marks, and its attributes above them. */
export function withMarks(
  marks: Marks & { readonly timestamp: unknown },
  values: object,
  { hidesMarks }: RemoteModel,
): object {
  const { key, stamp } = marks
  const entity = { ...marks, ...values }
  return hidesMarks ? withCarriedMarks(entity, { key, stamp } as Marks) : entity
}

/** A copy of an object that carries marks under the symbol. */
export const withCarriedMarks = (value: object, marks: Marks): object => ({
  ...value,
  [MARKS]: marks,
})

/** The marks that an object carries under the symbol, or null. */
export function carriedMarks(value: object): Marks | null {
  return MARKS in value ? (value[MARKS as keyof typeof value] as Marks) : null
}

/**
 * The marks of the entity that an object means. Throws a TypeError if its property `key` is an
 * attribute and the object is not an entity as it was read.
 */
export function marksOf(value: object, { name, hidesMarks }: RemoteModel): Marks {
  const carried = carriedMarks(value)
  if (carried !== null) return carried
  if (!hidesMarks) return value as Marks
  throw new TypeError(
    `${name} has an attribute called "key" or "stamp". Pass the entity as it was read, or its key alone.`,
  )
}

/**
 * The key of an entity that this client handed out, for any attribute names.
 *
 * @example
 * ```ts
 * const ada = (await client.Employee.get(1))!
 * keyOf(ada) // → 1
 * ```
 */
export function keyOf<K extends string | number>(entity: Keyed<K>): K
export function keyOf(entity: object): string | number
export function keyOf(entity: object): string | number {
  return entityMarks(entity).key
}
/**
 * The stamp of an entity that this client handed out, for any attribute names.
 *
 * @example
 * ```ts
 * const ada = (await client.Employee.get(1))!
 * stampOf(ada) // → 1
 * ```
 */
export const stampOf = (entity: object): number => entityMarks(entity).stamp as number

function entityMarks(entity: object): Marks {
  if (typeof entity !== 'object' || entity === null)
    throw new TypeError('keyOf and stampOf take an entity.')
  return carriedMarks(entity) ?? (entity as Marks)
}
