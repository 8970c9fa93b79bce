import { type AnyDataStore, type Catalog, type ClassModel, isEntiaError } from '@entia/core'
import {
  ALL_CAPABILITIES,
  applyRecords,
  type Clock,
  DataStore,
  defaultIds,
  type FilterLimits,
  handleOf,
  kernelOptions,
  type Session,
  type StoredValue,
  type StoreHandle,
  serverStateOf,
  type TouchedRecord,
} from '@entia/core/internal'
import {
  createLocalEngine,
  ENTITIES_PER_SLICE,
  type LocalEngine,
  type NextSlice,
} from '@entia/engine'
import type { MirrorBlock } from './mirror-blocks.ts'
import {
  type MirrorChange,
  type MirrorPage,
  type MirrorPlace,
  writtenValue,
} from './mirror-changes.ts'
import { MirrorGuard } from './mirror-guard.ts'
import { MirrorTable, tableElsewhere } from './mirror-tables.ts'

export interface MirrorContentsOptions {
  readonly catalog: Catalog
  readonly classes: readonly ClassModel[]
  /** The dataset: entities have the lives that they have there. */
  readonly id: string
  readonly clock: Clock
  readonly limits: FilterLimits
  readonly nextSlice: NextSlice
}

/** Why a mirror cannot go on from where it is. */
export type Break = 'trimmed' | 'epoch' | 'lostCommits' | 'migrated' | 'differs' | 'sparse'

/** Long reads that wait for others; the database answers further ones. */
const MAX_WAITING_READS = 8
/** The last commits whose ids are known: replicas that are further behind compare. */
const MAX_COMMIT_IDS = 10_000
/** A table with so many more slots than entities is filled again. */
const MAX_SPARE_SLOTS = 100_000

/**
 * The entities of some dataclasses as of one global stamp: a store in memory over the same model,
 * whose other dataclasses refuse to be read.
 */
export class MirrorContents {
  readonly store: AnyDataStore
  readonly engine: LocalEngine
  readonly guard = new MirrorGuard()
  readonly #handle: StoreHandle
  readonly #tables: ReadonlyMap<ClassModel, MirrorTable>
  #place: MirrorPlace
  /** By global stamp. */
  readonly #commitIds = new Map<number, string>()
  #isClosed = false

