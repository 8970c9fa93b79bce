import type { Condition } from '@entia/core'

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

/** The shapes as they are sent. */
export function sentShapes(shapes: Shapes): { readonly [dataClass: string]: SentShape } {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, shape === true ? true : sent(shape)]),
  )
}

function sent({ filter, parameters, attributes, with: paths }: Shape): SentShape {
  const text = typeof filter === 'object' ? filter.text : filter
  const params = typeof filter === 'object' ? filter.params : parameters
  return {
    ...(text === undefined ? {} : { filter: text }),
    ...(params === undefined || params.length === 0 ? {} : { params }),
    ...(attributes === undefined
      ? {}
      : { attributes: attributes.split(',').map((name) => name.trim()) }),
    ...(paths === undefined ? {} : { with: paths }),
  }
}
