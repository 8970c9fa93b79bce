import type { StepSyntax } from '../../src/filter/syntax.ts'
import type { Test } from './plain-test.ts'
import { fold } from './plain-value.ts'

/**
 * A comparison inside an object: its path and test. `opposite` is the positive form of a negative
 * comparison.
 */
export interface Property {
  readonly path: readonly StepSyntax[]
  readonly test: Test
  readonly opposite: Test | null
}

/**
 * A conjunction of comparisons inside one JSON value. Comparisons with the same letter are about
 * the same element.
 */
export function propertiesHold(json: unknown, properties: readonly Property[]): boolean {
  const linked = new Map<string, Property[]>()
  for (const property of properties) {
    const mark = property.path.findIndex(({ element }) => element !== null)
    const letter = mark < 0 ? null : property.path[mark].element
    if (letter === null || letter === '') {
      if (!propertyHolds(json, property, mark)) return false
      continue
    }
    const link = `${property.path
      .slice(0, mark + 1)
      .map(({ name }) => name)
      .join('.')} ${letter}`
    linked.set(link, [...(linked.get(link) ?? []), property])
  }
  for (const group of linked.values()) {
    const mark = group[0].path.findIndex(({ element }) => element !== null)
    const elements = follow(json, group[0].path.slice(0, mark + 1))
    const inside = group.map((property) => ({ ...property, path: property.path.slice(mark + 1) }))
    if (!Array.isArray(elements) || !elements.some((element) => propertiesHold(element, inside)))
      return false
  }
  return true
}

function propertyHolds(json: unknown, { path, test, opposite }: Property, mark: number): boolean {
  if (mark < 0) return asks(test, follow(json, path))
  const elements = follow(json, path.slice(0, mark + 1))
  if (!Array.isArray(elements)) return false
  const inside = path.slice(mark + 1)
  // All elements differ: no element equals the value.
  if (opposite !== null)
    return !elements.some((element) =>
      propertiesHold(element, [{ path: inside, test: opposite, opposite: null }]),
    )
  return elements.some((element) => propertiesHold(element, [{ path: inside, test, opposite }]))
}

/** Objects and arrays are values, but no literal equals them. */
function asks(test: Test, found: unknown): boolean {
  if (found === null || found === undefined) return test(null)
  return test(typeof found === 'string' ? fold(found, false) : found, found)
}

/** The value at a path; undefined if it is missing. `length` counts the elements of an array. */
function follow(json: unknown, path: readonly StepSyntax[]): unknown {
  let value = json
  for (const { name } of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as { readonly [name: string]: unknown })[name]
  }
  return value
}
