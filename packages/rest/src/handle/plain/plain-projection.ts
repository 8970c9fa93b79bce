import type { ClassModel } from '@entia/core'
import type { Names } from '../../engine/names.ts'
import { restError } from '../../errors/rest-error.ts'
import { quoteFound } from '../../request/parameter-values.ts'
import type { PlainResource } from '../../request/plain-head.ts'
import type { PlainParameters } from '../../request/plain-parameters.ts'

/**
 * The relations that `_embed` and `_expand` include, in the form of `$expand`: a to-many relation
 * by its name or by its resource, a to-one relation by its name. Throws parameterInvalid.
 */
export function includedRelations(
  { embed, expand }: Pick<PlainParameters, 'embed' | 'expand'>,
  dataClass: ClassModel,
  nested: PlainResource['nested'],
  names: Names,
): readonly string[] {
  const refuse = (parameter: string, expected: string, found: string): never => {
    throw restError('parameterInvalid', { parameter, expected, found: quoteFound(found) })
  }
  const many = embed.map((name) => {
    const relation = nested.get(name)?.relation ?? name
    const isKnown = names.find(dataClass, relation)?.kind === 'relatedEntities'
    return isKnown ? relation : refuse('_embed', `a list that leads to ${dataClass.name}`, name)
  })
  const one = expand.map((name) =>
    names.find(dataClass, name)?.kind === 'relatedEntity'
      ? name
      : refuse('_expand', `a relation of ${dataClass.name} to one entity`, name),
  )
  return [...many, ...one]
}