  constructor(
    { catalog, classes, id, clock, limits, nextSlice }: MirrorContentsOptions,
    place: MirrorPlace,
  ) {
    const given = { name: catalog.name, clock, ids: { ...defaultIds, uuid: () => id }, limits }
    const options = {
      ...kernelOptions(given, ALL_CAPABILITIES),
      partial: {
        createTable: (model: ClassModel, factory: MirrorTable['indexFactory']) =>
          classes.includes(model)
            ? new MirrorTable(model, factory)
            : tableElsewhere(model, factory, this.guard),
      },
    }
    // The capabilities have added their members to the class of the kernel's store.
    this.store = DataStore.over(catalog, options, ALL_CAPABILITIES) as DataStore & AnyDataStore
    this.#handle = handleOf(this.store)
    const { writer } = this.#handle
    this.#tables = new Map(
      classes.map((model) => [model, writer.tableOf(model) as MirrorTable] as const),
    )
    // Code of the application may try to write while it reads.
    writer.beforeCommit = this.guard.pass
    const commitId = (globalStamp: number) => this.#commitIds.get(globalStamp) ?? null
    this.engine = createLocalEngine(this.store, nextSlice, MAX_WAITING_READS, commitId)
    this.#place = place
    this.#noteCommit(place)
    writer.startAt(place.globalStamp)
    this.guard.close()
  }

  get place(): MirrorPlace {
    return this.#place
  }
  get entities(): number {
    let count = 0
    for (const { liveCount } of this.#tables.values()) count += liveCount
    return count
  }
  /** True if most of its memory is for entities that are gone. */
  get isSparse(): boolean {
    return [...this.#tables.values()].some(
      ({ length, liveCount }) => length > 4 * liveCount + MAX_SPARE_SLOTS,
    )
  }

  /** The table of a dataclass, which takes the entities of the snapshot. */
  tableOf(dataClass: ClassModel): MirrorTable {
    return this.#tables.get(dataClass)!
  }
  /** Adds entities of the snapshot, in the order of their numbers. */
  fill(table: MirrorTable, block: MirrorBlock): void {
    table.fill(block, this.#handle.writer.context.nextBirth)
  }

  /**
   * Takes what follows its place, commit by commit; what keeps it from doing so otherwise. Others
   * run between the commits, of which each waits for long reads. Callers may read then.
   */
  async take(page: MirrorPage, nextSlice: NextSlice): Promise<Break | null> {
    const { globalStamp, commitId, migrations } = this.#place
    if (page.trimmed > globalStamp) return 'trimmed'
    if (page.globalStamp < globalStamp || page.commitId !== commitId) return 'lostCommits'
    if (page.migrations !== migrations) return 'migrated'
    const { commits } = page
    // Stamps have no gaps, unless an operator or a copy of a store has moved them.
    const isWhole = commits.every(({ globalStamp: stamp }, at) => stamp === globalStamp + 1 + at)
    if (!isWhole || (commits.length === 0 && page.globalStamp > globalStamp)) return 'lostCommits'
    let taken = 0
    for (const { globalStamp, id, changes, replicas } of commits) {
      taken += 1 + changes.length
      if (taken > ENTITIES_PER_SLICE) {
        taken = 0
        await nextSlice()
      }
      const isApplied = await this.engine.takeOver(
        () => !this.#isClosed && this.guard.open(() => this.#apply(globalStamp, changes)),
      )
      if (!isApplied) return 'differs'
      this.#place = { globalStamp, commitId: id, migrations }
      this.#noteCommit(this.#place)
      for (const replica of replicas) this.engine.replicas.complete(replica)
    }
    return this.isSparse ? 'sparse' : null
  }

  #noteCommit({ globalStamp, commitId }: MirrorPlace): void {
    if (commitId !== null) this.#commitIds.set(globalStamp, commitId)
    if (this.#commitIds.size <= MAX_COMMIT_IDS) return
    const [oldest] = this.#commitIds.keys()
    this.#commitIds.delete(oldest!)
  }

  /** False for changes that do not fit: nothing may be read any more. */
  #apply(globalStamp: number, changes: readonly MirrorChange[]): boolean {
    const { writer } = this.#handle
    const records: TouchedRecord[] = []
    let timestamp = 0
    for (const change of changes) {
      const record = this.#recordOf(change)
      if (record === null) return false
      timestamp = Math.max(timestamp, change.timestamp)
      records.push(record)
    }
    writer.skipTo(records.length === 0 ? globalStamp : globalStamp - 1)
    if (records.length === 0) return true
    try {
      applyRecords(writer, records, timestamp)
    } catch (error) {
      if (!isEntiaError(error)) throw error
      return false
    }
    return true
  }

  #recordOf(change: MirrorChange): TouchedRecord | null {
    const { dataClass, key, kind, stamp, timestamp } = change
    const table = this.#tables.get(dataClass)!
    const slot = table.findKey(key)
    if (kind === 'remove') return slot < 0 ? null : { table, slot, after: null }
    const written = change.written ?? {}
    const names = dataClass.storage.filter(({ name }) => Object.hasOwn(written, name))
    if (kind === 'update' && slot < 0) return null
    const values: StoredValue[] =
      kind === 'update' ? table.readAll(slot) : dataClass.storage.map(() => null)
    for (const attribute of names) {
      const value = writtenValue(attribute, written[attribute.name], this.guard.refuse)
      if (value === undefined) return null
      values[attribute.ordinal] = value
    }
    if (kind === 'update') {
      const columns = names.map(({ ordinal }) => ordinal)
      return { table, slot, after: { stamp, timestamp, values, columns } }
    }
    const place = change.record === null ? null : table.place(change.record)
    if (place === null) return null
    return { table, slot: place, after: { stamp, timestamp, values, columns: null } }
  }

  /** The session of a caller, for what computed attributes read. */
  adopt(session: Session): Session {
    return serverStateOf(this.#handle).sessions.adopt(session)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }
  /** Ends its live queries. */
  close(): void {
    this.#isClosed = true
    this.guard.release()
    // Without its indexes a table is not one that could be read.
    if ([...this.#tables.values()].some(({ isFilling }) => isFilling))
      this.#handle.writer.broke('The mirror was not filled.')
    else this.store.close()
  }
}
