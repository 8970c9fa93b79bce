import { isEntiaError } from '@entia/core'
import { FilterText, isRelation, NUMERIC_TYPES, typeOf, type ValueAttribute } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import { invalidParameter, quoteFound } from '../../request/parameter-values.ts'
import { LIST_PARAMETERS, type PlainParameters } from '../../request/plain-head.ts'
import { isHiddenMember, relationOfKeyMember, storedName } from '../context/plain-members.ts'
import type { Place } from './resources.ts'

type Operator = '===' | '!==' | '>=' | '<=' | 'esclike'

const SUFFIXES: readonly (readonly [suffix: string, operator: Operator])[] = [
  ['_gte', '>='],
  ['_lte', '<='],
  ['_ne', '!=='],
  ['_like', 'esclike'],
]

/** Members of `others` by the parameter that names them. Some entity must have each of them. */
export type NamedMembers = ReadonlyMap<string, string>

export interface PlainFilter {
  readonly filter: FilterText | null
  readonly members: NamedMembers
}

export interface PlainOrder {
  /** In the filter language; null for none. */
  readonly orderBy: string | null
  readonly members: NamedMembers
}

/**
 * The filter that the parameters of a list describe. Texts are compared as the model says; `_like`
 * takes a text with `^`, `$` and `.*`, and no other regular expression. Throws parameterUnknown,
 * parameterInvalid.
 */
export function plainFilter(
  { filters, search }: Pick<PlainParameters, 'filters' | 'search'>,
  scope: Place,
): PlainFilter {
  const values: unknown[] = []
  const put = (value: unknown): string => `:${values.push(value)}`
  const members = new Map<string, string>()
  const conditions: string[] = []
  for (const [parameter, texts] of filters) {
    const { target, operator } = resolve(parameter, scope)
    if (target.kind === 'other') members.set(parameter, target.path[1]!)
    const tests = texts.map((text) => comparison(target, operator, text, parameter, put))
    conditions.push(`(${tests.join(operator === '!==' ? ' and ' : ' or ')})`)
  }
  if (search !== null) conditions.push(`(${searchTest(search, scope, put)})`)
  const filter = conditions.length === 0 ? null : new FilterText(conditions.join(' and '), values)
  return { filter, members }
}

/** The order that `_sort` and `_order` describe. Throws parameterInvalid. */
export function plainOrder(sort: PlainParameters['sort'], scope: Place): PlainOrder {
  const members = new Map<string, string>()
  const terms = sort.map(({ path, isDescending }) => {
    const target = targetOf(path, scope)
    if (target === null) throw unknown('_sort', path)
    if (target.kind === 'other') members.set(`_sort=${path}`, target.path[1]!)
    const steps = target.kind === 'relation' ? [...target.path, '__KEY'] : target.path
    // An order is text, so it can name only what the filter language can write.
    if (!steps.every((step) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(step))) throw unknown('_sort', path)
    return `${steps.join('.')}${isDescending ? ' desc' : ''}`
  })
  return { orderBy: terms.length === 0 ? null : terms.join(', '), members }
}

const unknown = (parameter: string, path: string) =>
  invalidParameter(parameter, 'names of attributes', quoteFound(path))

/** A parameter of a list that is neither a filter nor one of those that begin with `_`. */
export function unknownFilter(parameter: string, { dataClass, names, others }: Place): Error {
  const known = names
    .attributes(dataClass)
    .flatMap((each) => (isRelation(each) || each.name === others ? [] : [each.name]))
  const shown = `${known.slice(0, 12).join(', ')}${known.length > 12 ? ', …' : ''}`
  const remedy = parameter.startsWith('_')
    ? `Lists take ${LIST_PARAMETERS.join(', ')}.`
    : `Filters are ${shown}, also with _gte, _lte, _ne or _like behind.`
  return restError('parameterUnknown', { parameter: parameter.slice(0, 100), remedy })
}

/** What a name leads to. */
type Target =
  | { readonly kind: 'value'; readonly path: readonly string[]; readonly attribute: ValueAttribute }
  /** A property of an object attribute, of any type. */
  | { readonly kind: 'property' | 'other'; readonly path: readonly string[] }
  | { readonly kind: 'elements'; readonly path: readonly [string] }
  | { readonly kind: 'relation'; readonly path: readonly string[]; readonly type: string }

function resolve(
  parameter: string,
  scope: Place,
): { readonly target: Target; readonly operator: Operator } {
  // An attribute called "max_lte" is not a bound of "max".
  const whole = targetOf(parameter, { ...scope, others: null })
  if (whole !== null && whole.kind !== 'property') return { target: whole, operator: '===' }
  const [suffix, operator] = SUFFIXES.find(([suffix]) => parameter.endsWith(suffix)) ?? [
    '',
    '===' as const,
  ]
  const target = targetOf(parameter.slice(0, parameter.length - suffix.length), scope)
  if (target === null) throw unknownFilter(parameter, scope)
  return { target, operator }
}

