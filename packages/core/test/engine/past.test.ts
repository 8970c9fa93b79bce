import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexSets, offices } from '../arbitraries.ts'
import { CLASS_NAMES, type ClassName, type Row } from '../oracle/office.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf, type Source } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { type Act, act, eachAct, markOf } from './office-acts.ts'
import { type Moment, momentOf, mustBeAsThen, thenOf, valuesOf } from './office-moments.ts'
import { mustHold, select, sources } from './office-selections.ts'
import {
  type OfficeStore,
  officeOf,
  outcome,
  type PastOffice,
  plain,
  type Selection,
} from './office-store.ts'
import { copyInto } from './office-writes.ts'

/** Opens a past, reads the named parts, and holds it. */
interface Hold {
  readonly kind: 'hold'
  readonly place: number
  readonly read: ClassName | null
  readonly source: Source | null
}

const acts: fc.Arbitrary<readonly (Act | Hold)[]> = fc.array(
  fc.oneof(...eachAct, {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      place: fc.nat(20),
      read: fc.option(fc.constantFrom(...CLASS_NAMES)),
      source: fc.option(sources),
    }),
  }),
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
function run(store: OfficeStore, office: PlainOffice, acts: readonly (Act | Hold)[]): Course {
  const moments = [momentOf(store, office)]
  const marks = [markOf(store, office)]
  const held: Held[] = []
  for (const each of acts) {
    if (each.kind === 'hold') {
      const moment = moments[each.place % moments.length]
      const past = store.at(moment.globalStamp)
      if (each.read !== null) past.dataClass(each.read).all().first()
      const { source } = each
      const selection = source === null ? null : outcome(() => select(past, source))
      held.push({ past, moment, source, selection })
    } else act(store, office, marks, each)
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
