export type HookName =
  | 'init'
  | 'beforeSave'
  | 'validateSave'
  | 'validateRemove'
  | 'afterSave'
  | 'afterRemove'
export type HookFailure = 'throw' | 'refuse'
/** Where code of the application runs that may write: a hook, or a listener of commits. */
export type Place = HookName | 'listener'

/**
 * Counts the calls of hooks, makes the n-th from now fail once, and lets one of them write. The
 * store has a gate, and so has the model: they must agree.
 */
export class HookGate {
  calls = 0
  /** The hook that failed last, and how; for the count of what was tried. */
  fired: string | null = null
  /** How the writes of hooks ended, in their order. */
  readonly reactions: string[] = []
  #left = 0
  #how: HookFailure = 'throw'
  #reaction: { readonly place: Place; readonly write: () => string } | null = null

  arm(left: number, how: HookFailure): void {
    this.#left = left
    this.#how = how
  }
  /** The next call at a place writes, once; it answers how that ended. */
  react(place: Place, write: () => string): void {
    this.#reaction = { place, write }
  }
  /** No hook fails or writes until it is asked to again. */
  disarm(): void {
    this.#left = 0
    this.#reaction = null
  }
  /**
   * Every hook calls it: how the hook has to fail, or null. Only hooks that validate can refuse;
   * others throw.
   */
  enter(place: Place): HookFailure | null {
    const reaction = this.#reaction
    if (reaction?.place === place) {
      this.#reaction = null
      this.reactions.push(`${place} ${reaction.write()}`)
    }
    if (place === 'listener' || place === 'afterSave' || place === 'afterRemove') return null
    this.calls++
    if (this.#left === 0 || --this.#left > 0) return null
    const how = place.startsWith('validate') ? this.#how : 'throw'
    this.fired = `${place} ${how}`
    return how
  }
}
