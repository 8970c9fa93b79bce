import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexSets, offices } from '../arbitraries.ts'
import { CLASS_NAMES, type ClassName, type Row } from '../oracle/office.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf, type Source } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { type Moment, momentOf, mustBeAsThen, thenOf, valuesOf } from './office-moments.ts'
import { mustHold, select, sources } from './office-selections.ts'
import {
  type OfficeStore,
  officeOf,
  outcome,
  type PastOffice,
  plain,
  type Selection,
  setIndex,
} from './office-store.ts'
import {
  copyInto,
  indexChanges,
  rowsToLoad,
  type Write,
  writeBoth,
  writes,
} from './office-writes.ts'

type Act =
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'writes'; readonly writes: readonly Write[] }
  | { readonly kind: 'load'; readonly className: ClassName; readonly rows: readonly Row[] }
  | {
      readonly kind: 'index'
      readonly className: ClassName
      readonly attribute: string
      readonly isWanted: boolean
    }
  | { readonly kind: 'mark' }
  | { readonly kind: 'jump'; readonly place: number }
  /** Opens a past, reads the named parts, and holds it. */
  | {
      readonly kind: 'hold'
      readonly place: number
      readonly read: ClassName | null
      readonly source: Source | null
    }

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: writes.map((write): Act => ({ kind: 'write', write })) },
    {
      weight: 2,
      arbitrary: fc
        .array(writes, { maxLength: 4 })
        .map((writes): Act => ({ kind: 'writes', writes })),
    },
    {
      weight: 2,
      arbitrary: rowsToLoad.map(([className, rows]): Act => ({ kind: 'load', className, rows })),
    },
    {
      weight: 2,
      arbitrary: indexChanges.map(
        ([[className, attribute], isWanted]): Act => ({
          kind: 'index',
          className,
          attribute,
          isWanted,
        }),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Act>({ kind: 'mark' }) },
    { weight: 2, arbitrary: fc.nat(9).map((place): Act => ({ kind: 'jump', place })) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('hold' as const),
        place: fc.nat(20),
        read: fc.option(fc.constantFrom(...CLASS_NAMES)),
        source: fc.option(sources),
      }),
    },
  ),
  { maxLength: 16, size: '+1' },
)

interface Held {
  readonly past: PastOffice
  readonly moment: Moment
  readonly source: Source | null
  /** Created from the past at the start, read at the end. */
  readonly selection: Selection | 'refused' | null
}

interface Course {
  readonly moments: readonly Moment[]
  readonly held: readonly Held[]
}

/** Runs all commands on both offices and keeps their states after each commit. */
function run(store: OfficeStore, office: PlainOffice, acts: readonly Act[]): Course {
  const moments = [momentOf(store, office)]
  const marks = [{ snapshot: store.snapshot(), before: office.snapshot() }]
  const held: Held[] = []
  for (const act of acts) {
    switch (act.kind) {
      case 'write':
        writeBoth(store, office, act.write)
        break
      case 'writes':
        outcome(() =>
          office.transact(() =>
            store.transact((tx) =>
              act.writes.forEach((write) => void writeBoth(tx, office, write)),
            ),
          ),
        )
        break
      case 'load': {
        const loaded = outcome(() => store.dataClass(act.className).load(act.rows))
        if (loaded !== 'refused')
          office.transact(() => act.rows.forEach((row) => void office.insert(act.className, row)))
        break
      }
      case 'index':
        setIndex(store, act.className, act.attribute, act.isWanted)
        break
      case 'mark':
        marks.push({ snapshot: store.snapshot(), before: office.snapshot() })
        break
      case 'jump': {
        const { snapshot, before } = marks[act.place % marks.length]
        store.restore(snapshot)
        office.restore(before)
        break
      }
      case 'hold': {
        const moment = moments[act.place % moments.length]
        const past = store.at(moment.globalStamp)
        if (act.read !== null) past.dataClass(act.read).all().first()
        const { source } = act
        const selection = source === null ? null : outcome(() => select(past, source))
        held.push({ past, moment, source, selection })
      }
    }
    if (store.globalStamp !== moments[moments.length - 1].globalStamp)
      moments.push(momentOf(store, office))
  }
  return { moments, held }
}

test(
  'a past equals the earlier store, whatever is written before and while it is read',
  patience,
  () => {
    fc.assert(
      fc.property(
        offices({ maxEmployees: 5 }),
        indexSets,
        acts,
        fc.array(sources, { maxLength: 3 }),
        (data, indexes, acts, sources) => {
          const store = officeOf(data, indexes)
          const office = copyInto(new PlainOffice(), data)
          const { moments, held } = run(store, office, acts)
          for (const moment of moments) {
            using past = store.at(moment.globalStamp)
            mustBeAsThen(past, moment, office, sources)
          }
          for (const { past, moment, source, selection } of held) {
            mustBeAsThen(past, moment, office, source === null ? sources : [source])
            if (selection === null || selection === 'refused') continue
            mustHold(selection, office, membersOf(office, source as Source))
          }
          store.verify()
        },
      ),
      runs(40),
    )
  },
)

test(
  'the result of `changes` since a stamp, applied to that state, gives the present',
  patience,
  () => {
    fc.assert(
      fc.property(offices({ maxEmployees: 5 }), indexSets, acts, (data, indexes, acts) => {
        const store = officeOf(data, indexes)
        const { moments } = run(store, copyInto(new PlainOffice(), data), acts)
        const now = valuesOf(store)
        for (const moment of moments) {
          const values = valuesOf(thenOf(moment))
          const changes = store.changes({ since: moment.globalStamp })
          let last = moment.globalStamp
          for (const { globalStamp, dataClass, key, kind, before, after } of changes) {
            expect(globalStamp).toBeGreaterThanOrEqual(last)
            last = globalStamp
            const rows = values.get(dataClass as ClassName) as Map<unknown, Row>
            expect(rows.get(key)).toEqual(before === null ? undefined : plainRow(before))
            expect(kind).toBe(before === null ? 'insert' : after === null ? 'remove' : 'update')
            if (after === null) rows.delete(key)
            else rows.set(key, plainRow(after))
          }
          expect(last).toBeLessThanOrEqual(store.globalStamp)
          expect(values).toEqual(now)
        }
      }),
      runs(70),
    )
  },
)

const plainRow = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))
