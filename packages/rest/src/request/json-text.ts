import type { EntiaError } from '@entia/core'

/** Why a text is no acceptable JSON: said in the words of the caller's error. */
export type JsonProblem = 'tooDeep' | 'notJson' | 'notFinite' | 'reservedName'

/**
 * Reads JSON that a stranger sent. Depth is counted before parsing: `JSON.parse` takes a million levels that nothing after it can walk.
 * Returns the value, or the problem under `onProblem`.
 * Cost    O(length).
 */
export function parseJsonText(
  text: string,
  maxDepth: number,
  onProblem: (problem: JsonProblem) => EntiaError,
): unknown {
  if (mayBeDeeper(text, maxDepth) && depthOf(text) > maxDepth) throw onProblem('tooDeep')
  try {
    return JSON.parse(text)
  } catch {
    throw onProblem('notJson')
  }
}

/** False for text with no more brackets than that. Nearly all bodies are told so after a few searches. */
function mayBeDeeper(text: string, depth: number): boolean {
  let left = depth
  for (const opening of ['{', '[']) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) if (--left < 0) return true
  }
  return false
}

/** The deepest nesting of brackets outside strings; an upper bound for text that is no JSON. */
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

/** Nesting of a parsed value, at most `limit + 1`: the walk goes no deeper. */
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

const RESERVED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The first problem inside a parsed value of bounded depth: a number that is not finite, or a name that could reach a prototype. */
export function problemInside(value: unknown): JsonProblem | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'notFinite'
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (const item of value) {
      const problem = problemInside(item)
      if (problem !== null) return problem
    }
    return null
  }
  for (const [name, inner] of Object.entries(value)) {
    const problem = RESERVED_NAMES.has(name) ? 'reservedName' : problemInside(inner)
    if (problem !== null) return problem
  }
  return null
}

/** The words of a problem, for messages. */
export function describeJsonProblem(problem: JsonProblem, maxDepth: number): string {
  switch (problem) {
    case 'tooDeep':
      return `it is nested deeper than ${maxDepth} (option "limits.maxJsonDepth")`
    case 'notJson':
      return 'it is not JSON'
    case 'notFinite':
      return 'it holds a number beyond the finite ones'
    case 'reservedName':
      return 'it holds a reserved name (__proto__, constructor or prototype)'
  }
}
