import type { AttributeModel, ClassModel } from '@entia/core'
import {
  isMediaAttribute,
  isRelation,
  type Names,
  NUMERIC_TYPES,
  typeOf,
  type ValueAttribute,
} from '@entia/engine'
import {
  changes,
  OF_WRITES,
  ofClass,
  ofPages,
  operationsOn,
  PAGE_DESCRIPTION,
  PAGE_PARAMETERS,
  pageContent,
  reads,
  responses,
  UNCHANGED,
} from './parameters.ts'
import {
  anyOf,
  arrayOf,
  BINARY,
  componentName,
  inPath,
  jsonContent,
  jsonRef,
  OK,
  orNull,
  type Piece,
  pieceOf,
  refs,
  schemaRef,
  text,
} from './schema.ts'

/** One entity, by its key. */
function entityItem(dataClass: ClassModel): Piece {
  const entity = schemaRef(componentName(dataClass.name))
  const summary = 'An entity by its key, or a lock of it'
  const answers = reads(
    'The entity; with $lock whether it was locked.',
    anyOf(entity, arrayOf(entity), schemaRef('rest.Lock')),
  )
  return {
    parameters: ofClass(dataClass, 'key'),
    get: operationsOn(dataClass)('get', summary, { ...answers, ...UNCHANGED }, [
      ...ofClass(dataClass, 'attributes', 'expand'),
      ...refs('asArray', 'queryplan', 'lock', 'ifMatch', 'ifNoneMatch'),
    ]),
    ...changesOf(dataClass, ''),
  }
}

/** The first entity with a value of an attribute. */
function byValueItem(dataClass: ClassModel, values: readonly ValueAttribute[]): Piece {
  const answers = reads('The entity.', jsonRef(componentName(dataClass.name)))
  const parameters = ofClass(dataClass, 'attributes', 'expand')
  return {
    parameters: [
      inPath('attribute', 'A stored attribute.', { enum: values.map(({ name }) => name) }),
      inPath('value', 'Its value, written like a key.', text),
    ],
    get: operationsOn(dataClass)('getBy', 'The first entity with a value', answers, parameters),
    ...changesOf(dataClass, 'By'),
  }
}

/** Some attributes of one entity. */
function partItem(dataClass: ClassModel, attributes: Piece): Piece {
  const entity = jsonRef(componentName(dataClass.name))
  const answers = reads('The entity with these attributes.', entity)
  const parameters = ofClass(dataClass, 'expand')
  return {
    parameters: [...ofClass(dataClass, 'key'), attributes],
    get: operationsOn(dataClass)('getPart', 'Some attributes of an entity', answers, parameters),
  }
}

function changesOf(dataClass: ClassModel, how: '' | 'By'): Piece {
  const operation = operationsOn(dataClass)
  const answers = changes('The entity as it is stored.', writtenContent(dataClass))
  const parameters = [
    ...ofClass(dataClass, 'filter', 'attributes', 'expand'),
    ...refs('params', 'write', 'refresh', 'isoTimestamps', 'ifMatch'),
  ]
  const body = { content: jsonRef(`${componentName(dataClass.name)}.input`) }
  const summary = 'Updates an entity; with $method=delete removes it'
  const removed = changes('It was removed.')
  return {
    post: operation(`update${how}.post`, summary, answers, parameters, body),
    put: operation(`update${how}.put`, summary, answers, parameters, body),
    delete: operation(`remove${how}`, 'Removes an entity', removed, refs('ifMatch')),
  }
}

const isImage = (attribute: ValueAttribute): boolean => typeOf(attribute) === 'image'

