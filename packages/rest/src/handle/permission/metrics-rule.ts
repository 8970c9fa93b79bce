import type { Session } from '@entia/core'

/** Who asks for `$metrics`. */
export interface MetricsAsker {
  readonly session: Session | null
  /** As the host tells it; empty where it does not. Behind a proxy all have its address. */
  readonly remoteAddress: string
  /** A header by its lower-case name; null when absent. */
  header(name: string): string | null
}

/** True for those who may read what the server counts. */
export type MetricsRule = (asker: MetricsAsker) => boolean | Promise<boolean>

/** Who may read what the server counts, and what that is. */
export interface ServedMetrics {
  readonly rule: MetricsRule
  text(): Promise<string>
}
