import { describeFound, Refusal } from './check-options.ts'
import type { Json } from './types.ts'

/** Levels of nesting that an object value may have, including the outermost. */
export const MAX_JSON_DEPTH = 64
/** Properties that one object inside a value may have. */
export const MAX_JSON_KEYS = 1000
/** Values of all kinds that one object value may hold. A shared part counts each time it occurs. */
const MAX_JSON_VALUES = 1_000_000

/** Names that can reach prototypes. They are never stored and never read. */
export function isDangerousName(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}

/** True for text without lone surrogates: it survives UTF-8. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed()
}

/**
 * Makes a deep-frozen copy of a JSON object or array, which shares nothing with the input. Returns
 * a `Refusal` if the value is too deep or too wide, or holds a dangerous property name, a number
 * that is not finite, text with a lone surrogate, or an instance of a class. As in JSON text,
 * properties that are `undefined` are left out and -0 becomes 0. Cost: O(values).
 */
export function copyJson(input: object): Json | Refusal {
  const budget = { values: MAX_JSON_VALUES }
  return copyValue(input, '', 1, budget)
}

/**
 * The JSON value at a path of property names below an object value; undefined when a step is
 * missing. It follows own properties of objects and elements of arrays by index, so no name reaches
 * a prototype.
 */
export function propertyAt(value: Json, path: readonly string[]): Json | undefined {
  let current: Json | undefined = value
  for (const name of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name))
      return undefined
    if (Array.isArray(current))
      current = name === 'length' ? undefined : (current[Number(name)] as Json)
    else current = (current as { readonly [name: string]: Json })[name]
    if (current === undefined) return undefined
  }
  return current
}

/**
 * The properties at several paths, nested as they are in the object; null for a missing one. No
 * path lies below another one. Null for what is no object.
 */
export function propertiesAt(value: Json, paths: readonly (readonly string[])[]): Json {
  if (typeof value !== 'object' || value === null) return null
  const out: { [name: string]: Json } = {}
  for (const path of paths) {
    if (path.some(isDangerousName)) continue
    let at = out
    for (const name of path.slice(0, -1)) {
      const next = Object.hasOwn(at, name) ? at[name] : {}
      at[name] = next
      at = next as { [name: string]: Json }
    }
    at[path[path.length - 1]] = propertyAt(value, path) ?? null
  }
  return out
}

/** Drops each path that lies below another one, whose value includes it. */
export function outermost(paths: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isBelow = (path: readonly string[], other: readonly string[]): boolean =>
    other.length < path.length && other.every((name, at) => name === path[at])
  return paths.filter((path) => !paths.some((other) => isBelow(path, other)))
}

function copyValue(
  input: unknown,
  at: string,
  depth: number,
  budget: { values: number },
): Json | Refusal {
  if (budget.values-- === 0) return refuse(at, `more than ${MAX_JSON_VALUES} values`)
  switch (typeof input) {
    case 'boolean':
      return input
    case 'number':
      return Number.isFinite(input) ? input + 0 : refuse(at, describeFound(input))
    case 'string':
      return isWellFormed(input) ? input : refuse(at, 'text with a lone surrogate')
    case 'object':
      if (input === null) return null
      if (depth > MAX_JSON_DEPTH) return refuse(at, `more than ${MAX_JSON_DEPTH} levels`)
      if (Array.isArray(input)) return copyArray(input, at, depth, budget)
      if (!isPlain(input)) return refuse(at, describeInstance(input))
      return copyObject(input, at, depth, budget)
    default:
      return refuse(at, describeFound(input))
  }
}

function copyArray(
  input: readonly unknown[],
  at: string,
  depth: number,
  budget: { values: number },
): Json | Refusal {
  const copy: Json[] = []
  for (let i = 0; i < input.length; i++) {
    const value = copyValue(input[i], `${at}[${i}]`, depth + 1, budget)
    if (value instanceof Refusal) return value
    copy.push(value)
  }
  return Object.freeze(copy)
}

function copyObject(
  input: object,
  at: string,
  depth: number,
  budget: { values: number },
): Json | Refusal {
  const entries = Object.entries(input)
  if (entries.length > MAX_JSON_KEYS)
    return refuse(at, `an object of more than ${MAX_JSON_KEYS} properties`)
  const copy: { [key: string]: Json } = {}
  for (const [name, property] of entries) {
    if (isDangerousName(name)) return refuse(at, `a property called "${name}"`)
    if (!isWellFormed(name)) return refuse(at, 'a property name with a lone surrogate')
    if (property === undefined) continue
    const value = copyValue(property, at === '' ? name : `${at}.${name}`, depth + 1, budget)
    if (value instanceof Refusal) return value
    copy[name] = value
  }
  return Object.freeze(copy)
}

/** A literal, `JSON.parse` result or `Object.create(null)`, of this or another realm. */
export function isPlain(input: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(input)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** True for values that JSON would write as an empty object, or without their content. */
export function hasNoForm(value: object): boolean {
  if (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value)
  )
    return true
  const isCallable = (name: 'then' | 'bytes') =>
    name in value && typeof (value as { [name]: unknown })[name] === 'function'
  return isCallable('then') || isCallable('bytes')
}

function describeInstance(input: object): string {
  return input instanceof Date ? 'a Date (give its ISO text)' : 'an instance of a class'
}

function refuse(at: string, found: string): Refusal {
  return new Refusal(
    'JSON',
    at === '' ? found : `${found} at "${at.length > 80 ? `${at.slice(0, 79)}…` : at}"`,
  )
}
