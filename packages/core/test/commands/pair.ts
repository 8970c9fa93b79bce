import {
  EntiaError,
  foreignKeyOf,
  keyOf as keyOfEntity,
  stampOf,
  timestampOf,
} from '../../src/index.ts'
import type { Snapshot } from '../../src/model/store-types.ts'
import { type ClubEntity, type ClubStore, clubMaker, LIMITS, type SessionHandle } from './club.ts'
import { Divergence, isSame, mustEqual, Thrown } from './divergence.ts'
import { HookGate } from './hook-gate.ts'
import { placeOf } from './odd-values.ts'
import { PlainClub } from './plain-club.ts'
import {
  ATTRIBUTES,
  CLASS_NAMES,
  type ClassName,
  keyOf,
  type PlainRecord,
  type PlainSnapshot,
  Refused,
} from './plain-model.ts'
import { type Clocks, PlainSides } from './plain-sides.ts'
import { Witness } from './witness.ts'

/** A state of the store and of the model that can be restored. */
export interface Mark {
  readonly store: Snapshot
  readonly model: PlainSnapshot
  /** The number of sets and locks created before it. */
  readonly made: number
  isGone: boolean
}

/** One club twice, in a store and in plain arrays, with the handles created so far. */
export class Pair {
  readonly clocks: Clocks = { wall: 1_700_000_000_000, monotonic: 5_000 }
  readonly gates = { store: new HookGate(), model: new HookGate() }
  readonly sides: PlainSides
  readonly club: PlainClub
  readonly make: (bytes?: Uint8Array) => ClubStore
  store: ClubStore
  /** The session that currently writes in the model. */
  writing: string | null = null
  sessions: (SessionHandle | null)[] = [null, null, null]
  snapshots: Mark[] = []
  /** Created once, and restored repeatedly during the life of the store. */
  seed: Mark | null = null
  /** Receives the commits of the store. */
  witness: Witness
  /** Ids of entity sets. */
  readonly sets: string[] = Array.from({ length: 4 }, (_, i) => `${i}`.padStart(32, 'F'))

  constructor() {
    const { clocks, gates } = this
    this.make = clubMaker(gates.store, clocks)
    this.store = this.make()
    this.witness = new Witness(this.store, gates.store)
    const now = () => clocks.wall
    this.club = new PlainClub(gates.model, now, (record) => {
      const holder = this.sides.holderOf(record)
      if (holder !== null && holder !== this.writing) throw new Refused('entityLocked')
    })
    this.sides = new PlainSides(clocks, LIMITS, (record) => this.club.isLiving(record))
  }

  /**
   * Runs a step on both: the results must be equal, and a refusal must leave the store unchanged.
   * Returns the code of the refusal, or `ok`.
   */
  both(model: () => unknown, store: () => unknown): string {
    const expected = outcomeOf(model)
    this.sides.afterCommit()
    if (expected.code === 'ok') {
      mustEqual(outcomeOf(store), expected)
      return 'ok'
    }
    const before = this.store.dump()
    mustEqual(outcomeOf(store), expected)
    if (!isSame(this.store.dump(), before))
      throw new Divergence('a refused command changed the store')
    return expected.code
  }

  /** Both hold the same data, and the store passes verification. */
  check(): void {
    const { store, club, gates } = this
    for (const className of CLASS_NAMES) {
      const found = store
        .dataClass(className)
        .all()
        .toArray()
        .map((entity) => textOfEntity(className, entity))
      const expected = club.living(className).map(textOfRecord)
      // Builds one text only if they differ, since this check runs most often.
      const isEqual =
        found.length === expected.length && found.every((text, i) => text === expected[i])
      if (!isEqual) mustEqual(found, expected)
    }
    mustEqual(store.globalStamp, club.globalStamp)
    mustEqual(gates.store.calls, gates.model.calls)
    const { reactions } = gates.store
    mustEqual(reactions, gates.model.reactions)
    this.witness.check()
    store.verify()
  }

  /** Continues with a store opened from the data of this one. Handles and sessions are lost. */
  goOnWith(store: ClubStore): void {
    this.store = store
    this.witness = new Witness(store, this.gates.store)
    // The new store refuses snapshots of the old one.
    for (const snapshot of this.snapshots) snapshot.isGone = true
    this.seed = null
    this.sessions = [null, null, null]
    this.sides.sessions = []
    this.sides.sweep()
    this.sides.sets = []
  }

  /** Runs `body` in the model as a session. */
  as<R>(session: SessionHandle | null, body: () => R): R {
    if (session !== null) this.sides.mustBeOpen(session.id)
    this.writing = session?.id ?? null
    try {
      return body()
    } finally {
      this.writing = null
    }
  }
}

interface Outcome {
  readonly code: string
  readonly value: unknown
}
/** Codes with which a store may refuse to exceed the last number of a sequence. */
const NO_ROOM = ['sequenceExhausted', 'sequenceWouldEnd']

export function outcomeOf(ask: () => unknown): Outcome {
  try {
    return { code: 'ok', value: ask() }
  } catch (error) {
    if (error instanceof Refused || error instanceof EntiaError)
      return { code: NO_ROOM.includes(error.code) ? 'noRoom' : error.code, value: null }
    if (error instanceof Thrown) return { code: 'thrown', value: null }
    throw error
  }
}

/** An entity as text: key, stamp, time, and every attribute; relations by their keys. */
export function textOfEntity(className: ClassName, entity: ClubEntity): string {
  const values = ATTRIBUTES[className].map((name) =>
    name === 'lead' || name === 'captain' || name === 'holder' || name === 'sponsor'
      ? foreignKeyOf(entity, name)
      : className === 'Oddity'
        ? placeOf(name, entity[name])
        : entity[name],
  )
  return JSON.stringify([
    keyOfEntity(entity),
    stampOf(entity),
    Date.parse(timestampOf(entity)),
    values,
  ])
}
export function textOfRecord(record: PlainRecord): string {
  const { className, row, stamp, time } = record
  return JSON.stringify([
    keyOf(record),
    stamp,
    time,
    ATTRIBUTES[className].map((name) => row[name]),
  ])
}
