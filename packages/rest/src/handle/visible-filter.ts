import { type Catalog, type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import { findAttribute, isRelation, unknownAttribute } from './names.ts'

/**
 * Keeps hidden names out of filters. The engine binds a filter over the whole model; from outside, what is not exposed
 * must be as unknown as what does not exist, or a filter could find out by trial what a hidden attribute holds.
 */

/** One piece of a filter that can name an attribute, and where it stands. */
interface PathToken {
  readonly path: string
  readonly offset: number
  /** Written out, so that each of its names has a place of its own; a placeholder has one for all. */
  readonly isWritten: boolean
}

/** Throws what the engine throws for an unknown name, when the filter names one that is hidden. Cost: O(text). */
export function refuseHiddenNames(dataClass: ClassModel, filter: FilterText): void {
  for (const { path, offset, isWritten } of pathsOf(filter)) {
    const hidden = findHiddenName(dataClass, path)
    if (hidden === null) continue
    const cause = unknownAttribute(hidden.dataClass, hidden.name)
    const details = {
      filter: filter.text,
      offset: isWritten ? offset + hidden.offset : offset,
      problem: cause.message,
    }
    throw new EntiaError('filterCannotBeAnalysed', details, { cause })
  }
}

/** The engine's error for an unknown name without the hidden names among those it suggests; any other error as it is. */
export function withoutHiddenNames(catalog: Catalog, error: unknown): unknown {
  if (!isEntiaError(error, 'filterCannotBeAnalysed') || !isEntiaError(error.cause, 'attributeNotFound')) return error
  const { dataClass: name, attribute } = error.cause.details
  const dataClass = catalog.byName.get(name)
  if (dataClass === undefined) return error
  const cause = unknownAttribute(dataClass, attribute)
  const { filter, offset } = error.details
  return new EntiaError('filterCannotBeAnalysed', { filter, offset, problem: cause.message }, { cause })
}

interface HiddenName {
  readonly dataClass: ClassModel
  readonly name: string
  /** Within the path. */
  readonly offset: number
}

/** The first name of a path that exists and is hidden. What does not exist at all is the engine's to refuse. */
function findHiddenName(from: ClassModel, path: string): HiddenName | null {
  let dataClass = from
  let offset = 0
  for (const step of path.split('.')) {
    const name = step.replace(/[[{].*$/, '')
    const attribute = dataClass.attributes.get(name)
    if (attribute === undefined) return null
    if (findAttribute(dataClass, name) === undefined) return { dataClass, name, offset }
    if (!isRelation(attribute)) return null
    dataClass = attribute.target
    offset += step.length + 1
  }
  return null
}

const TOKENS = /\s+|'[^']*'?|"[^"]*"?|:[\p{L}\p{N}_.]+|[<>=#%!]+|[&|^]+|[(),]|[^\s'"()<>=#&^|%!,]+/gu
const WORD_COMPARATORS: ReadonlySet<string> = new Set(
  'eq like is eqeq isnot nene gt gte gteq lt lte lteq begin in matches'.split(' '),
)
const OTHER_WORDS: ReadonlySet<string> = new Set(['and', 'or', 'except', 'order', 'by', 'asc', 'desc'])

/** The words of a filter that stand where an attribute can stand: not behind a comparator, not inside a list of values. */
function pathsOf({ text, params }: FilterText): readonly PathToken[] {
  const paths: PathToken[] = []
  let isValueNext = false
  let isListNext = false
  let listEnd: string | null = null
  for (const { 0: token, index: offset } of text.matchAll(TOKENS)) {
    if (/^\s/.test(token)) continue
    const word = token.toLowerCase()
    if (listEnd !== null) {
      if (token.endsWith(listEnd)) listEnd = null
    } else if (isListNext && /^[([]/.test(token)) {
      listEnd = token.endsWith(']') ? null : token.startsWith('(') ? ')' : ']'
      isValueNext = false
      isListNext = false
    } else if (/^[<>=#%!]/.test(token)) isValueNext = token !== '!'
    else if (WORD_COMPARATORS.has(word)) {
      isValueNext = true
      isListNext = word === 'in'
    } else if (word === 'not') continue
    else if (/^[&|^(),]/.test(token) || OTHER_WORDS.has(word)) isValueNext = false
    else if (isValueNext) {
      isValueNext = false
      isListNext = false
    } else if (token.startsWith(':')) {
      const path = params === null ? undefined : new Map(Object.entries(params)).get(placeName(params, token.slice(1)))
      if (typeof path === 'string') paths.push({ path, offset, isWritten: false })
    } else if (!/^['"]/.test(token)) paths.push({ path: token, offset, isWritten: true })
  }
  return paths
}

/** `:1` is the first of an array, and the name `1` of an object. */
function placeName(params: NonNullable<FilterText['params']>, name: string): string {
  return Array.isArray(params) ? String(Number(name) - 1) : name
}