/** The content of an image or BLOB: what it answers, and what replaces it. */
function mediaOf(dataClass: ClassModel, attribute: ValueAttribute): Piece {
  const { name } = attribute
  const operation = operationsOn(dataClass)
  const id = `content.${componentName(name)}`
  const content = { ...jsonContent({ type: 'object' }), ...BINARY }
  const stored = responses('It was stored.', OK, [...OF_WRITES, 'mediaType'])
  const replacing = refs(...(isImage(attribute) ? ['rawPict'] : []), 'ifMatch')
  const body = { required: true, content: BINARY }
  const summary = `Replaces the content of ${name}`
  const removed = changes('It is null now.')
  const write = {
    post: operation(`${id}.write`, summary, stored, replacing, body),
    delete: operation(`${id}.remove`, `Removes the content of ${name}`, removed),
  }
  const expand = {
    in: 'query',
    required: true,
    description: 'The attribute itself.',
    schema: { const: name },
  }
  const answers = reads('The bytes; {} if there are none.', content)
  return {
    parameters: ofClass(dataClass, 'key'),
    get: operation(id, `The content of ${name}`, answers, [
      { name: '$expand', ...expand, example: name },
      ...refs(...(isImage(attribute) ? ['imageformat', 'binary'] : ['binary'])),
    ]),
    ...(attribute.kind === 'storage' ? write : {}),
  }
}

/** A page of a dataclass. */
function listOperation(dataClass: ClassModel): Piece {
  const answers = reads(PAGE_DESCRIPTION, pageContent(dataClass))
  return operationsOn(dataClass)('list', `A page of ${dataClass.name}`, answers, ofPages(dataClass))
}

/** The entity, or the entities, that a relation leads to. */
function relatedItem(
  dataClass: ClassModel,
  relation: Extract<AttributeModel, { readonly target: ClassModel }>,
): Piece {
  const { target, kind, name } = relation
  const isOne = kind === 'relatedEntity'
  const answers = isOne
    ? reads(
        'The related entity, or null.',
        jsonContent(orNull(schemaRef(componentName(target.name)))),
      )
    : reads(PAGE_DESCRIPTION, pageContent(target))
  const parameters = isOne
    ? ofClass(target, 'attributes', 'expand')
    : [...ofPages(target), ...refs('subOrderby')]
  const summary = isOne ? `The ${target.name} of ${name}` : `A page of ${name}`
  return {
    parameters: ofClass(dataClass, 'key'),
    get: operationsOn(dataClass)(`related.${componentName(name)}`, summary, answers, parameters),
  }
}

/** Attributes of a page, or of an entity set, in the path. */
function valuesItem(dataClass: ClassModel, attributes: Piece, isOfSet: boolean): Piece {
  const answers = reads(PAGE_DESCRIPTION, pageContent(dataClass))
  const parameters = [
    ...ofClass(dataClass, 'filter', 'orderby'),
    ...refs(...PAGE_PARAMETERS, 'compute', 'distinct', 'live'),
  ]
  const id = isOfSet ? 'entitySet.values' : 'values'
  const summary = 'A page of these attributes, their aggregates, or the values of one'
  return {
    parameters: [...(isOfSet ? refs('setId') : []), attributes],
    get: operationsOn(dataClass)(id, summary, answers, parameters),
  }
}

/** An entity set. */
function entitySetItem(dataClass: ClassModel): Piece {
  const operation = operationsOn(dataClass)
  const selecting = [...ofClass(dataClass, 'filter'), ...refs('params', 'search', 'atomic')]
  const read = reads(
    `${PAGE_DESCRIPTION} Of INTERSECT whether there is a common entity.`,
    pageContent(dataClass, schemaRef('rest.Ok')),
  )
  const removal = removedMany(dataClass)
  const summary = 'A page of an entity set, or of its combination with another one'
  const removing = 'Removes its entities, with $filter some of them'
  const changing =
    'With $method=delete removes its entities, with $filter some of them; with $method=release ends it'
  return {
    parameters: refs('setId'),
    get: operation('entitySet', summary, read, [
      ...ofPages(dataClass),
      ...refs('clean', 'logicOperator', 'otherCollection', 'savedfilter', 'savedorderby'),
    ]),
    post: operation('entitySet.change', changing, removal, [...selecting, ...refs('changeSet')]),
    delete: operation('entitySet.remove', removing, removal, selecting),
  }
}

