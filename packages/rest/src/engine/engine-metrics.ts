/** What an engine counts of itself. */
export interface EngineMetrics {
  readonly entities: readonly { readonly dataClass: string; readonly count: number }[]
  readonly entitySets: number
  readonly entitySetBytes: number
  readonly sessions: number
  readonly locks: number
  readonly uploads: number
  /** Of the last commit. */
  readonly globalStamp: number
  readonly historyCommits: number
  readonly historyBytes: number
  readonly keptTextCharacters: number
  readonly filtersCompiled: number
  /** Reads that took more than one turn. */
  readonly longReads: number
  readonly uptimeMilliseconds: number
}
