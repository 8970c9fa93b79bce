export type HookName =
  | 'init'
  | 'beforeSave'
  | 'validateSave'
  | 'validateRemove'
  | 'afterSave'
  | 'afterRemove'
export type HookFailure = 'throw' | 'refuse'
/** Places where code of the application can write: a hook, or a listener of commits. */
export type Place = HookName | 'listener'

/**
 * Counts the calls of hooks, makes the n-th next call fail once, and lets one of them write. The
 * store has a gate and the model has one: they must agree.
 */
export class HookGate {
  calls = 0
  /** The hook that failed last, and how, for the tally. */
  fired: string | null = null
  /** The outcomes of writes by hooks, in order. */
  readonly reactions: string[] = []
  #left = 0
  #how: HookFailure = 'throw'
  #reaction: { readonly place: Place; readonly write: () => string } | null = null

  arm(left: number, how: HookFailure): void {
    this.#left = left
    this.#how = how
  }
  /** The next call at a place writes, once; the callback returns the outcome. */
  react(place: Place, write: () => string): void {
    this.#reaction = { place, write }
  }
  /** After this, hooks neither fail nor write until they are armed again. */
  disarm(): void {
    this.#left = 0
    this.#reaction = null
  }
  /**
   * Called by every hook. Returns how the hook must fail, or null. Only validating hooks can
   * refuse; others throw.
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
