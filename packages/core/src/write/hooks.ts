import { EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { describeFound } from '../value/check-options.ts'
import type { StoredValue } from '../value/types.ts'
import { draftPatch } from './draft.ts'
import type { Patch } from './patch.ts'
import type { WriteContext } from './port.ts'
import type { RecordRef } from './referential.ts'
import { callUserCode, writeError } from './write-errors.ts'

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
export function hookContext({ session, store }: WriteContext, before: object | null): HookContext {
  return { before, session, store }
}

/** Runs hooks and counts their depth. Every failure of a hook becomes an `EntiaError`. */
export class HookRunner {
  #depth = 0

  /**
   * Runs `init` on a new entity, or `beforeSave`, which takes a context, on one to be saved.
   * Returns its changes.
   */
  changes(
    model: ClassModel,
    name: 'init' | 'beforeSave',
    values: readonly StoredValue[],
    ...context: HookContext[]
  ): Patch | null {
    const hook = model.hooks[name] as
      | ((draft: object, ...context: HookContext[]) => unknown)
      | undefined
    if (hook === undefined) return null
    return draftPatch(model, values, (draft) => {
      this.run(model, name, () => hook(draft, ...context))
    })
  }

  /** Runs `validateSave` or `validateRemove` and returns its refusals. */
  refusals(
    model: ClassModel,
    hook: 'validateSave' | 'validateRemove',
    entity: object,
    context: HookContext,
  ): readonly EntiaError[] {
    const validate = model.hooks[hook] as NonNullable<(typeof model.hooks)[typeof hook]>
    const answer = this.run(model, hook, () => validate(entity as never, context as never))
    if (answer === undefined || answer === null) return []
    return (Array.isArray(answer) ? answer : [answer]).map((each: unknown) => {
      const refusal = refusalOf(each)
      if (refusal !== null)
        return writeError('hookRefused', { dataClass: model.name, hook, ...refusal })
      const problem = `it must return undefined or { errCode, message }, not ${describeFound(each)}.`
      throw writeError('hookFailed', { dataClass: model.name, hook, problem })
    })
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

/** A refusal as a hook returns it; null for anything else. */
function refusalOf(answer: unknown) {
  if (typeof answer !== 'object' || answer === null) return null
  const { errCode, message, attribute } = answer as { readonly [name: string]: unknown }
  if (typeof errCode !== 'number' || !Number.isFinite(errCode)) return null
  if (typeof message !== 'string') return null
  if (attribute === undefined) return { errCode, message }
  return typeof attribute === 'string' ? { errCode, message, attribute } : null
}

/** A hook to run after the commit. */
export interface PendingHook {
  readonly kind: 'afterSave' | 'afterRemove'
  readonly record: RecordRef
  /** The entity before the transaction; null for a new one. */
  readonly before: object | null
}

/**
 * The `afterSave` and `afterRemove` hooks of a transaction: at most one per record, in the order of
 * first writes.
 */
export class AfterHooks {
  /** Records with this birth or a later one are new in the transaction. */
  #firstBirth = Number.POSITIVE_INFINITY
  /** By birth. Null until the first write to a dataclass with such hooks. */
  #pending: Map<number, PendingHook> | null = null

  noteBirth(birth: number): void {
    this.#firstBirth = Math.min(this.#firstBirth, birth)
  }

  saved(record: RecordRef, before: object | null): void {
    if (record.table.model.hooks.afterSave === undefined) return
    this.#pending ??= new Map()
    if (!this.#pending.has(record.birth))
      this.#pending.set(record.birth, { kind: 'afterSave', record, before })
  }

  /** Takes the entity as it was before the removal. */
  removed(record: RecordRef, entity: object): void {
    this.#pending ??= new Map()
    this.#pending.delete(record.birth)
    if (record.birth >= this.#firstBirth || record.table.model.hooks.afterRemove === undefined)
      return
    this.#pending.set(record.birth, { kind: 'afterRemove', record, before: entity })
  }

  take(): readonly PendingHook[] {
    const pending = this.#pending
    this.#pending = null
    return pending === null ? [] : [...pending.values()]
  }
}
