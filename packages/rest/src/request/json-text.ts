import type { EntiaError } from '@entia/core'
import { placeOfProblem } from './json-place.ts'

/**
 * Reads JSON from outside. Counts the depth before parsing: `JSON.parse` accepts a million levels,
 * which recursive code cannot process. `around`: levels that are not counted. Throws the error that
 * `refuse` makes of the problem.
 *
 * Cost O(length).
 */
export function parseJsonText(
  text: string,
  maxDepth: number,
  refuse: (problem: string, isJson: boolean) => EntiaError,
  around = 0,
): unknown {
  const depth = maxDepth + around
  if (mayBeDeeper(text, depth) && depthOf(text) > depth) throw refuse(tooDeep(maxDepth), true)
  try {
    return JSON.parse(text)
  } catch {
    throw refuse(`it is not JSON at ${placeOfProblem(text)}`, false)
  }
}

/** The problem of a value that is nested deeper than the option allows. */
export const tooDeep = (maxDepth: number): string =>
  `it is nested deeper than ${maxDepth} (option "limits.maxJsonDepth")`

/** False for text with at most so many brackets: a quick test that settles nearly all bodies. */
function mayBeDeeper(text: string, depth: number): boolean {
  let left = depth
  for (const opening of ['{', '[']) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1))
      if (--left < 0) return true
  }
  return false
}

/** The deepest nesting of brackets outside strings; an upper bound for text that is not JSON. */
export function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (inString) {
      if (unit === 0x5c) at++
      else if (unit === 0x22) inString = false
    } else if (unit === 0x22) inString = true
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > deepest) deepest = depth
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return deepest
}

/** The nesting of a parsed value, at most `limit + 1`, where the walk stops. */
export function depthOfValue(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (limit <= 0) return 1
  let deepest = 0
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    deepest = Math.max(deepest, depthOfValue(inner, limit - 1))
    if (deepest > limit - 1) break
  }
  return deepest + 1
}

/** The first problem of a parsed value; null for one that may be passed on. */
export const problemOfValue = (value: unknown, maxDepth: number): string | null =>
  depthOfValue(value, maxDepth) > maxDepth ? tooDeep(maxDepth) : problemInside(value)

const RESERVED_NAMES: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The first problem inside a parsed value of bounded depth: a number that is not finite, or a name
 * that reaches a prototype.
 */
export function problemInside(value: unknown): string | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'it holds a number beyond the finite ones'
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const problem = RESERVED_NAMES.has(name)
      ? 'it holds a reserved name (__proto__, constructor or prototype)'
      : problemInside(inner)
    if (problem !== null) return problem
  }
  return null
}

export const isJsonObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const areStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
