import { EntiaError } from '../errors.ts'
import type { EntityArgument } from '../model/async-call-types.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import { dataClassOf, isEntity, stampOf } from '../model/entity.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { AnySelection, Session } from '../model/session-types.ts'
import type { AnyDataStore } from '../model/store-types.ts'
import type { DataClassTable } from '../model/table-types.ts'
import { describeFound, isAttributes, refused } from '../value/check-options.ts'
import { hasNoForm } from '../value/json.ts'
import { overlay } from '../write/overlay.ts'
import { copyOf, inputOf, type Marks, ownCopy } from './copy.ts'
import { DescribedSelection } from './described-selection.ts'

/** A store, and the session in which one user of it writes. */
export class Access {
  readonly store: AnyDataStore
  #session: Session | null

  constructor(store: AnyDataStore, session: Session | null) {
    this.store = store
    this.#session = session
  }

  /** Null if there is none, or if it has ended. */
  get session(): Session | null {
    if (this.#session !== null)
      this.#session = this.store.sessions.touch(this.#session.token) ?? null
    return this.#session
  }
  /** The session; a new one if there is none. */
  openSession(): Session {
    this.#session = this.session ?? this.store.sessions.open()
    return this.#session
  }

  model(name: string): ClassModel {
    return this.table(name).model
  }
  table(name: string): DataClassTable<Untyped, string> {
    return this.store.dataClass(name)
  }

  /** Runs a write as the session. */
  write<R>(body: () => R): R {
    const results: R[] = []
    this.store.as(this.session, () => {
      results.push(body())
    })
    return results[0] as R
  }
}

/** An entity of a store in the process as the argument of a function. */
export class LocalEntityArgument implements EntityArgument {
  readonly kind = 'entityArgument'
  readonly dataClass: string
  readonly #marks: () => Marks
  readonly #patch: object

  constructor(dataClass: string, marks: () => Marks, patch: object) {
    this.dataClass = dataClass
    this.#marks = marks
    this.#patch = patch
  }

  /**
   * A private copy of the stored entity with the values. Throws `entityNotFound`, `stampChanged`,
   * `attributeNotFound`, `attributeReadOnly`, `valueInvalid`, `relationTargetMissing`.
   */
  entity(access: Access): AnyEntity {
    const table = access.table(this.dataClass)
    const marks = this.#marks()
    const stored = storedEntity(access, this.dataClass, marks.key)
    const { stamp } = marks
    // An update with a stale stamp changes nothing and throws the error of the store.
    if (stamp !== undefined && stamp !== stampOf(stored)) table.update(marks.key, {}, { stamp })
    const values = inputOf(this.#patch, table.model, stored)
    return overlay(stored, table.model, values, ({ target }, key) =>
      access.table(target.name).get(key),
    )
  }
}

/** Throws `entityNotFound`. */
export function storedEntity(access: Access, dataClass: string, key: Marks['key']): AnyEntity {
  const entity = access.table(dataClass).get(key)
  if (entity !== undefined) return entity
  throw new EntiaError('entityNotFound', { dataClass, key: String(key) })
}

/** Results are JSON down to this depth. */
const MAX_DEPTH = 64

/**
 * Calls a function as the session. `keep` makes the entity set of a selection; entities and
 * selections inside the result become copies and pages. Throws what the function throws.
 */
export async function callFunction(
  access: Access,
  run: (args: readonly unknown[]) => unknown,
  given: readonly unknown[],
  keep: (selection: AnySelection) => unknown,
): Promise<unknown> {
  const args = given.map((each) => argumentOf(access, each))
  const result: unknown = await access.write(() => [run(args)])[0]
  if (typeof result !== 'object' || result === null) return partOf(result, access, 0) ?? null
  if (isSelection(result)) return keep(result)
  if (isReply(result)) return new Blob([result.body], { type: result.mediaType })
  return partOf(isLogin(result) ? result.result : result, access, 0) ?? null
}

function argumentOf(access: Access, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof LocalEntityArgument) return value.entity(access)
  if (!(value instanceof DescribedSelection)) return ownCopy(value)
  const { reads, described } = value
  return reads.membersOf === undefined ? value : reads.membersOf(described)
}

/** A value of a result as JSON; undefined for what JSON leaves out. */
function partOf(value: unknown, access: Access, depth: number): unknown {
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  if (typeof value === 'number') throw unshown(`the number ${value}`)
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol')
    throw unshown(`a ${typeof value}`)
  if (typeof value !== 'object' || value === null) return value
  if (isEntity(value)) return copyOf(value, dataClassOf(value))
  if (isSelection(value)) {
    const entities = value.page(0, PAGE).toArray()
    const model = access.model(value.dataClass.name)
    return { count: value.count, skip: 0, entities: entities.map((each) => copyOf(each, model)) }
  }
  if (depth === MAX_DEPTH) throw unshown(`nested deeper than ${MAX_DEPTH}`)
  if (Array.isArray(value))
    return Array.from(value, (each) => partOf(each, access, depth + 1) ?? null)
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return partOf(value.toJSON(), access, depth + 1)
  if (hasNoForm(value)) throw unshown('a collection, bytes or a promise')
  const members = Object.entries(value).map(
    ([name, each]) => [name, partOf(each, access, depth + 1)] as const,
  )
  return Object.fromEntries(members.filter(([, each]) => each !== undefined))
}

/** Entities of a selection inside of a result, as for every asynchronous store. */
const PAGE = 100

const unshown = (found: string): EntiaError =>
  refused('The result of the function', 'JSON, entities or selections', found)

/** Tells by its methods, because the classes of selections load the whole engine. */
const isSelection = (value: object): value is AnySelection =>
  'settle' in value && typeof value.settle === 'function' && 'dataClass' in value

/** What `outgoing` of `@entia/rest` returns, by its members. */
const isReply = (
  value: object,
): value is {
  readonly mediaType: string
  readonly body: string | Uint8Array<ArrayBuffer>
} => Object.keys(value).sort().join() === 'body,mediaType,status'
/** What `loggedIn` of `@entia/rest` returns, by its members. */
const isLogin = (value: object): value is { readonly result: unknown } =>
  Object.keys(value).sort().join() === 'lifetimeSeconds,result,user'

/**
 * Refuses values that are not an object, before they are read as one. A function is refused too: it
 * edits a draft in a store in memory, and no store elsewhere can run it. Throws `argumentInvalid`.
 */
export function checkInput({ name }: ClassModel, values: unknown): asserts values is object {
  if (isAttributes(values)) return
  const argument = `The input for the "${name}" dataclass`
  throw refused(argument, 'an object of attributes', describeFound(values))
}

/** As `checkInput`, for the changes of `saveAll`. */
export function checkChanges(
  model: ClassModel,
  changes: unknown,
): asserts changes is readonly object[] {
  if (!Array.isArray(changes)) throw refused('The changes', 'an array', describeFound(changes))
  for (const change of changes) checkInput(model, change)
}

/**
 * The generator of `iterate`, whose `return` also ends a wait: it aborts the signal that `iterate`
 * receives, before it waits for the body. Without this, `return` settles only after the value that
 * a call of `next` waits for, which may never come.
 */
export function endedByReturn<T>(
  iterate: (ended: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const ending = new AbortController()
  const iteration = iterate(ending.signal)
  const end = iteration.return.bind(iteration)
  return Object.assign(iteration, {
    return(value: void | PromiseLike<void>) {
      ending.abort()
      return end(value)
    },
  })
}
