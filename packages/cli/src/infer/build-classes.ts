import { type AnyDataClass, attribute, defineDataClass } from '@entia/core'
import type { InferredAttribute, InferredClass, InferredModel } from './infer-model.ts'

/** The dataclasses of an inferred model. */
export function buildClasses({ classes }: InferredModel): AnyDataClass[] {
  return classes.map((each) => {
    const attributes: Record<string, unknown> = {}
    for (const own of each.attributes) {
      const make = attribute[own.type] as (options: object) => unknown
      attributes[own.name] = make(optionsOf(own, each))
    }
    for (const { name, target, foreignKey, onDelete } of each.relations)
      attributes[name] = attribute.relatedEntity(target, {
        foreignKey,
        ...(onDelete !== undefined && { onDelete }),
      })
    for (const { name, inverse, from } of inversesOf(each, classes))
      attributes[inverse] = attribute.relatedEntities(from, name)
    return defineDataClass(each.name, attributes as never) as AnyDataClass
  })
}

/** The relations of other classes that lead to this one. */
export const inversesOf = (
  { name }: InferredClass,
  classes: readonly InferredClass[],
): { readonly name: string; readonly inverse: string; readonly from: string }[] =>
  classes.flatMap((other) =>
    other.relations
      .filter(({ target }) => target === name)
      .map((relation) => ({ name: relation.name, inverse: relation.inverse, from: other.name })),
  )

/** The types of keys that the store can make. */
export const CONTINUED: ReadonlySet<string> = new Set(['long', 'long64', 'uuid'])

/** The options of an attribute as a definition writes them. */
export function optionsOf(
  { name, type, dateOnly, isKey, isIndexed }: InferredAttribute,
  { relations }: InferredClass,
): Record<string, boolean | string> {
  const isForeignKey = relations.some(({ foreignKey }) => foreignKey === name)
  return {
    ...(isKey && { key: true }),
    // People choose text keys; the store can continue numbers and UUIDs.
    ...(isKey && CONTINUED.has(type) && { autoSequence: true }),
    ...(isIndexed && !isForeignKey && { indexed: true }),
    ...(isForeignKey && type === 'string' && { collation: 'exact' }),
    ...(dateOnly && { dateOnly: true }),
  }
}
