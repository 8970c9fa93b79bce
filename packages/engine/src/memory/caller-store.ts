import {
  type AnyDataStore,
  type AnySelection,
  type ClassModel,
  type ConditionTrace,
  isEntiaError,
  type RowFilter,
  type Session,
  type Sessions,
  type View,
} from '@entia/core'
import { engineError } from '../errors/engine-error.ts'
import type { RowAction } from '../interface/access.ts'
import type { Caller } from '../interface/caller.ts'
import type { EngineSessions } from '../interface/engine.ts'
import type { Names } from '../interface/names.ts'
import { accessView, denied, ofApplication } from '../interface/permit.ts'
import type { EntityReference, FilterText, KeyValue } from '../interface/selection-source.ts'
import type { StoredEntity } from './values.ts'

/**
 * The store as the caller of one request sees it. Dataclasses and attributes that are not exposed
 * do not exist in it; otherwise filters could reveal hidden values by trial. All access to
 * entities, selections and filters goes through this class.
 */
export class CallerStore {
  readonly store: AnyDataStore
  readonly caller: Caller
  readonly names: Names
  readonly session: Session | null
  readonly view: View
  /**
   * The entity sets that this request has opened. It keeps them to its end, even if they expire.
   * Created on first use, like the views.
   */
  #sets: Map<string, AnySelection> | null = null
  #rowViews: Map<string, View> | null = null

  constructor(store: AnyDataStore, caller: Caller, everything: View) {
    this.store = store
    this.caller = caller
    const { names, session, access } = caller
    this.names = names
    this.session = session
    this.view =
      access === null
        ? everything
        : ofApplication(() => store.view(accessView(store.catalog, access)))
  }

  /** The entity that a reference names; undefined if it does not exist for the caller. */
  entity(reference: EntityReference): StoredEntity | undefined {
    const table = this.view.dataClass(reference.dataClass.name)
    return reference.kind === 'key'
      ? table.get(reference.key)
      : table.findBy(reference.attribute.name, reference.value)
  }

  /**
   * An entity set as its creator saw it. Undefined if it does not exist for the caller and did not
   * when this request first looked it up.
   */
  entitySet(id: string): AnySelection | undefined {
    return this.store.entitySets.peek(id, this.session) ?? this.#sets?.get(id.toUpperCase())
  }
  /** Renews the lifetime of an entity set and keeps it for this request. */
  renewEntitySet(id: string): void {
    const set = this.store.entitySets.get(id, this.session)
    if (set === undefined) return
    this.#sets ??= new Map()
    this.#sets.set(id.toUpperCase(), set)
  }

  /** All entities of a dataclass, or those that a filter selects. */
  select(dataClass: ClassModel, filter: FilterText | null): AnySelection {
    const table = this.view.dataClass(dataClass.name)
    return filter === null ? table.all() : table.query(filter.text, filter.params ?? undefined)
  }

  /** Applies a filter to a selection of this view. */
  within(selection: AnySelection, filter: FilterText | null): AnySelection {
    return filter === null ? selection : selection.query(filter.text, filter.params ?? undefined)
  }

  /** Throws for a filter that cannot be bound. The filter is planned but not run. */
  check(dataClass: ClassModel, filter: FilterText | null): void {
    if (filter !== null)
      this.view.dataClass(dataClass.name).explain(filter.text, filter.params ?? undefined)
  }

  /**
   * What each part of a filter finds in its dataclass, independent of the selection. Runs the
   * filter again, part by part.
   */
  trace(dataClass: Pick<ClassModel, 'name'>, filter: FilterText | null): ConditionTrace | null {
    if (filter === null) return null
    return this.view.dataClass(dataClass.name).trace(filter.text, filter.params ?? undefined).root
  }

  /** True if the permission of this action depends on the entity. */
  checksEntities(dataClass: ClassModel, action: RowAction): boolean {
    const { access } = this.caller
    return access !== null && access.rows(dataClass, action) !== true
  }

  /**
   * Checks that the caller may perform the action on this entity. Called after a change, it checks
   * the changed entity; inside a transaction the error rolls the change back. Throws accessDenied,
   * or loginRequired around it.
   */
  permit(dataClass: ClassModel, key: KeyValue, action: RowAction): void {
    const { access } = this.caller
    if (access === null) return
    const rows = access.rows(dataClass, action)
    if (rows === true) return
    if (rows !== false) {
      const view = action === 'read' ? this.view : this.#rowView(dataClass, action, rows)
      if (view.dataClass(dataClass.name).has(key)) return
    }
    throw denied(this.caller, { action, dataClass: dataClass.name })
  }

  #rowView(dataClass: ClassModel, action: RowAction, filter: RowFilter): View {
    const id = `${action} ${dataClass.name}`
    this.#rowViews ??= new Map()
    let view = this.#rowViews.get(id)
    if (view === undefined) {
      const rows = new Map<string, RowFilter>([[dataClass.name, filter]])
      view = ofApplication(() => this.store.view({ rows }))
      this.#rowViews.set(id, view)
    }
    return view
  }
}

/**
 * Runs `body` as a session, or without one. Throws loginRequired if the session ended after the
 * request arrived: a caller that has just logged out must not continue to write.
 */
export function asSession<R>(
  store: AnyDataStore,
  session: Session | null,
  body: () => R extends PromiseLike<unknown> ? never : R,
): R {
  // Only a session can have ended.
  if (session === null) return store.as(null, body)
  let isEntered = false
  try {
    return store.as(session, () => {
      isEntered = true
      return body()
    })
  } catch (error) {
    if (isEntered || !isEntiaError(error, 'argumentInvalid')) throw error
    throw engineError('loginRequired', {
      what: 'The session of this request has ended, and the request',
    })
  }
}

/** The sessions of a store. They expire without a timer, so a watch has to look. */
export function localSessions(sessions: Sessions): EngineSessions {
  return {
    open: (options) => sessions.open(options),
    touch: (token) => sessions.touch(token),
    login: (token, user, options) => sessions.login(token, user, options),
    identified: (user, options) => sessions.identified(user, options),
    close: (token) => sessions.close(token),
    whenEnded({ token }, ended) {
      let isWatching = true
      return {
        check() {
          if (!isWatching || sessions.peek(token) !== undefined) return
          isWatching = false
          ended()
        },
        stop() {
          isWatching = false
        },
      }
    },
  }
}
