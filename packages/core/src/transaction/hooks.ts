import { EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { describeFound } from '../value/refusal.ts'
import type { StoredValue } from '../value/types.ts'
import { draftPatch } from './draft.ts'
import type { Patch } from './patch.ts'
import type { TransactionPort } from './port.ts'
import { callUserCode } from './user-code.ts'
import { writeError } from './write-errors.ts'

/** How deep hooks may nest by calling the store. */
export const MAX_HOOK_DEPTH = 8

/** The second argument of hooks. */
export interface HookContext {
  /** The entity before the save; null for a new one, and for a removal. */
  readonly before: object | null
  /** The session that writes; null outside of one. */
  readonly session: unknown
  readonly store: unknown
}

/** `before` is null for a new entity. */
export function hookContext(
  { session, store }: TransactionPort,
  before: object | null,
): HookContext {
  return { before, session, store }
}

/** Runs hooks and counts their depth. Every failure of a hook becomes an `EntiaError`. */
export class HookRunner {
  #depth = 0

  /** Runs `init` on a new entity and returns its changes. */
  init(model: ClassModel, values: readonly StoredValue[]): Patch | null {
    const { init } = model.hooks
    if (init === undefined) return null
    return draftPatch(model, values, (draft) => this.run(model, 'init', () => init(draft as never)))
  }

  /** Runs `beforeSave` on an entity to be saved and returns its changes. */
  beforeSave(
    model: ClassModel,
    values: readonly StoredValue[],
    context: HookContext,
  ): Patch | null {
    const { beforeSave } = model.hooks
    if (beforeSave === undefined) return null
    return draftPatch(model, values, (draft) => {
      this.run(model, 'beforeSave', () => beforeSave(draft as never, context as never))
    })
  }

  /** Runs `validateSave` or `validateRemove` and returns its refusal, or null. */
  refusal(
    model: ClassModel,
    hook: 'validateSave' | 'validateRemove',
    entity: object,
    context: HookContext,
  ): EntiaError | null {
    const validate = model.hooks[hook] as NonNullable<(typeof model.hooks)[typeof hook]>
    const answer = this.run(model, hook, () => validate(entity as never, context as never))
    if (answer === undefined || answer === null) return null
    if (typeof answer === 'object' && 'errCode' in answer && 'message' in answer) {
      const { errCode, message } = answer
      if (typeof errCode === 'number' && Number.isFinite(errCode) && typeof message === 'string') {
        return writeError('hookRefused', { dataClass: model.name, hook, errCode, message })
      }
    }
    const problem = `it must return undefined or { errCode, message }, not ${describeFound(answer)}.`
    throw writeError('hookFailed', { dataClass: model.name, hook, problem })
  }

  /**
   * Runs a hook. Throws `hookTooDeep`, `hookFailed`, `promiseReturned`, or the `EntiaError` that
   * the hook throws.
   */
  run(model: ClassModel, hook: string, call: () => unknown): unknown {
    if (this.#depth === MAX_HOOK_DEPTH) {
      throw new EntiaError('hookTooDeep', { dataClass: model.name, hook, limit: MAX_HOOK_DEPTH })
    }
    this.#depth++
    try {
      return callUserCode(model, hook, call)
    } finally {
      this.#depth--
    }
  }
}
