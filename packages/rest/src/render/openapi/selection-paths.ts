import type { AttributeModel, ClassModel } from '@entia/core'
import { ofClass, ofPages, PAGE_DESCRIPTION, PAGE_PARAMETERS, pageContent } from './pages.ts'
import { OF_READS, OF_WRITES, responses } from './responses.ts'
import { anyOf, componentName, jsonContent, type Piece, refs, schemaRef } from './schema.ts'

/** A page of a dataclass. */
export function listOperation(dataClass: ClassModel): Piece {
  return {
    tags: [dataClass.name],
    operationId: `${componentName(dataClass.name)}.list`,
    summary: `A page of ${dataClass.name}`,
    parameters: ofPages(dataClass),
    responses: responses(PAGE_DESCRIPTION, pageContent(dataClass), OF_READS),
  }
}

/** The entity, or the entities, that a relation leads to. */
export function relatedItem(
  dataClass: ClassModel,
  relation: Extract<AttributeModel, { readonly target: ClassModel }>,
): Piece {
  const { target, kind, name } = relation
  const isOne = kind === 'relatedEntity'
  return {
    parameters: ofClass(dataClass, 'key'),
    get: {
      tags: [dataClass.name],
      operationId: `${componentName(dataClass.name)}.related.${componentName(name)}`,
      summary: isOne ? `The ${target.name} of ${name}` : `A page of ${name}`,
      parameters: isOne ? ofClass(target, 'attributes', 'expand') : [...ofPages(target), ...refs('subOrderby')],
      responses: isOne
        ? responses(
            'The related entity, or null.',
            anyOf(schemaRef(componentName(target.name)), { type: 'null' }),
            OF_READS,
          )
        : responses(PAGE_DESCRIPTION, pageContent(target), OF_READS),
    },
  }
}

/** Attributes of a page, or of an entity set, in the path. */
export function valuesItem(dataClass: ClassModel, attributes: Piece, isOfSet: boolean): Piece {
  return {
    parameters: [...(isOfSet ? refs('setId') : []), attributes],
    get: {
      tags: [dataClass.name],
      operationId: `${componentName(dataClass.name)}.${isOfSet ? 'entitySet.values' : 'values'}`,
      summary: 'A page of these attributes, their aggregates, or the values of one',
      parameters: [
        ...ofClass(dataClass, 'filter', 'orderby'),
        ...refs(...PAGE_PARAMETERS, 'compute', 'distinct', 'live'),
      ],
      responses: responses(PAGE_DESCRIPTION, pageContent(dataClass), OF_READS),
    },
  }
}

/** An entity set. */
export function entitySetItem(dataClass: ClassModel): Piece {
  const name = componentName(dataClass.name)
  const tags = [dataClass.name]
  const removal = responses(
    'All of them were removed.',
    jsonContent(schemaRef('rest.Ok')),
    OF_WRITES,
    jsonContent(schemaRef(`${name}.batch`)),
  )
  return {
    parameters: refs('setId'),
    get: {
      tags,
      operationId: `${name}.entitySet`,
      summary: 'A page of an entity set, or of what it and another one make',
      parameters: [
        ...ofPages(dataClass),
        ...refs('clean', 'logicOperator', 'otherCollection', 'savedfilter', 'savedorderby'),
      ],
      responses: responses(
        `${PAGE_DESCRIPTION} Of INTERSECT whether there is a common entity.`,
        pageContent(dataClass, schemaRef('rest.Ok')),
        OF_READS,
      ),
    },
    post: {
      tags,
      operationId: `${name}.entitySet.change`,
      summary: 'With $method=delete removes its entities, with $filter some of them; with $method=release forgets it',
      parameters: [...ofClass(dataClass, 'filter'), ...refs('params', 'atomic', 'changeSet')],
      responses: removal,
    },
    delete: {
      tags,
      operationId: `${name}.entitySet.remove`,
      summary: 'Removes its entities, with $filter some of them',
      parameters: [...ofClass(dataClass, 'filter'), ...refs('params', 'atomic')],
      responses: removal,
    },
  }
}
