export type HookName = 'init' | 'beforeSave' | 'validateSave' | 'validateRemove'
export type HookFailure = 'throw' | 'refuse'

/** Counts the calls of hooks, and makes the n-th from now fail once. The store has one, and so has the model: they must agree. */
export class HookGate {
  calls = 0
  /** The hook that failed last, and how; for the count of what was tried. */
  fired: string | null = null
  #left = 0
  #how: HookFailure = 'throw'

  arm(left: number, how: HookFailure): void {
    this.#left = left
    this.#how = how
  }
  /** Called by every hook: how it has to fail, or null. Only hooks that validate can refuse; others throw. */
  enter(hook: HookName): HookFailure | null {
    this.calls++
    if (this.#left === 0 || --this.#left > 0) return null
    const how = hook.startsWith('validate') ? this.#how : 'throw'
    this.fired = `${hook} ${how}`
    return how
  }
}
