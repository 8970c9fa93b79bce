import {
  type AnyDataStore,
  type AnySelection,
  AsOf,
  type Catalog,
  type ClassModel,
  type Clock,
  DataStore,
  type DataStoreOptions,
  defaultClock,
  defaultIds,
  handleOf,
  type Ids,
  type Key,
  kernelOptions,
  Membership,
  type Selection,
  type Session,
  type SessionInfo,
  type StoreHandle,
  selectionParts,
  serverStateOf,
  storedKey,
} from '@entia/core/internal'
import { commitOf } from './commit-of.ts'
import type { Effects, PendingAfterHook, WorkingCommit } from './effects.ts'
import { type Answers, Knowledge } from './knowledge.ts'
import { WorkingMatching } from './matching.ts'
import {
  type Found,
  type Missing,
  type Refuse,
  refuseInStore,
  WORKING_CAPABILITIES,
} from './missing.ts'
import { RecordedPorts } from './recorded-ports.ts'
import { WorkingTable } from './working-table.ts'

/** The members of an entity set of the database. */
export interface SetMembers {
  /** In their order; null for a member that was removed. */
  readonly keys: readonly (string | number | null)[]
  /** `Membership.rule`: the row filter by which every member was visible; null without one. */
  readonly rule: string | null
}

/** An entity set of the database for a working store. */
export interface WorkingSet extends SetMembers {
  readonly id: string
  readonly dataClass: string
  readonly sorted: boolean
  /** A session of the working store. */
  readonly owner: Session | null
}

/**
 * The members as a selection: removed ones have a place in it, and slots of the table that no
 * record uses. `empty`: any selection of the dataclass for the same reader.
 */
function selectionOf(
  table: WorkingTable,
  empty: AnySelection,
  { keys, rule, sorted }: WorkingSet,
): AnySelection {
  const ofStore = empty as Selection & AnySelection
  const { port } = selectionParts(ofStore)
  const slotOf = (key: Key | null): number => {
    const slot = key === null ? -1 : table.findKey(key)
    return slot < 0 ? table.takeSlot() : slot
  }
  const slots = Int32Array.from(keys, (key) => slotOf(storedKey(table.model, key)))
  const { globalStamp, allocationClock } = port.moment
  const made = new AsOf(table, globalStamp, allocationClock, -1)
  const members = new Membership(port, table, { kind: 'list', slots, set: null }, null, made)
  members.rule = rule
  const SelectionClass = ofStore.constructor as typeof Selection
  return new SelectionClass(members, null, port, sorted) as Selection & AnySelection
}

/** What a selection of a working store would keep as an entity set. */
function setMembersOf(selection: AnySelection): SetMembers {
  const { members } = selectionParts(selection as Selection & AnySelection)
  const { table, asOf, rule } = members
  const { ordinal } = table.model.key
  const keys = Array.from(members.slots(0, members.count), (slot) =>
    asOf.isAlive(slot) ? (table.read(slot, ordinal) as Key) : null,
  )
  return { keys, rule }
}

/** What working stores are made with: the numbers of `createDataStore`, and its ports. */
export interface WorkingOptions
  extends Omit<
    DataStoreOptions,
    'name' | 'dataClasses' | 'functions' | 'singletons' | 'history' | 'keptTexts' | 'reading'
  > {
  readonly clock?: Clock
  readonly ids?: Ids
  /** The id of the dataset, which is part of the lives of entities. */
  readonly id?: string
  /** The comparisons that the database can answer; all by default. */
  readonly answers?: Answers
  /** Creates the error of what a store that holds only some records cannot answer. */
  readonly refuse?: Refuse
}

/** A transaction of a working store that waits for further writes. */
export type OpenTransaction = ReturnType<StoreHandle['writer']['open']>

/** The `id` of a working store that belongs to no dataset. */
const NO_ID = '0'.repeat(32)

/**
 * A store of the same model that holds only the records fetched for one decision, so that core's
 * own code decides about them. Reads of what was not fetched are noted in `missing` and end with an
 * internal error, which the application's code may catch. So a run that leaves something missing is
 * void: add what is missing, and run again.
 */
export class WorkingStore {
  /** A complete store. Its `id` is that of the dataset. */
  readonly store: AnyDataStore
  readonly #handle: StoreHandle
  readonly #knowledge: Knowledge
  readonly #tables: readonly WorkingTable[]
  readonly #ports: RecordedPorts
  #globalStamp = 0
  #commits: WorkingCommit[] = []
  #afterHooks: PendingAfterHook[] = []

