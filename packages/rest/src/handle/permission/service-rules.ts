import type { Session } from '@entia/core'

/**
 * Which entity sets and sessions `$info` shows to whom. The id of a set without an owner suffices
 * to use it, so by default callers see only their own: `'all'`, or a function that returns true,
 * shows all.
 */
export type InfoRule = 'own' | 'all' | ((session: Session | null) => boolean | Promise<boolean>)

/** The caller of `$metrics`. */
export interface MetricsAsker {
  readonly session: Session | null
  /**
   * The address as the host reports it; empty if unknown. Behind a proxy, all callers have the
   * proxy's address.
   */
  readonly remoteAddress: string
  /** A header by its lower-case name; null when absent. */
  header(name: string): string | null
}

/** Returns true for callers who may read the metrics. */
export type MetricsRule = (asker: MetricsAsker) => boolean | Promise<boolean>

/** The metrics and who may read them. */
export interface ServedMetrics {
  readonly rule: MetricsRule
  text(): Promise<string>
}
