import type { Session } from '@entia/core'

/**
 * Who is shown which entity sets and sessions. The id of a set is all it takes to use one that nobody owns, so lists hold only
 * what is the caller's own unless the application says otherwise: `'all'`, or a function that answers true.
 */
export type InfoRule = 'own' | 'all' | ((session: Session | null) => boolean | Promise<boolean>)

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
