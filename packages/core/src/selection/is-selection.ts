import type { AnySelection } from '../model/session-types.ts'
import { Selection } from './selection.ts'

/** True for a selection of any store. */
export const isSelection = (value: unknown): value is AnySelection => value instanceof Selection
