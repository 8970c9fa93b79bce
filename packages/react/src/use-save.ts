import { useRef, useState } from 'react'

/** What `useSave` uses of an entity. */
interface Stamped {
  readonly key: string | number
  readonly stamp: number
}
/** The result of a save, as `update` of `@entia/client` resolves to. */
type Outcome =
  | { readonly kind: 'saved'; readonly entity: Stamped }
  | { readonly kind: 'stampChanged'; readonly current: Stamped }
  | { readonly kind: 'locked' | 'absent' | 'refused' }
/** The type of the entities that outcomes have. */
type EntityOf<O extends Outcome> = Extract<O, { readonly kind: 'saved' }>['entity']

/** The request failed, for example because the server does not answer. */
export interface SaveFailed {
  readonly kind: 'failed'
  readonly error: unknown
}

/** A save that did not succeed. */
export interface SaveProblem<P, O> {
  readonly patch: P
  readonly outcome: Exclude<O, { readonly kind: 'saved' }> | SaveFailed
}

export interface Saving<P, O extends Outcome> {
  /** The newest known state of the entity, with the values that are being saved. */
  readonly shown: EntityOf<O>
  readonly isSaving: boolean
  /** The last save, if it did not succeed. Its values are not in `shown`. */
  readonly problem: SaveProblem<P, O> | null
  /**
   * Shows the values at once and saves them after the saves before it. `base` is the entity as the
   * user saw it, the newest by default. If somebody else saved it since, the outcome is
   * `stampChanged`. Never rejects.
   */
  save(patch: P, base?: EntityOf<O>): Promise<O | SaveFailed>
  /** Saves the values of `problem` over the state that caused it. */
  retry(): Promise<O | SaveFailed | null>
  /** Forgets `problem`. */
  dismiss(): void
}

/** A newer state than that of the live query, which arrives a moment later. */
interface Newer<E> {
  readonly entity: E
  /** The stamp that the live query had. A smaller one later is that of another entity. */
  readonly since: number
}
/** Saves of this component, one after the other. */
interface Queue<E> {
  last: Promise<unknown>
  /** The state after own saves that followed each other, and the stamp before them. */
  own: { readonly since: number; readonly entity: E } | null
}

/**
 * Optimistic saves of an entity of `@entia/client`: `useSave(db.Employee, employee)`. Changed
 * values are shown at once, until the live query has them. Give each component that calls it the
 * key of its entity.
 */
export function useSave<P extends object, O extends Outcome>(
  dataClass: { update(entity: EntityOf<O>, patch: P): Promise<O> },
  entity: EntityOf<O>,
): Saving<P, O> {
  type E = EntityOf<O>
  const [pending, setPending] = useState<readonly { readonly patch: P }[]>([])
  const [newer, setNewer] = useState<Newer<E> | null>(null)
  const [problem, setProblem] = useState<SaveProblem<P, O> | null>(null)
  const queue = useRef<Queue<E>>({ last: Promise.resolve(), own: null })
  const newest = newestOf(entity, newer)

  const attempt = async (patch: P, base: E): Promise<O | SaveFailed> => {
    const { own } = queue.current
    const isOwn = own !== null && own.since <= base.stamp && base.stamp <= own.entity.stamp
    const from = isOwn ? own.entity : base
    const outcome = await dataClass.update(from, patch).catch(failed)
    const state = stateAfter(outcome)
    if (state !== null) setNewer({ entity: state, since: entity.stamp })
    if (outcome.kind !== 'saved') setProblem({ patch, outcome: outcome as SaveFailed })
    else queue.current.own = { since: isOwn ? own.since : from.stamp, entity: state as E }
    return outcome
  }
  const save = (patch: P, base = newest): Promise<O | SaveFailed> => {
    const saved = { patch }
    setProblem(null)
    setPending((all) => [...all, saved])
    const { last } = queue.current
    const done = last
      .then(() => attempt(patch, base))
      .finally(() => setPending((all) => all.filter((each) => each !== saved)))
    queue.current.last = done
    return done
  }
  return {
    shown:
      pending.length === 0
        ? newest
        : Object.assign({}, newest, ...pending.map(({ patch }) => patch)),
    isSaving: pending.length > 0,
    problem,
    save,
    retry: async () => (problem === null ? null : save(problem.patch)),
    dismiss: () => setProblem(null),
  }
}

/** The live query may lag behind the answers of saves. */
function newestOf<E extends Stamped>(entity: E, newer: Newer<E> | null): E {
  if (newer === null || newer.entity.key !== entity.key) return entity
  const isBehind = newer.since <= entity.stamp && entity.stamp < newer.entity.stamp
  return isBehind ? newer.entity : entity
}

/** The state of the entity in an outcome; null if it has none. */
function stateAfter<O extends Outcome>(outcome: O | SaveFailed): EntityOf<O> | null {
  if (outcome.kind === 'saved') return outcome.entity
  return outcome.kind === 'stampChanged' ? outcome.current : null
}

const failed = (error: unknown): SaveFailed => ({ kind: 'failed', error })
