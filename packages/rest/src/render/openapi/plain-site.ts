import type { PlainResource } from '../../request/plain-head.ts'

/** How plain REST is served, as far as the document shows it. */
export interface OpenApiPlain {
  /** The prefix that the host puts before both base paths; '' for none. */
  readonly mountPath: string
  /** The base path of the entity interface, without `mountPath`. */
  readonly entityPath: string
  readonly basePath: string
  readonly resources: ReadonlyMap<string, PlainResource>
  /** The object attribute with further members of a dataclass, or null. */
  othersOf(dataClass: string): string | null
}
