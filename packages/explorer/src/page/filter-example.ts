import type { Attribute, DataClass } from './model.ts'

/** A filter that the dataclass accepts, for the empty field. */
export function exampleOf({ attributes, key }: DataClass): string {
  const named = (...types: readonly string[]): Attribute | undefined =>
    attributes.find(({ type, isKey, target }) => !isKey && types.includes(type) && target === null)
  const related = attributes.find(({ kind }) => kind === 'relatedEntity')
  const number = named('long', 'long64', 'number')
  if (number !== undefined)
    return `${number.name} > 60${related === undefined ? '' : ` and ${related.name} != null`}`
  const text = named('string')
  if (text !== undefined) return `${text.name} = 'A@'`
  const truth = named('bool')
  if (truth !== undefined) return `${truth.name} = true`
  return `${related?.name ?? key ?? 'ID'} != null`
}