  constructor(
    catalog: Catalog,
    { clock, ids, id = NO_ID, answers = () => true, refuse, ...numbers }: WorkingOptions = {},
  ) {
    this.#knowledge = new Knowledge(catalog)
    this.#ports = new RecordedPorts(clock ?? defaultClock, ids ?? defaultIds, id)
    const tables: WorkingTable[] = []
    const matching = new WorkingMatching(this.#knowledge, tables, answers)
    const options = {
      ...kernelOptions(
        { ...numbers, clock: this.#ports.clock, ids: this.#ports.ids },
        WORKING_CAPABILITIES,
      ),
      partial: {
        createTable: (dataClass: WorkingTable['model']) => {
          const table = new WorkingTable(dataClass, this.#knowledge)
          tables.push(table)
          return table
        },
        matching,
      },
    }
    const store = DataStore.over(catalog, options, WORKING_CAPABILITIES)
    this.#tables = tables
    for (const table of tables) table.tableOf = ({ ordinal }) => tables[ordinal]
    // The capabilities have added their members to the class of the kernel's store.
    this.store = store as DataStore & AnyDataStore
    this.#handle = handleOf(store)
    if (refuse !== undefined) refuseInStore(store, this.#handle, refuse)
    const { writer } = this.#handle
    writer.journal = (list) => void this.#commits.push(commitOf(list))
    writer.afterCommit.defer = (hooks) => {
      for (const hook of hooks) this.#afterHooks.push(hook)
    }
    this.#ports.forget()
  }

  /**
   * The facts that the run needed and the store does not have. If there are any, the run is void.
   */
  get missing(): readonly Missing[] {
    return this.#knowledge.missing
  }

  /** The dataclasses that the known facts were queried from by predicates. */
  get queried(): ReadonlySet<ClassModel> {
    return this.#knowledge.queried
  }

  /** Takes facts of the database, for the next run. */
  add(found: readonly Found[], globalStamp: number): void {
    this.#knowledge.add(found)
    this.#globalStamp = globalStamp
  }

  /** Undoes what a run did, and puts the known records in. Cost: O(records). */
  begin(): void {
    const { writer } = this.#handle
    this.#clear()
    this.#ports.again()
    writer.startAt(this.#globalStamp)
    for (const table of this.#tables) table.refill(writer.context.nextBirth)
    for (const { model } of this.#tables)
      for (const { dataClass, lockedBy, values } of this.#knowledge.rowsOf(model).values())
        if (lockedBy !== null)
          this.#lock(dataClass.name, values[dataClass.key.ordinal] as string | number, lockedBy)
  }

  /**
   * Begins a transaction that stays open, so that its body may wait. End it before the run ends.
   */
  open(): OpenTransaction {
    return this.#handle.writer.open()
  }

  /** The session of a caller, as a session of this store until the run ends. */
  adopt(session: Session): Session {
    return serverStateOf(this.#handle).sessions.adopt(session)
  }

  /** Puts an entity set of the database in, for this run. Throws as a look-up of its members. */
  putSet(set: WorkingSet): void {
    const table = this.#tables.find(({ model }) => model.name === set.dataClass)!
    const empty = this.store.dataClass(set.dataClass).empty()
    const selection = selectionOf(table, empty, set)
    this.store.entitySets.create(selection, { id: set.id, owner: set.owner })
  }
  /** The members of an entity set of this store; none if its session does not find it. */
  membersOfSet(id: string, owner: Session | null): SetMembers {
    const selection = this.store.entitySets.peek(id, owner)
    return selection === undefined ? { keys: [], rule: null } : setMembersOf(selection)
  }

  /** What the run did and read. The hooks can be run until the store serves another decision. */
  effects(): Effects {
    return {
      commits: this.#commits,
      reads: this.#knowledge.reads(this.#commits),
      afterHooks: this.#afterHooks,
    }
  }

  /** Forgets the facts, for those of a later moment. The clock and the ids repeat their answers. */
  forgetFacts(): void {
    this.#knowledge.forget()
  }

  /** Forgets everything. Cost: O(records). Throws `storeBroken` where that is not possible. */
  empty(): void {
    this.#knowledge.forget()
    this.#ports.forget()
    this.#globalStamp = 0
    this.#clear()
    this.#handle.writer.guard()
    for (const table of this.#tables) table.refill(this.#handle.writer.context.nextBirth)
  }

  #clear(): void {
    this.#commits = []
    this.#afterHooks = []
    serverStateOf(this.#handle).clear()
  }
  #lock(dataClass: string, key: string | number, holder: SessionInfo): void {
    const { sessions, locks } = serverStateOf(this.#handle)
    // Its token is unknown here, and its public id is not accepted instead.
    locks.lock(dataClass, key, sessions.adopt({ ...holder, token: `held by ${holder.id}` }))
  }
}
