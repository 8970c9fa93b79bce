import type { AnyDataStore } from '@entia/core'

/** A dataclass known by name at run time only. */
export type AnyTable = ReturnType<AnyDataStore['dataClass']>
export type AnySelection = ReturnType<AnyTable['all']>
