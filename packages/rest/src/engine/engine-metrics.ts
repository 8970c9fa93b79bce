/** The figures that an engine reports about itself. */
export interface EngineMetrics {
  readonly entities: readonly { readonly dataClass: string; readonly count: number }[]
  readonly entitySets: number
  readonly entitySetBytes: number
  readonly sessions: number
  readonly locks: number
  readonly uploads: number
  /** The global stamp of the last commit. */
  readonly globalStamp: number
  readonly historyCommits: number
  readonly historyBytes: number
  readonly keptTextCharacters: number
  readonly filtersCompiled: number
  /** Reads that took more than one time slice. */
  readonly longReads: number
  readonly uptimeMilliseconds: number
}
