import { type ClassModel, EntiaError } from '@entia/core'
import type { Parameters } from '../request/parameters.ts'
import type { PlanAnswer } from './answer.ts'
import type { SelectionSource } from './engine-door.ts'
import { referenceText } from './entity-key.ts'

/** The dataclass that a selection is of. */
export function classOf(source: SelectionSource): ClassModel {
  return source.kind === 'all' ? source.dataClass : source.relation.target
}

/** The plan, when it was asked for. */
export function planOf(parameters: Parameters, { condition }: PlanAnswer): PlanAnswer | null {
  return parameters.queryPlan ? { condition } : null
}

/** The error for a relation of an entity that does not exist. */
export function ownerMissing(source: SelectionSource): EntiaError {
  if (source.kind === 'all') return new EntiaError('dataClassNotFound', { dataClass: source.dataClass.name })
  return new EntiaError('entityCannotBeLoaded', {
    dataClass: source.owner.dataClass.name,
    key: referenceText(source.owner),
  })
}