function targetOf(path: string, { dataClass, names, limits, others }: Place): Target | null {
  if (path === '' || path === others || path.startsWith(`${others}.`)) return null
  const relation = relationOfKeyMember(dataClass, path, names)
  if (relation !== null)
    return { kind: 'relation', path: [relation.name], type: relation.target.key.type }
  try {
    const { steps, attribute, properties } = names.path(dataClass, path, limits.maxPathDepth)
    if (isRelation(attribute)) return null
    const type = typeOf(attribute)
    if (type === 'image' || type === 'blob') return null
    const whole = [...steps.map(({ name }) => name), attribute.name]
    if (type !== 'object') return { kind: 'value', path: whole, attribute }
    if (properties.length > 0) return { kind: 'property', path: [...whole, ...properties] }
    return steps.length === 0 ? { kind: 'elements', path: [attribute.name] } : null
  } catch (error) {
    if (!isEntiaError(error, 'attributeNotFound') && !isEntiaError(error, 'attributeNotApplicable'))
      throw error
    if (others === null) return null
    const members = path.split('.')
    if (members.includes('') || isHiddenMember(dataClass, members[0]!, names)) return null
    return { kind: 'other', path: [others, ...members.map(storedName)] }
  }
}

function comparison(
  target: Target,
  operator: Operator,
  text: string,
  parameter: string,
  put: (value: unknown) => string,
): string {
  const left = target.kind === 'elements' ? `${target.path[0]}[]` : put([...target.path])
  const test = (value: unknown): string => `${left} ${operator} ${put(value)}`
  if (operator === 'esclike') {
    const isText =
      target.kind === 'value' ? isTextual(typeOf(target.attribute)) : target.kind !== 'relation'
    if (!isText) throw notText(parameter, text)
    return test(patternOf(parameter, text))
  }
  if (target.kind === 'value') return test(typedValue(typeOf(target.attribute), text, parameter))
  if (target.kind === 'relation') {
    if (operator === '>=' || operator === '<=')
      throw invalidParameter(
        parameter,
        'the name of an attribute with an order before "_gte" or "_lte"',
        'a relation',
      )
    return test(typedValue(target.type, text, parameter))
  }
  // The type of a property is that of the value found.
  const readings = [text, ...numberIn(text), ...booleanIn(text)]
  return `(${readings.map(test).join(operator === '!==' ? ' and ' : ' or ')})`
}

const isTextual = (type: string): boolean => type === 'string' || type === 'uuid'

const notText = (parameter: string, text: string) =>
  invalidParameter(
    parameter,
    'the name of an attribute that holds text before "_like"',
    quoteFound(text),
  )

const numberIn = (text: string): readonly number[] =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text))
    ? [Number(text)]
    : []
const booleanIn = (text: string): readonly boolean[] =>
  text === 'true' || text === 'false' ? [text === 'true'] : []

/** The value that the text in an address stands for, by the attribute's type. */
function typedValue(type: string, text: string, parameter: string): unknown {
  const invalid = (expected: string) => invalidParameter(parameter, expected, quoteFound(text))
  if (NUMERIC_TYPES.has(type)) {
    const [number] = numberIn(text)
    if (number === undefined) throw invalid('a number')
    return number
  }
  if (type === 'date' && !/^[+-]?\d{4,6}-\d\d-\d\d|!/.test(text))
    throw invalid('a date such as 2024-01-31, or a date and time')
  if (type !== 'bool') return text
  const [flag] = booleanIn(text)
  if (flag === undefined) throw invalid('true or false')
  return flag
}

const SPECIAL = /[+?()[\]{}|^$]/

/**
 * The pattern of the filter language for the value of `_like`. A dot stands for itself, which is
 * what people who search mean. Throws parameterInvalid for other parts of regular expressions.
 */
function patternOf(parameter: string, text: string): string {
  const isStart = text.startsWith('^')
  const isEnd = /(?:^|[^\\])\$$/.test(text)
  const inner = text.slice(isStart ? 1 : 0, isEnd ? -1 : undefined)
  let pattern = ''
  for (const [piece] of inner.matchAll(/\\.|\.\*|[\s\S]/gu)) {
    if (piece === '.*') pattern += '@'
    // Before a letter or a digit, a backslash is one of the text.
    else if (/^\\[^\p{L}\p{N}]/u.test(piece)) pattern += literal(piece.slice(1))
    else if (SPECIAL.test(piece))
      throw invalidParameter(
        parameter,
        'text, with ^, $ and .* only; a backslash before another sign takes it literally',
        quoteFound(text),
      )
    else pattern += literal(piece)
  }
  return `${isStart ? '' : '@'}${pattern}${isEnd ? '' : '@'}`
}

/** Text without wildcards in a pattern. */
const literal = (text: string): string => text.replace(/[@*\\]/g, '\\$&')

/** Text anywhere in an attribute of the entity, or a number that is equal to one. */
function searchTest(
  search: string,
  { dataClass, names }: Place,
  put: (value: unknown) => string,
): string {
  const [number] = numberIn(search)
  const tests: string[] = []
  let pattern: string | null = null
  for (const attribute of names.attributes(dataClass)) {
    if (attribute.kind !== 'storage') continue
    if (attribute.type === 'string') {
      pattern ??= put(`@${literal(search)}@`)
      tests.push(`${attribute.name} esclike ${pattern}`)
    } else if (number !== undefined && NUMERIC_TYPES.has(attribute.type))
      tests.push(`${attribute.name} = ${put(number)}`)
  }
  // Nothing to search: a key is never null.
  return tests.length === 0 ? `${dataClass.key.name} = null` : tests.join(' or ')
}
