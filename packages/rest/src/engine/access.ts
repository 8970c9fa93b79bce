import type { AttributeModel, ClassModel, RowFilter } from '@entia/core'
import type { AccessAction } from '../errors/error-details.ts'

/** What is asked about entities, rather than about the model. */
export type RowAction = Exclude<AccessAction, 'describe' | 'call'>

/** What one caller may know and do, worked out before the engine is entered. */
export interface Access {
  /** False: the dataclass is unknown to the caller. */
  mayDescribe(dataClass: ClassModel): boolean
  /** False: the attribute is unknown to the caller. */
  mayRead(attribute: AttributeModel): boolean
  mayWrite(attribute: AttributeModel, action: 'create' | 'update'): boolean
  /** All entities, none, or those that a filter selects. */
  rows(dataClass: ClassModel, action: RowAction): boolean | RowFilter
  mayCall(dataClass: ClassModel | null, functionName: string): boolean
}
