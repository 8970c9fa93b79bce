import type { Caller } from '../../engine/caller.ts'
import type { AccessAction } from '../../errors/error-details.ts'

/** What a caller may do with at least some entities of one dataclass. */
export interface Privileges {
  readonly dataClass: string
  readonly actions: readonly AccessAction[]
  /** The functions that the caller may call. */
  readonly functions: readonly string[]
}

export const PRIVILEGED_ACTIONS = ['read', 'create', 'update', 'delete', 'lock'] as const

/** The privileges for every dataclass that the caller knows. */
export function privilegesOf({ names, access }: Caller): readonly Privileges[] {
  return names.dataClasses().map((dataClass) => {
    const allowed = PRIVILEGED_ACTIONS.filter(
      (action) => access === null || access.rows(dataClass, action) !== false,
    )
    const functions = [...dataClass.functions.values()].filter(
      ({ exposed, name }) => exposed && names.mayCall(dataClass, name),
    )
    return {
      dataClass: dataClass.name,
      actions: ['describe', ...allowed],
      functions: functions.map(({ name }) => name),
    }
  })
}
