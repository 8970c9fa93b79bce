import type { ClassModel } from '@entia/core'
import { isRelation, type Names, NUMERIC_TYPES } from '../../engine/names.ts'
import { componentName, type Piece } from './schema.ts'

const query = (name: string, description: string, schema: Piece, example?: unknown): Piece => ({
  name,
  in: 'query',
  description,
  schema,
  ...(example === undefined ? {} : { example }),
})
const flag: Piece = { type: 'boolean' }
const text: Piece = { type: 'string' }
const whole: Piece = { type: 'integer', minimum: 0 }

/**
 * Parameters shared by all dataclasses, by component. Their examples can be requested as they are.
 */
export const COMMON_PARAMETERS: Piece = {
  params: query(
    '$params',
    'Values of :1, :2, … or of :name in $filter, as JSON; of a function its parameters.',
    text,
    '[1]',
  ),
  top: query('$top', 'The most entities of the page.', whole, 5),
  skip: query('$skip', 'Entities before the page.', whole, 2),
  asArray: query('$asArray', 'Answers a bare array, without envelope and relations.', flag, true),
  format: query(
    '$format',
    'dashboard: rows of a table.',
    { enum: ['json', 'dashboard'] },
    'dashboard',
  ),
  compute: query(
    '$compute',
    'Computes over the whole selection; $all answers all aggregates as an object.',
    { enum: ['$all', 'average', 'count', 'max', 'min', 'sum'] },
    'count',
  ),
  distinct: query('$distinct', 'The values of one attribute, each once.', flag, true),
  groupby: query(
    '$groupby',
    'Groups by attributes, separated by commas; dates also by day, week, month, quarter or year: date.month.',
    text,
  ),
  aggregates: query(
    '$aggregates',
    'With $groupby: count, and average, count, countDistinct, max, min or sum of a path: delay.average.',
    text,
  ),
  having: query('$having', 'With $groupby: a condition on groups: count > 10.', text),
  // For pages without an attribute in the path. Without example, since they need another parameter.
  computeOf: query('$compute', 'Aggregates of the one attribute in $attributes.', {
    enum: ['$all', 'average', 'count', 'max', 'min', 'sum'],
  }),
  distinctOf: query(
    '$distinct',
    'The values of the one attribute in $attributes, each once.',
    flag,
  ),
  live: query('$live', 'Server-sent events: the page, then its changes.', flag),
  queryplan: query('$queryplan', 'Which indexes the filter uses.', flag, true),
  querypath: query('$querypath', 'What each part of the filter finds.', flag, true),
  keep: query(
    '$method',
    'entityset keeps the whole selection, at the address __ENTITYSET. release ends an entity set.',
    { enum: ['entityset', 'subentityset', 'release'] },
    'entityset',
  ),
  timeout: query(
    '$timeout',
    'The lifetime of an unused entity set in seconds; with $method=entityset.',
    whole,
  ),
  savedfilter: query('$savedfilter', 'Recreates the set if it has expired.', text),
  savedorderby: query('$savedorderby', 'The order of $savedfilter.', text),
  clean: query('$clean', 'Without entities that were deleted.', flag, true),
  logicOperator: query('$logicOperator', 'How to combine the set with $otherCollection.', {
    enum: ['AND', 'OR', 'EXCEPT', 'INTERSECT'],
  }),
  otherCollection: query('$otherCollection', 'The id of another entity set.', text),
  subOrderby: query('$subOrderby', 'The order of $method=subentityset.', text),
  write: query('$method', 'update is the default; insert refuses a __KEY; delete removes.', {
    enum: ['update', 'insert', 'delete'],
  }),
  changeSet: query('$method', 'delete removes the entities of the set; release ends the set.', {
    enum: ['delete', 'release'],
  }),
  atomic: query('$atomic', 'Saves or deletes all entities or none.', flag),
  refresh: query('$refresh', 'Answers the result without storing it.', flag),
  isoTimestamps: query('$isoTimestamps', 'Answers `__TIMESTAMP` as a date-time.', flag),
  lock: query(
    '$lock',
    'Locks or unlocks the entity for the session, and answers whether it succeeded.',
    flag,
  ),
  imageformat: query('$imageformat', 'The requested type; best is the stored one.', text, 'best'),
  binary: query('$binary', 'The bytes, as a download.', flag, true),
  rawPict: query('$rawPict', 'The body is an image of this type, or true.', text),
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The stamp in quotes, "3". Refused unless it is the stored one.',
    schema: text,
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an answer. 304 if it is unchanged.',
    schema: text,
  },
  setId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of an entity set.',
    schema: text,
  },
}

/** Parameters of one dataclass, with examples of its own attributes. */
export function classParameters(dataClass: ClassModel, names: Names): Piece {
  const name = componentName(dataClass.name)
  const { key } = dataClass
  const isNumeric = NUMERIC_TYPES.has(key.type)
  const known = names.attributes(dataClass)
  // Filters need brackets or quotes around other names.
  const isKeyKnown =
    names.find(dataClass, key.name) !== undefined && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key.name)
  const plain = known
    .filter((attribute) => !isRelation(attribute))
    .map((attribute) => attribute.name)
  const relations = known.filter(isRelation).map((attribute) => attribute.name)
  return {
    [`${name}.key`]: {
      name: 'key',
      in: 'path',
      required: true,
      description: 'The key of an entity; in double quotes if it contains brackets.',
      schema: text,
      ...(isNumeric ? { example: '1' } : {}),
    },
    [`${name}.filter`]: query(
      '$filter',
      'Selects entities.',
      text,
      isKeyKnown ? `"${key.name} ${isNumeric ? '>= 1' : 'is not null'}"` : undefined,
    ),
    [`${name}.orderby`]: query(
      '$orderby',
      'attribute asc|desc, …; paths through relations too.',
      text,
      isKeyKnown ? `${key.name} desc` : undefined,
    ),
    [`${name}.attributes`]: query(
      '$attributes',
      `The attributes to show, separated by commas; all by default: ${[...plain, ...relations].join(', ')}; separate relations with a dot.`,
      text,
      plain.length > 0 ? plain.slice(0, 3).join(',') : undefined,
    ),
    [`${name}.expand`]: query(
      '$expand',
      relations.length > 0
        ? `Relations to show inline: ${relations.join(', ')}.`
        : 'Relations to show inline.',
      text,
      relations[0],
    ),
  }
}