const segment = encodeURIComponent

/** Operations on one dataclass, without its functions: paths below the base path. */
export function classPaths(dataClass: ClassModel, names: Names): Piece {
  const attributes = names.attributes(dataClass)
  const values = attributes.filter(
    (attribute) => !isRelation(attribute),
  ) as readonly ValueAttribute[]
  const home = `/${segment(dataClass.name)}`
  const one = `${home}({key})`
  const set = `${home}/$entityset/{id}`
  const listed = attributesInPath(values)
  const found = values.filter(
    (attribute) => attribute.kind === 'storage' && FOUND_BY.has(attribute.type),
  )
  return pieceOf([
    [
      home,
      { get: listOperation(dataClass), ...writesOf(dataClass), delete: removeMany(dataClass) },
    ],
    [one, entityItem(dataClass)],
    ...attributes
      .filter(isRelation)
      .map(
        (relation) =>
          [`${one}/${segment(relation.name)}`, relatedItem(dataClass, relation)] as const,
      ),
    ...values
      .filter(isMediaAttribute)
      .map(
        (attribute) =>
          [`${one}/${segment(attribute.name)}`, mediaOf(dataClass, attribute)] as const,
      ),
    ...(found.length > 0
      ? [[`${home}:{attribute}({value})`, byValueItem(dataClass, found)] as const]
      : []),
    ...(listed === null
      ? []
      : ([
          [`${home}/{attributes}`, valuesItem(dataClass, listed, false)],
          [`${one}/{attributes}`, partItem(dataClass, listed)],
          [`${set}/{attributes}`, valuesItem(dataClass, listed, true)],
        ] as const)),
    [set, entitySetItem(dataClass)],
  ])
}

/** Types whose values an address can contain. */
const FOUND_BY: ReadonlySet<string> = new Set([...NUMERIC_TYPES, 'bool', 'date', 'string', 'uuid'])

/** The parameter for attributes in a path; null if there are none. */
function attributesInPath(values: readonly ValueAttribute[]): Piece | null {
  const scalar = values.find((attribute) => !isMediaAttribute(attribute)) ?? values[0]
  if (scalar === undefined) return null
  const names = values.map(({ name }) => name).join(', ')
  return inPath('attributes', `One or several with commas: ${names}.`, text, scalar.name)
}

function writesOf(dataClass: ClassModel): Piece {
  const operation = operationsOn(dataClass)
  const name = componentName(dataClass.name)
  const input = schemaRef(`${name}.input`)
  const parameters = [
    ...ofClass(dataClass, 'filter', 'attributes', 'expand'),
    ...refs('params', 'write', 'atomic', 'refresh', 'isoTimestamps'),
  ]
  const body = { content: anyOf(input, arrayOf(input), schemaRef(`${name}.inputs`)) }
  const answers = changes(
    'The result of it, or of each.',
    writtenContent(dataClass),
    jsonRef(`${name}.batch`),
  )
  const summary =
    'Saves an entity, or many: an update for each that has a __KEY; with $method=delete removes them'
  return {
    post: operation('save.post', summary, answers, parameters, body),
    put: operation('save.put', summary, answers, parameters, body),
  }
}

function removeMany(dataClass: ClassModel): Piece {
  const summary = 'Removes what the filter and the search select'
  const parameters = [...ofClass(dataClass, 'filter'), ...refs('params', 'search', 'atomic')]
  return operationsOn(dataClass)('removeMany', summary, removedMany(dataClass), parameters)
}

const removedMany = ({ name }: ClassModel) =>
  changes('All of them were removed.', OK, jsonRef(`${componentName(name)}.batch`))

/** The answer to a change: the entity, several, or none. */
function writtenContent(dataClass: ClassModel): Piece {
  const name = componentName(dataClass.name)
  return anyOf(...[`${name}.written`, `${name}.batch`, 'rest.Ok'].map(schemaRef))
}
