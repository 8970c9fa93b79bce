import { EntiaError, foreignKeyOf } from '../../src/index.ts'
import type { Snapshot } from '../../src/model/store-types.ts'
import { type ClubEntity, type ClubStore, clubMaker, LIMITS, type SessionHandle } from './club.ts'
import { HookGate } from './hook-gate.ts'
import type { PlainSnapshot } from './plain-club.ts'
import { ATTRIBUTES, CLASS_NAMES, type ClassName, keyOf, PlainClub, type PlainRecord, Refused } from './plain-club.ts'
import { type Clocks, PlainSides } from './plain-sides.ts'

/** The store does not do what plain arrays do. */
export class Divergence extends Error {}
/** What a body of a transaction throws by itself. */
export class Thrown extends Error {}

/** One club twice: in a store and in plain arrays, with what was made of each on the way. */
export class Pair {
  readonly clocks: Clocks = { wall: 1_700_000_000_000, monotonic: 5_000 }
  readonly gates = { store: new HookGate(), model: new HookGate() }
  readonly sides: PlainSides
  readonly club: PlainClub
  readonly make: (bytes?: Uint8Array) => ClubStore
  store: ClubStore
  /** The session that writes in the model. */
  writing: string | null = null
  sessions: (SessionHandle | null)[] = [null, null, null]
  snapshots: { readonly store: Snapshot; readonly model: PlainSnapshot; readonly made: number; isGone: boolean }[] = []
  /** Ids of entity sets. */
  readonly sets: string[] = Array.from({ length: 4 }, (_, i) => `${i}`.padStart(32, 'F'))

  constructor() {
    const { clocks, gates } = this
    this.make = clubMaker(gates.store, clocks)
    this.store = this.make()
    const now = () => clocks.wall
    this.club = new PlainClub(gates.model, now, (record) => {
      const holder = this.sides.holderOf(record)
      if (holder !== null && holder !== this.writing) throw new Refused('entityLocked')
    })
    this.sides = new PlainSides(clocks, LIMITS, (record) => this.club.isLiving(record))
  }

  /** What both answer is the same, and what both refuse has left no trace. Returns the code of the refusal, or `ok`. */
  both(model: () => unknown, store: () => unknown): string {
    const expected = outcomeOf(model)
    this.sides.afterCommit()
    if (expected.code === 'ok') {
      mustEqual(outcomeOf(store), expected)
      return 'ok'
    }
    const before = this.store.dump()
    mustEqual(outcomeOf(store), expected)
    if (!isSame(this.store.dump(), before)) throw new Divergence('what was refused left a trace')
    return expected.code
  }

  /** Both hold the same, and the store is sound. */
  check(): void {
    const { store, club, gates } = this
    for (const className of CLASS_NAMES) {
      const found = store
        .dataClass(className)
        .all()
        .toArray()
        .map((entity) => textOfEntity(className, entity))
      mustEqual(found, club.living(className).map(textOfRecord))
    }
    mustEqual(store.globalStamp, club.globalStamp)
    mustEqual(gates.store.calls, gates.model.calls)
    store.verify()
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
export function outcomeOf(ask: () => unknown): Outcome {
  try {
    return { code: 'ok', value: ask() }
  } catch (error) {
    if (error instanceof Refused || error instanceof EntiaError) return { code: error.code, value: null }
    if (error instanceof Thrown) return { code: 'thrown', value: null }
    throw error
  }
}

export function mustEqual(found: unknown, expected: unknown): void {
  const [is, wanted] = [JSON.stringify(found), JSON.stringify(expected)]
  if (is !== wanted) throw new Divergence(`the store: ${is}\nthe model: ${wanted}`)
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** An entity as text: key, stamp, time, and every attribute, relations by their keys. */
export function textOfEntity(className: ClassName, entity: ClubEntity): string {
  const values = ATTRIBUTES[className].map((name) =>
    name === 'lead' || name === 'captain' || name === 'holder' || name === 'sponsor'
      ? foreignKeyOf(entity, name)
      : entity[name],
  )
  return JSON.stringify([entity.key, entity.stamp, Date.parse(entity.timestamp), values])
}
export function textOfRecord(record: PlainRecord): string {
  const { className, row, stamp, time } = record
  return JSON.stringify([keyOf(record), stamp, time, ATTRIBUTES[className].map((name) => row[name])])
}
