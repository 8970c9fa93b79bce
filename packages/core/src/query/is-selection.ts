import type { AnySelection } from '../model/session-types.ts'
import { Selection } from './selection.ts'

/**
 * True for a selection of any store.
 *
 * @example
 * ```ts
 * isSelection(store.Employee.all()) // → true
 * ```
 */
export const isSelection = (value: unknown): value is AnySelection => value instanceof Selection
