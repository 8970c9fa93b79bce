import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Snapshot } from '../../src/model/store-types.ts'
import { indexSets } from '../arbitraries.ts'
import { type FilterText, queries } from '../filter-arbitraries.ts'
import type { ClassName, Row } from '../oracle/office.ts'
import { PlainOffice, type PlainRecord, type PlainSnapshot } from '../oracle/plain-office.ts'
import { membersOf, type Source } from '../oracle/plain-selection.ts'
import { Refused } from '../oracle/plain-value.ts'
import { patience, runs } from '../runs.ts'
import { mustHold, select, sources } from './office-selections.ts'
import { emptyOffice, type OfficeStore, outcome, type Selection, setIndex } from './office-store.ts'
import {
  indexChanges,
  mustEqual,
  rowsToLoad,
  type Write,
  writeBoth,
  writes,
} from './office-writes.ts'

/** The plain office, and the objects created so far. */
interface Model {
  readonly office: PlainOffice
  readonly snapshots: PlainSnapshot[]
  readonly selections: (readonly PlainRecord[])[]
}
interface Real {
  readonly store: OfficeStore
  readonly snapshots: Snapshot[]
  readonly selections: Selection[]
}

/**
 * A command that has the same effect on both. Afterwards both hold the same data and the store
 * passes verification.
 */
class Both implements fc.Command<Model, Real> {
  readonly name: string
  readonly act: (model: Model, real: Real) => void
  constructor(name: string, act: (model: Model, real: Real) => void) {
    this.name = name
    this.act = act
  }
  check = () => true
  run(model: Model, real: Real): void {
    const { globalStamp } = real.store
    const before = JSON.stringify(model.office.data)
    this.act(model, real)
    real.store.verify()
    mustEqual(real.store, model.office)
    if (JSON.stringify(model.office.data) === before)
      expect(real.store.globalStamp - globalStamp).toBeLessThanOrEqual(1)
    else expect(real.store.globalStamp).toBe(globalStamp + 1)
  }
  toString = () => this.name
}

const writeOne = (write: Write) =>
  new Both(JSON.stringify(write), ({ office }, { store }) => {
    const { globalStamp } = store
    const before = JSON.stringify(office.data)
    const { found, expected } = writeBoth(store, office, write)
    expect(found === 'refused').toBe(expected === 'refused')
    if (JSON.stringify(office.data) === before) expect(store.globalStamp).toBe(globalStamp)
  })

/**
 * Several writes as one transaction with a query after the first. A strict one fails with the first
 * refusal.
 */
const writeMany = (writes: readonly Write[], query: FilterText, isStrict: boolean) =>
  new Both(`transact ${JSON.stringify([writes, query, isStrict])}`, ({ office }, { store }) => {
    const source: Source = { kind: 'query', ...query }
    const look: {
      selection: Selection | 'refused' | null
      members: readonly PlainRecord[] | 'refused'
    } = {
      selection: null,
      members: [],
    }
    let expected: unknown = null
    const found = outcome(() =>
      store.transact((tx) => {
        expected = outcome(() =>
          office.transact(() => {
            for (const [i, write] of writes.entries()) {
              const both = writeBoth(tx, office, write)
              expect(both.found === 'refused').toBe(both.expected === 'refused')
              if (both.found === 'refused' && isStrict) throw new Refused('one of them')
              if (i > 0 || office.hasDangling()) continue
              look.members = outcome(() => membersOf(office, source))
              look.selection = outcome(() => select(tx, source))
              if (look.selection !== 'refused' && look.members !== 'refused')
                mustHold(look.selection, office, look.members)
            }
          }),
        )
        // The plain office refuses this only at the end; the store must refuse it by itself.
        if (expected === 'refused' && isStrict) throw new Refused('one of them')
      }),
    )
    expect(found === 'refused').toBe(expected === 'refused')
    const { selection, members } = look
    expect(selection === 'refused').toBe(members === 'refused')
    if (
      found === 'refused' ||
      selection === null ||
      selection === 'refused' ||
      members === 'refused'
    )
      return
    mustHold(selection, office, members)
  })

