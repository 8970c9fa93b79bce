import { expect } from 'vitest'
import { isEntiaError, type Reading, type View, type ViewOptions } from '../../src/index.ts'
import type { Explain, ExplainNode } from '../../src/model/explain-types.ts'
import type { CommitNotice, RecordChange, Snapshot } from '../../src/model/store-types.ts'
import { ALL_CAPABILITIES } from '../../src/store/create-store.ts'
import type { Capability } from '../../src/store/kernel/capability.ts'
import { DataStore } from '../../src/store/kernel/data-store.ts'
import { INDEXABLE, type IndexSet, NO_CAPABILITY } from '../arbitraries.ts'
import type { Params } from '../oracle/evaluate.ts'
import {
  CLASS_NAMES,
  type ClassName,
  OFFICE,
  type PlainData,
  type Row,
  SHAPE,
} from '../oracle/office.ts'
import { Refused } from '../oracle/plain-value.ts'

export type Key = string | number
/**
 * The parts of an entity, a selection, a dataclass and a store that the properties use, without the
 * types of one model.
 */
export interface Entity extends Row {
  readonly key: Key
  readonly stamp: number
  readonly timestamp: string
}
export interface Selection extends Iterable<Entity> {
  readonly count: number
  first(): Entity | undefined
  toArray(): readonly Entity[]
  keys(): readonly Key[]
  members(): readonly (Entity | undefined)[]
  has(key: Key): boolean
  page(skip: number, top: number): Selection
  slice(start?: number, end?: number): Selection
  orderBy(text: string): Selection
  query(filter: string, params?: Params): Selection
  and(other: Selection): Selection
  or(other: Selection): Selection
  except(other: Selection): Selection
  intersects(other: Selection): boolean
  clean(): Selection
  sum(attribute: string): number
  average(attribute: string): number | null
  min(attribute: string): unknown
  max(attribute: string): unknown
  countOf(attribute: string): number
  compute(
    attribute: string,
    options?: { readonly distinct?: boolean },
  ): { readonly [name: string]: unknown }
  distinct(path: string): readonly unknown[]
  select(paths: string): readonly Row[]
  json(paths: string): string
  remove(): number
  explain(): Explain
}
export interface Table {
  readonly count: number
  get(key: Key): Entity | undefined
  has(key: Key): boolean
  all(): Selection
  empty(): Selection
  from(keys: Iterable<Key>): Selection
  query(filter: string, params?: Params, options?: { readonly plan?: number }): Selection
  plans(filter: string, params?: Params): readonly Explain[]
  findBy(attribute: string, value: unknown): Entity | undefined
  insert(values: object): Entity
  update(
    key: Key,
    change: object | ((draft: Record<string, unknown>) => void),
    options?: { readonly stamp?: number },
  ): Entity
  remove(key: Key, options?: { readonly stamp?: number }): void
  load(rows: Iterable<object>): { readonly count: number }
  createIndex(attribute: string): void
  dropIndex(attribute: string): void
}
export interface OfficeStore {
  readonly globalStamp: number
  readonly Company: Table
  readonly Employee: Table
  readonly Badge: Table
  dataClass(name: string): Table
  view(options?: ViewOptions): View
  transact<R>(body: (tx: OfficeStore) => R): R
  reading<R>(body: () => R): Reading<R>
  snapshot(): Snapshot
  at(globalStamp: number): PastOffice
  changes(options: { readonly since: number }): readonly RecordChange[]
  restore(snapshot: Snapshot): void
  on(event: 'commit', listener: (commit: CommitNotice) => void): () => void
  dump(): Uint8Array
  verify(): void
}

/** The parts of a past that the properties read. */
export interface PastOffice extends Disposable {
  readonly globalStamp: number
  readonly Employee: Table
  dataClass(name: string): Table
}

/** With the plans of `indexes`, without its indexes. */
const WITHOUT_INDEXES = (ALL_CAPABILITIES as readonly Capability[]).map(
  (capability): Capability => {
    const { indexes, table: _, ...others } = capability
    return indexes === undefined ? capability : others
  },
)

/**
 * An empty office with exactly these indexes, a clock that advances once per reading, and counted
 * ids.
 */
export function emptyOffice(
  indexes: IndexSet = INDEXABLE,
  history = { commits: 1000 },
): OfficeStore {
  let ticks = 0
  let ids = 0
  const options = {
    name: 'office',
    dataClasses: OFFICE,
    history,
    clock: { now: () => 1_700_000_000_000 + ++ticks, monotonic: () => ++ticks },
    ids: { uuid: () => `${++ids}`.padStart(32, '0'), token: () => `${++ids}` },
  }
  const capabilities = indexes === NO_CAPABILITY ? WITHOUT_INDEXES : ALL_CAPABILITIES
  const store = DataStore.create(options, capabilities) as unknown as OfficeStore
  setIndexes(store, indexes)
  return store
}

/** An office with these rows, loaded in one transaction in the order of the arrays. */
export function officeOf(
  data: PlainData,
  indexes: IndexSet = INDEXABLE,
  history = { commits: 1000 },
): OfficeStore {
  const store = emptyOffice(indexes, history)
  store.transact((tx) => {
    for (const className of CLASS_NAMES)
      for (const row of data[className]) tx.dataClass(className).insert(row)
  })
  return store
}

/**
 * Creates and drops indexes until these remain, besides those of keys, unique attributes and
 * foreign keys.
 */
export function setIndexes(store: OfficeStore, indexes: IndexSet): void {
  for (const [className, attribute] of INDEXABLE) {
    const isWanted = indexes.some((index) => index[0] === className && index[1] === attribute)
    setIndex(store, className, attribute, isWanted)
  }
}

/** Creates or drops an index; a store without the capability `indexes` stays as it is. */
export function setIndex(
  store: OfficeStore,
  className: ClassName,
  attribute: string,
  isWanted: boolean,
): void {
  const table: Partial<Table> = store.dataClass(className)
  if (isWanted) table.createIndex?.(attribute)
  else table.dropIndex?.(attribute)
}

export const keysOf = (className: ClassName, rows: readonly Row[]): readonly unknown[] =>
  rows.map((row) => row[SHAPE[className].key])

/** The result of a call, or `refused` for an EntiaError. Other errors are passed on. */
export function outcome<T>(ask: () => T): T | 'refused' {
  try {
    return ask()
  } catch (error) {
    if (error instanceof Refused || isEntiaError(error)) return 'refused'
    throw error
  }
}

/** The stored values of an entity as the oracle keeps them. */
export function rowOf(entity: Entity): Row {
  return Object.fromEntries(Object.entries(entity).map(([name, value]) => [name, plain(value)]))
}

/** Bytes are compared as arrays of numbers. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (
    typeof value === 'object' &&
    value !== null &&
    'bytes' in value &&
    typeof value.bytes === 'function'
  )
    return [...(value.bytes() as Uint8Array)]
  return value
}

/** Every node with an exact count has the true count. */
export function mustBeExact(node: ExplainNode): void {
  if (node.isExact && node.actualRows !== null)
    expect(node.actualRows, `${node.operator} ${node.detail}`).toBe(node.estimatedRows)
  node.inputs.forEach(mustBeExact)
}

/** Texts of entities, which may be cached, equal their current values. */
export function mustTell(selection: Selection): void {
  const first = selection.first()
  if (first === undefined) return
  const paths = [...Object.keys(rowOf(first)), 'key', 'stamp', 'timestamp'].join()
  const reported = JSON.stringify(selection.select(paths))
  expect(selection.json(paths)).toBe(reported)
  expect(selection.json(paths)).toBe(reported)
}
