import type { AttributeModel, ClassModel } from '@entia/core'
import { ofDataClass } from './operation.ts'
import { ofClass, ofPages, PAGE_DESCRIPTION, PAGE_PARAMETERS, pageContent } from './pages.ts'
import { OF_READS, OF_WRITES, responses } from './responses.ts'
import { anyOf, componentName, jsonContent, type Piece, refs, schemaRef } from './schema.ts'

/** A page of a dataclass. */
export const listOperation = (dataClass: ClassModel): Piece =>
  ofDataClass(
    dataClass,
    'list',
    `A page of ${dataClass.name}`,
    responses(PAGE_DESCRIPTION, pageContent(dataClass), OF_READS),
    { parameters: ofPages(dataClass) },
  )

/** The entity, or the entities, that a relation leads to. */
export function relatedItem(
  dataClass: ClassModel,
  relation: Extract<AttributeModel, { readonly target: ClassModel }>,
): Piece {
  const { target, kind, name } = relation
  const isOne = kind === 'relatedEntity'
  const answers = isOne
    ? responses(
        'The related entity, or null.',
        anyOf(schemaRef(componentName(target.name)), { type: 'null' }),
        OF_READS,
      )
    : responses(PAGE_DESCRIPTION, pageContent(target), OF_READS)
  const parameters = isOne
    ? ofClass(target, 'attributes', 'expand')
    : [...ofPages(target), ...refs('subOrderby')]
  const summary = isOne ? `The ${target.name} of ${name}` : `A page of ${name}`
  return {
    parameters: ofClass(dataClass, 'key'),
    get: ofDataClass(dataClass, `related.${componentName(name)}`, summary, answers, { parameters }),
  }
}

/** Attributes of a page, or of an entity set, in the path. */
export function valuesItem(dataClass: ClassModel, attributes: Piece, isOfSet: boolean): Piece {
  const answers = responses(PAGE_DESCRIPTION, pageContent(dataClass), OF_READS)
  const parameters = [
    ...ofClass(dataClass, 'filter', 'orderby'),
    ...refs(...PAGE_PARAMETERS, 'compute', 'distinct', 'live'),
  ]
  const id = isOfSet ? 'entitySet.values' : 'values'
  const summary = 'A page of these attributes, their aggregates, or the values of one'
  return {
    parameters: [...(isOfSet ? refs('setId') : []), attributes],
    get: ofDataClass(dataClass, id, summary, answers, { parameters }),
  }
}

/** An entity set. */
export function entitySetItem(dataClass: ClassModel): Piece {
  const filter = ofClass(dataClass, 'filter')
  const read = responses(
    `${PAGE_DESCRIPTION} Of INTERSECT whether there is a common entity.`,
    pageContent(dataClass, schemaRef('rest.Ok')),
    OF_READS,
  )
  const removal = responses(
    'All of them were removed.',
    jsonContent(schemaRef('rest.Ok')),
    OF_WRITES,
    jsonContent(schemaRef(`${componentName(dataClass.name)}.batch`)),
  )
  return {
    parameters: refs('setId'),
    get: ofDataClass(
      dataClass,
      'entitySet',
      'A page of an entity set, or of its combination with another one',
      read,
      {
        parameters: [
          ...ofPages(dataClass),
          ...refs('clean', 'logicOperator', 'otherCollection', 'savedfilter', 'savedorderby'),
        ],
      },
    ),
    post: ofDataClass(
      dataClass,
      'entitySet.change',
      'With $method=delete removes its entities, with $filter some of them; with $method=release ends it',
      removal,
      { parameters: [...filter, ...refs('params', 'atomic', 'changeSet')] },
    ),
    delete: ofDataClass(
      dataClass,
      'entitySet.remove',
      'Removes its entities, with $filter some of them',
      removal,
      {
        parameters: [...filter, ...refs('params', 'atomic')],
      },
    ),
  }
}
