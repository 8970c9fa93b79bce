import type { ClassModel } from '@entia/core'
import { buildProjection } from '../../engine/build-projection.ts'
import type { Projection } from '../../engine/projection.ts'
import type { Parameters } from '../../request/parameters.ts'
import type { HandleContext } from './context.ts'

/** What a reader asks to see of a dataclass; the path's list wins over `$attributes`. Throws what `buildProjection` throws. */
export function requestedProjection(
  dataClass: ClassModel,
  list: readonly string[] | null,
  parameters: Parameters,
  { caller, limits }: HandleContext,
  expandSelects: boolean = parameters.asArray,
): Projection {
  return buildProjection(dataClass, {
    names: caller.names,
    attributes: list ?? parameters.attributes,
    expand: parameters.expand,
    plain: parameters.asArray,
    expandSelects,
    maxPathDepth: limits.maxPathDepth,
  })
}
