import type { Condition } from '@entia/core'
import { describeFound, refused } from '@entia/core/internal'

/** What a replica holds of one dataclass. */
export interface Shape {
  /** The entities; all that the caller may read without it. */
  readonly filter?: string | Condition
  /** The values of `:1`, `:2` … of a filter that is a text. */
  readonly parameters?: readonly unknown[]
  /** `'name, city'`; without it all that the caller may read, except images and BLOBs. */
  readonly attributes?: string
  /** Paths of relations to entities that are held too: `['staff', 'staff.manager']`. */
  readonly with?: readonly string[]
}

/** By dataclass; true for all entities with all attributes. */
export type Shapes = { readonly [dataClass: string]: Shape | true }

/** A shape as it is sent. */
export type SentShape =
  | true
  | {
      readonly filter?: string
      readonly params?: readonly unknown[]
      readonly attributes?: readonly string[]
      readonly with?: readonly string[]
    }

const MEMBERS = [
  'filter',
  'parameters',
  'attributes',
  'with',
] as const satisfies readonly (keyof Shape)[]

function checkShapes(argument: string, shapes: unknown): void {
  if (typeof shapes !== 'object' || shapes === null || Array.isArray(shapes))
    throw refused(
      argument,
      'an object by the names of dataclasses, such as { Order: true }',
      describeFound(shapes),
    )
}

/** The shapes as they are sent. Throws argumentInvalid. */
export function sentShapes(shapes: Shapes): { readonly [dataClass: string]: SentShape } {
  checkShapes('The option shapes', shapes)
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      shape === true ? true : sent(`shape of ${name}`, shape),
    ]),
  )
}

function sent(title: string, shape: Shape): SentShape {
  const refuse = (member: string, expected: string, found: unknown) =>
    refused(`The ${title}${member}`, expected, describeFound(found))
  if (typeof shape !== 'object' || shape === null || Array.isArray(shape))
    throw refuse('', `true or an object such as { filter: 'price > 100' }`, shape)
  for (const name of Object.keys(shape))
    if (!MEMBERS.some((member) => member === name))
      throw refused(`A member of the ${title}`, `one of ${MEMBERS.join(', ')}`, `"${name}"`)
  const { filter, parameters, attributes, with: paths } = shape
  if (parameters !== undefined && !Array.isArray(parameters))
    throw refuse(', parameters,', 'an array of the values of :1, :2 …', parameters)
  if (attributes !== undefined && typeof attributes !== 'string')
    throw refuse(', attributes,', `a text, such as 'name, city'`, attributes)
  if (
    paths !== undefined &&
    !(Array.isArray(paths) && paths.every((path) => typeof path === 'string'))
  )
    throw refuse(', with,', `an array of paths, such as ['staff']`, paths)
  const isCondition = typeof filter === 'object' && filter !== null
  if (filter !== undefined && typeof filter !== 'string' && !isCondition)
    throw refuse(', filter,', `a text, such as 'price > 100', or a condition`, filter)
  const text = isCondition ? filter.text : filter
  const params = isCondition ? filter.params : parameters
  return {
    ...(text === undefined ? {} : { filter: text }),
    ...(params === undefined || params.length === 0 ? {} : { params }),
    ...(attributes === undefined
      ? {}
      : { attributes: attributes.split(',').map((name) => name.trim()) }),
    ...(paths === undefined ? {} : { with: paths }),
  }
}

/** Shapes with changes; null removes one. Throws argumentInvalid. */
export function withShapes(
  before: ReturnType<typeof sentShapes>,
  changes: { readonly [dataClass: string]: Shape | true | null },
): ReturnType<typeof sentShapes> {
  checkShapes('The argument of reshape', changes)
  const next: { [dataClass: string]: SentShape } = { ...before }
  for (const [name, shape] of Object.entries(changes))
    if (shape === null) delete next[name]
    else Object.assign(next, sentShapes({ [name]: shape }))
  return next
}
