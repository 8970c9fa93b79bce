import { attribute, createDataStore, defineDataClass, openDump } from '../../src/index.ts'
import type { Entity, OfficeStore, Selection, Table } from '../engine/office-store.ts'
import type { HookGate, HookName } from './hook-gate.ts'
import type { Clocks, PlainEntry } from './plain-sides.ts'

/**
 * A small club with every kind of index and column, every `onDelete` rule and a cycle of relations.
 * One dataclass has hooks that can fail or write on request, three have none. One has the extreme
 * values of every type, under names that entities have of their own.
 */
function clubClasses(gate: HookGate) {
  const pass = (hook: HookName): void => {
    if (gate.enter(hook) !== null) throw new Error(`the hook ${hook} fails`)
  }
  const agree = (hook: HookName) => {
    const how = gate.enter(hook)
    if (how === 'throw') throw new Error(`the hook ${hook} fails`)
    return how === null ? null : { errCode: 10_001, message: 'No.' }
  }
  return [
    defineDataClass('Team', {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ unique: true }),
      motto: attribute.string({ collation: 'exact' }),
      lead: attribute.relatedEntity('Player'),
      players: attribute.relatedEntities('Player', 'team'),
      passes: attribute.relatedEntities('Pass', 'sponsor'),
    }),
    defineDataClass(
      'Player',
      {
        ID: attribute.long({ key: true, autoSequence: true }),
        name: attribute.string({ indexed: true, words: true }),
        nick: attribute.string({ collation: 'exact' }),
        score: attribute.number({ indexed: true, min: 0 }),
        team: attribute.relatedEntity('Team', { foreignKey: 'teamID' }),
        teamID: attribute.long(),
        captain: attribute.relatedEntity('Player', { onDelete: 'cascade' }),
        mates: attribute.relatedEntities('Player', 'captain'),
        passes: attribute.relatedEntities('Pass', 'holder'),
      },
      {
        hooks: {
          init: (draft: { nick: string | null }) => {
            pass('init')
            draft.nick = 'new'
          },
          beforeSave: (draft: { score: number | null }) => {
            pass('beforeSave')
            draft.score ??= 0
          },
          validateSave: () => agree('validateSave'),
          validateRemove: () => agree('validateRemove'),
          afterSave: () => void gate.enter('afterSave'),
          afterRemove: () => void gate.enter('afterRemove'),
        },
      },
    ),
    defineDataClass('Pass', {
      code: attribute.string({ key: true }),
      colour: attribute.string({ notNull: true, default: 'red' }),
      holder: attribute.relatedEntity('Player', { onDelete: 'cascade' }),
      sponsor: attribute.relatedEntity('Team', { onDelete: 'restrict' }),
    }),
    defineDataClass('Oddity', {
      ID: attribute.long64({ key: true, autoSequence: true }),
      key: attribute.string({ indexed: true, collation: 'exact' }),
      stamp: attribute.long(),
      timestamp: attribute.date({ indexed: true }),
      dataClass: attribute.number({ indexed: true }),
      // biome-ignore lint/suspicious/noThenProperty: a name that every promise has
      then: attribute.long64({ indexed: true }),
      toString: attribute.duration(),
      valueOf: attribute.bool(),
      length: attribute.uuid({ indexed: true }),
      first: attribute.date({ dateOnly: true, indexed: true }),
      toJSON: attribute.object(),
      hasOwnProperty: attribute.blob(),
    }),
  ] as const
}

/** Attributes whose indexes the commands create and drop. */
export const INDEXABLE = [
  ['Team', 'motto'],
  ['Team', 'name'],
  ['Player', 'name'],
  ['Player', 'nick'],
  ['Player', 'score'],
  ['Player', 'teamID'],
  ['Pass', 'colour'],
  ['Pass', 'code'],
  ['Oddity', 'key'],
  ['Oddity', 'then'],
  ['Oddity', 'dataClass'],
  ['Oddity', 'toString'],
  ['Oddity', 'timestamp'],
] as const

/** Bounds low enough that some commands reach them. */
export const LIMITS = { sets: 5, setsOfSession: 2, setBytes: 64, locksOfSession: 2 }
const OPTIONS = {
  history: { commits: 12 },
  sessions: { idleSeconds: 3600, maxSeconds: 10_000, max: 50 },
  locks: { maxPerSession: LIMITS.locksOfSession },
  entitySets: { max: LIMITS.sets, maxPerSession: LIMITS.setsOfSession, maxBytes: LIMITS.setBytes },
}

export interface SessionHandle {
  readonly id: string
  readonly token: string
}
type LockAnswer = {
  readonly kind: string
  readonly holder?: SessionHandle
  readonly stored?: number
}

/** The interface of a store that the commands use, without the types of its model. */
export interface ClubStore
  extends Omit<OfficeStore, 'dataClass' | 'transact' | 'Company' | 'Employee' | 'Badge'> {
  dataClass(name: string): ClubTable
  transact<R>(body: () => R): R
  as<R>(session: SessionHandle | null, body: () => R): R
  readonly sessions: {
    readonly size: number
    open(options: { readonly lifetimeSeconds?: number }): SessionHandle
    touch(token: string): SessionHandle | undefined
    close(token: string): boolean
    list(): readonly SessionHandle[]
  }
  readonly locks: {
    readonly size: number
    lock(
      c: string,
      key: unknown,
      session: SessionHandle,
      options: { readonly stamp?: number },
    ): LockAnswer
    unlock(c: string, key: unknown, session: SessionHandle): LockAnswer
    holder(c: string, key: unknown): SessionHandle | null
    releaseAll(session: SessionHandle): number
  }
  readonly entitySets: {
    readonly size: number
    create(selection: Selection, options: object): string
    get(id: string, session?: SessionHandle | null): Selection | undefined
    peek(id: string, session?: SessionHandle | null): Selection | undefined
    combine(
      id: string,
      operator: string,
      other: string,
      session?: SessionHandle | null,
    ): Selection | boolean
    clean(id: string, session?: SessionHandle | null): Selection
    release(id: string, session?: SessionHandle | null): boolean
    list(): readonly PlainEntry[]
  }
}
interface ClubTable extends Table {
  load(
    rows: Iterable<object>,
    options?: { readonly relations?: 'null' },
  ): { readonly count: number }
  updateAll(changes: readonly object[]): { readonly count: number }
}
export type ClubEntity = Entity

/**
 * Creates stores of the club, empty or from a dump, all with the same hooks, clocks and counted
 * ids.
 */
export function clubMaker(gate: HookGate, clocks: Clocks): (bytes?: Uint8Array) => ClubStore {
  let ids = 0
  const dataClasses = clubClasses(gate)
  const options = {
    ...OPTIONS,
    dataClasses,
    clock: { now: () => clocks.wall, monotonic: () => clocks.monotonic },
    ids: { uuid: () => (++ids).toString(16).padStart(32, '0'), token: () => `token ${++ids}` },
  }
  return (bytes) =>
    (bytes === undefined
      ? createDataStore({ ...options, name: 'club' })
      : openDump(bytes, options)) as unknown as ClubStore
}
