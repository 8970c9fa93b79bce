import type { AttributeModel, ClassModel, RowFilter } from '@entia/core'
import type { AccessAction } from '../errors/error-details.ts'

/** An action on entities, as opposed to the model. */
export type RowAction = Exclude<AccessAction, 'describe' | 'call'>

/** What one caller may know and do. It is resolved before the engine is called. */
export interface Access {
  /** False: the dataclass is unknown to the caller. */
  mayDescribe(dataClass: ClassModel): boolean
  /** False: the attribute is unknown to the caller. */
  mayRead(attribute: AttributeModel): boolean
  mayWrite(attribute: AttributeModel, action: 'create' | 'update'): boolean
  /** True for all entities, false for none, a filter for those that it selects. */
  rows(dataClass: ClassModel, action: RowAction): boolean | RowFilter
  mayCall(dataClass: ClassModel | null, functionName: string): boolean
}
