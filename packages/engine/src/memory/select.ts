import { type AnySelection, type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import { engineError } from '../errors/engine-error.ts'
import { type Awaitable, andThen } from '../interface/awaitable.ts'
import type { Names } from '../interface/names.ts'
import type { Projection } from '../interface/projection.ts'
import {
  classOf,
  type EntitySetSource,
  type Keeping,
  type SavedCriteria,
  type SelectionQuery,
} from '../interface/selection-source.ts'
import { asSession, type CallerStore } from './caller-store.ts'

const SET_ID = /^[0-9A-F]{32}$/i

/** The parts of a query that determine its entities. */
type Criteria = Pick<SelectionQuery, 'source' | 'filter' | 'orderBy' | 'saved'>

/** The entities that a query selects. */
export interface Selected {
  readonly selection: AnySelection
  /** The id of the entity set, if the selection is a whole set in its own order; else null. */
  readonly entitySetId: string | null
  /** An expired set, selected again, that `keepRemade` is to keep; usually null. */
  readonly remade: Remade | null
}

/** An expired entity set, as the criteria of the request select it. */
interface Remade {
  readonly id: string
  readonly members: AnySelection
  readonly keep: Keeping
}

/** Runs a read, perhaps in time slices. */
type Read = <R>(body: () => R) => Awaitable<R>

/**
 * The entities that a query selects, in its order; null if the entity whose relation is followed
 * does not exist. Throws the filter's errors, entitySetNotFound, entitySetOfOtherClass,
 * otherCollectionInvalid.
 */
export function selectSource(callerStore: CallerStore, query: Criteria): Selected | null {
  const { source, filter, orderBy, saved } = query
  if (saved !== null) callerStore.check(classOf(source), saved.filter)
  switch (source.kind) {
    case 'all':
      return {
        selection: inOrder(callerStore.select(source.dataClass, filter), orderBy),
        entitySetId: null,
        remade: null,
      }
    case 'related': {
      const owner = callerStore.entity(source.owner)
      if (owner === undefined) return null
      const related = callerStore.view.related(owner, source.relation.name) as AnySelection
      const selection = inOrder(callerStore.within(related, filter), orderBy)
      return { selection, entitySetId: null, remade: null }
    }
    case 'entitySet':
      return selectSet(callerStore, source, query)
  }
}

/**
 * Keeps a whole selection as an entity set and returns its id. A selection that is a set remains
 * that set, and keeps its lifetime unless one is requested. Throws budgetExceeded for a selection
 * that is too large.
 */
export function keepSelection(
  { store, session }: CallerStore,
  { selection, entitySetId }: Pick<Selected, 'selection' | 'entitySetId'>,
  { lifetimeSeconds, owner }: Keeping,
  read: Read,
): Awaitable<string> {
  const lifetime = lifetimeSeconds === null ? {} : { lifetimeSeconds }
  if (entitySetId === null)
    return andThen(owner(), (holder) =>
      read(() =>
        asSession(store, holder, () =>
          store.entitySets.create(selection, { ...lifetime, owner: holder }),
        ),
      ),
    )
  return read(() => {
    // The set itself, not this caller's view of it: for other callers it stays unchanged.
    const kept = store.entitySets.peek(entitySetId, session)
    if (lifetimeSeconds === null || kept === undefined) return entitySetId
    const isAnybodys = store.entitySets.peek(entitySetId) !== undefined
    return store.entitySets.create(kept, {
      ...lifetime,
      id: entitySetId,
      owner: isAnybodys ? null : session,
    })
  })
}

/**
 * Keeps a set that was selected again, under its id. Called only after everything else succeeded: a
 * request that fails creates no set. Throws entitySetNotFound if the id belongs to a set of another
 * session, which cannot be replaced.
 */
export function keepRemade(
  { store }: CallerStore,
  { id, members, keep: { lifetimeSeconds, owner } }: Remade,
): Awaitable<void> {
  return andThen(owner(), (holder) => {
    const options = { id, owner: holder, ...(lifetimeSeconds === null ? {} : { lifetimeSeconds }) }
    try {
      asSession(store, holder, () => store.entitySets.create(members, options))
    } catch (error) {
      throw isEntiaError(error, 'argumentInvalid') ? notThere(id) : error
    }
  })
}

/** False if the set does not exist. Throws entitySetOfOtherClass. */
export function releaseSet(
  { store, session }: CallerStore,
  dataClass: ClassModel,
  id: string,
): boolean {
  const set = store.entitySets.peek(id, session)
  if (set !== undefined && set.dataClass.name !== dataClass.name) throw ofOtherClass(dataClass, id)
  return store.entitySets.release(id, session)
}

const inOrder = (selection: AnySelection, orderBy: string | null): AnySelection =>
  orderBy === null ? selection : selection.orderBy(orderBy)

function selectSet(
  callerStore: CallerStore,
  source: EntitySetSource,
  { filter, orderBy, saved }: Criteria,
): Selected {
  const { dataClass, id, clean, combination } = source
  const live = openSet(callerStore, dataClass, id)
  const remade = live === undefined ? remake(callerStore, dataClass, id ?? '', saved) : null
  const set = remade === null ? live! : remade.members
  const isInOrder = orderBy === null || (remade !== null && orderBy === saved?.orderBy)
  const combined = combination === null ? set : combine(callerStore, dataClass, set, combination)
  const members = callerStore.within(clean ? combined.clean() : combined, filter)
  const selection = isInOrder ? members : inOrder(members, orderBy)
  const isUnchanged = filter === null && isInOrder && !clean && combination === null
  return { selection, entitySetId: isUnchanged ? (id?.toUpperCase() ?? null) : null, remade }
}

/** An existing set, with its lifetime renewed. */
function openSet(
  callerStore: CallerStore,
  dataClass: ClassModel,
  id: string | null,
): AnySelection | undefined {
  const { view } = callerStore
  if (id === null) return view.dataClass(dataClass.name).empty()
  const kept = callerStore.entitySet(id)
  if (kept === undefined) return undefined
  if (kept.dataClass.name !== dataClass.name) throw ofOtherClass(dataClass, id)
  callerStore.renewEntitySet(id)
  // A set holds what its creator saw. Each caller sees the members that it may see.
  return view.apply(kept)
}

/** Selects an expired set again, by the criteria in the request alone. */
function remake(
  callerStore: CallerStore,
  dataClass: ClassModel,
  id: string,
  saved: SavedCriteria | null,
): Remade {
  if (saved === null || saved.keep === null || !SET_ID.test(id)) throw notThere(id)
  const members = inOrder(callerStore.select(dataClass, saved.filter), saved.orderBy)
  return { id, members, keep: saved.keep }
}

function combine(
  callerStore: CallerStore,
  dataClass: ClassModel,
  set: AnySelection,
  { operator, other }: NonNullable<EntitySetSource['combination']>,
): AnySelection {
  const second = openOther(callerStore, dataClass, other)
  switch (operator) {
    case 'AND':
      return set.and(second)
    case 'OR':
      return set.or(second)
    case 'EXCEPT':
      return set.except(second)
  }
}

/** The set to combine with. All problems with it are the same error. */
function openOther(
  callerStore: CallerStore,
  dataClass: ClassModel,
  id: string | null,
): AnySelection {
  const other =
    id === null || isOf(callerStore, dataClass, id)
      ? openSet(callerStore, dataClass, id)
      : undefined
  if (other !== undefined) return other
  throw engineError('otherCollectionInvalid', { id: shown(id ?? ''), dataClass: dataClass.name })
}

function isOf(callerStore: CallerStore, dataClass: ClassModel, id: string): boolean {
  return callerStore.entitySet(id)?.dataClass.name === dataClass.name
}

const notThere = (id: string): EntiaError => new EntiaError('entitySetNotFound', { id: shown(id) })

const ofOtherClass = ({ name }: ClassModel, id: string): EntiaError =>
  engineError('entitySetOfOtherClass', { id: shown(id), dataClass: name })

/** An id, short enough for a message. */
const shown = (id: string): string => id.slice(0, 40)

/**
 * What an answer shows of related entities, as paths. A related entity is shown with its stamp, so
 * every change of it matters. If some entities are hidden from the caller, a reference to one
 * depends on whether that entity is visible.
 */
export function shownPaths(
  callerStore: CallerStore,
  projection: Projection,
  prefix = '',
): readonly string[] {
  const { names, view } = callerStore
  const paths: string[] = []
  for (const field of projection.fields) {
    const path = prefix + field.name
    switch (field.kind) {
      case 'value':
      case 'properties':
        if (field.attribute.kind === 'alias') paths.push(prefix + field.attribute.name)
        break
      case 'deferredEntity':
        if (view.restrictsRows) paths.push(keyPath(names, path, field.attribute.target))
        break
      case 'deferredEntities':
        break
      case 'entity':
      case 'entities':
        paths.push(path, ...shownPaths(callerStore, field.projection, `${path}.`))
    }
  }
  return paths
}

/**
 * The path of the key of a related entity: to the entity itself if the caller does not see that
 * attribute and one has the name of the mark.
 */
function keyPath(names: Names, path: string, target: ClassModel): string {
  const { key, attributes } = target
  if (names.find(target, key.name) !== undefined) return `${path}.${key.name}`
  return attributes.has('key') ? path : `${path}.key`
}
