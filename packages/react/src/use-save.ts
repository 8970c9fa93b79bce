import { useRef, useState } from 'react'

/** What `useSave` uses of an entity. */
interface Stamped {
  readonly key: string | number
  readonly stamp: number
  /** When it was saved. */
  readonly timestamp?: unknown
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
  /** What the live query had. A smaller stamp later is that of another entity with the key. */
  readonly since: E
  /** States between them that are known, because own saves followed each other. */
  readonly between: readonly E[]
}
/** Saves of this component, one after the other. */
interface Queue<E> {
  last: Promise<unknown>
  /** The state after own saves that followed each other, and the state before them. */
  own: Newer<E> | null
}

/**
 * Optimistic saves of an entity of `@entia/client`: `useSave(db.Employee, employee)`. Changed
 * values are shown at once, until the live query has them. Give each component that calls it the
 * key of its entity.
 *
 * @example
 * ```ts
 * import { useEntity } from '@entia/react'
 * const Raise = ({ id }: { id: number }) => {
 *   const { save, isSaving } = useSave(client.Employee, useEntity(client.Employee, id)!)
 *   return isSaving ? null : save({ salary: 71_000 })
 * }
 * ```
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
  if (newer !== null && newest === entity) {
    // The live query has this state or a later one, or another entity with the key.
    setNewer(null)
    if (marksOf(entity).stamp < marksOf(newer.entity).stamp) queue.current.own = null
  }

  const attempt = async (patch: P, base: E): Promise<O | SaveFailed> => {
    const { own } = queue.current
    const isOwn =
      own !== null && (isBefore(base, own) || marksOf(base).stamp === marksOf(own.entity).stamp)
    const from = isOwn ? own.entity : base
    const outcome = await dataClass.update(from, patch).catch(failed)
    const state = stateAfter(outcome)
    const between = isOwn ? [...own.between, own.entity] : []
    if (state !== null) setNewer({ entity: state, since: entity, between })
    if (outcome.kind !== 'saved') setProblem({ patch, outcome: outcome as SaveFailed })
    else queue.current.own = { since: isOwn ? own.since : from, entity: state as E, between }
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
  if (newer === null || marksOf(newer.entity).key !== marksOf(entity).key) return entity
  return isBefore(entity, newer) ? newer.entity : entity
}

/**
 * True for a state between `since` and the newer one. An entity that was inserted with the key of a
 * removed one may have such a stamp too, but it is not older than the newer state. Within the same
 * millisecond, its values tell them apart.
 */
function isBefore<E extends Stamped>(
  entity: E,
  { entity: newer, since, between }: Newer<E>,
): boolean {
  const { stamp } = marksOf(entity)
  if (stamp < marksOf(since).stamp || stamp >= marksOf(newer).stamp) return false
  const [own, last] = [timeOf(entity), timeOf(newer)]
  const known = [since, ...between].find((state) => marksOf(state).stamp === stamp)
  if (own === null || last === null) return true
  if (known === undefined) return own < last
  const then = timeOf(known)
  return then === null || (own === then && (own < last || hasSameValues(entity, known)))
}

/** Whether no value differs that both show: related entities may be in one of them only. */
function hasSameValues(a: object, b: object): boolean {
  const values = new Map<string, unknown>(Object.entries(a))
  const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null
  return Object.entries(b).every(([name, value]) => {
    const other = values.has(name) ? values.get(name) : value
    return !isPlain(value) || !isPlain(other) || value === other
  })
}

/** When an entity was saved; null in answers to writes, which have only the day. */
const timeOf = ({ timestamp }: Stamped): string | null =>
  typeof timestamp === 'string' && ISO.test(timestamp) ? timestamp : null
const ISO = /^\d{4}-\d\d-\d\dT/

/** Key and stamp also where attributes have these names: the client puts them under a symbol. */
const marksOf = (entity: Stamped): Pick<Stamped, 'key' | 'stamp'> =>
  (Reflect.get(entity, Symbol.for('entia.marks')) as Stamped | undefined) ?? entity

/** The state of the entity in an outcome; null if it has none. */
function stateAfter<O extends Outcome>(outcome: O | SaveFailed): EntityOf<O> | null {
  if (outcome.kind === 'saved') return outcome.entity
  return outcome.kind === 'stampChanged' ? outcome.current : null
}

const failed = (error: unknown): SaveFailed => ({ kind: 'failed', error })