const load = (className: ClassName, rows: readonly Row[]) =>
  new Both(`load ${className} ${JSON.stringify(rows)}`, ({ office }, { store }) => {
    const expected = outcome(() =>
      office.transact(() => rows.map((row) => office.insert(className, row)).length),
    )
    const found = outcome(() => store.dataClass(className).load(rows).count)
    expect(found).toBe(expected)
  })

const removeAll = (source: Source) =>
  new Both(`remove ${JSON.stringify(source)}`, ({ office }, { store }) => {
    const expected = outcome(() => {
      const members = membersOf(office, source)
      return office.transact(
        () => members.map(({ row }) => office.remove('Employee', row.ID)).length,
      )
    })
    expect(outcome(() => select(store, source).remove())).toBe(expected)
  })

const ask = (className: ClassName, { text, params }: FilterText) =>
  new Both(`${className}: ${text} ${JSON.stringify(params)}`, ({ office }, { store }) => {
    const source: Source = { kind: 'query', text, params }
    if (className !== 'Employee') return
    const members = outcome(() => membersOf(office, source))
    expect(outcome(() => store.Employee.query(text, params).keys())).toEqual(
      members === 'refused' ? 'refused' : members.map(({ row }) => row.ID),
    )
  })

const make = (source: Source) =>
  new Both(
    `make ${JSON.stringify(source)}`,
    ({ office, selections: expected }, { store, selections }) => {
      const members = outcome(() => membersOf(office, source))
      const selection = outcome(() => select(store, source))
      if (members === 'refused' || selection === 'refused') return
      expected.push(members)
      selections.push(selection)
    },
  )

const look = (place: number) =>
  new Both(`look ${place}`, ({ office, selections: expected }, { selections }) => {
    const at = place % Math.max(1, selections.length)
    if (selections.length > 0) mustHold(selections[at], office, expected[at])
  })

const remember = () =>
  new Both('snapshot', (model, real) => {
    model.snapshots.push(model.office.snapshot())
    real.snapshots.push(real.store.snapshot())
  })

const goBack = (place: number) =>
  new Both(`restore ${place}`, ({ office, snapshots: expected }, { store, snapshots }) => {
    if (snapshots.length === 0) return
    const at = place % snapshots.length
    office.restore(expected[at])
    store.restore(snapshots[at])
  })

const index = (className: ClassName, attribute: string, isWanted: boolean) =>
  new Both(`${isWanted ? 'index' : 'drop'} ${className}.${attribute}`, (_, { store }) => {
    setIndex(store, className, attribute, isWanted)
  })

const commands = fc.commands(
  [
    writes.map(writeOne),
    writes.map(writeOne),
    writes.map(writeOne),
    fc
      .tuple(fc.array(writes, { minLength: 1, maxLength: 4 }), queries('Employee'), fc.boolean())
      .map((args) => writeMany(...args)),
    rowsToLoad.map(([className, rows]) => load(className, rows)),
    queries('Employee').map((query) => ask('Employee', query)),
    sources.map(make),
    sources.map(removeAll),
    fc.nat(9).map(look),
    fc.constant(remember()),
    fc.nat(9).map(goBack),
    indexChanges.map(([[className, attribute], isWanted]) => index(className, attribute, isWanted)),
  ],
  { size: '+1' },
)

test('a store behaves as plain arrays do for any sequence of commands', patience, () => {
  fc.assert(
    fc.property(indexSets, commands, (indexes, commands) => {
      const setup = () => ({
        model: { office: new PlainOffice(), snapshots: [], selections: [] } as Model,
        real: { store: emptyOffice(indexes), snapshots: [], selections: [] } as Real,
      })
      fc.modelRun(setup, commands)
    }),
    runs(120),
  )
})
