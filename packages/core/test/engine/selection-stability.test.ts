import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type IndexSet, indexSets, offices } from '../arbitraries.ts'
import type { PlainData } from '../oracle/office.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf, type Source, stepped } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { mustHold, select, sources, steps, take } from './office-selections.ts'
import { mustBeExact, officeOf, outcome, setIndex } from './office-store.ts'
import {
  copyInto,
  indexChanges,
  mustEqual,
  type Write,
  writeBoth,
  writes,
} from './office-writes.ts'

interface Stage {
  readonly data: PlainData
  readonly indexes: IndexSet
  readonly made: readonly Source[]
  readonly writes: readonly Write[]
}
const stages: fc.Arbitrary<Stage> = fc.record({
  data: offices(),
  indexes: indexSets,
  made: fc.array(sources, { minLength: 1, maxLength: 4 }),
  writes: fc.array(writes, { maxLength: 8 }),
})

/**
 * Selections created now, with the members that they must keep, leaving out those that cannot be
 * created.
 */
function makeAll(store: ReturnType<typeof officeOf>, office: PlainOffice, made: readonly Source[]) {
  return made.flatMap((source) => {
    const members = outcome(() => membersOf(office, source))
    const selection = outcome(() => select(store, source))
    expect(selection === 'refused').toBe(members === 'refused')
    return members === 'refused' || selection === 'refused' ? [] : [{ selection, members }]
  })
}

test(
  'a selection keeps its members from its creation if it is first read after later writes',
  patience,
  () => {
    fc.assert(
      fc.property(
        stages,
        fc.array(indexChanges, { maxLength: 2 }),
        ({ data, indexes, made, writes }, indexChanges) => {
          const store = officeOf(data, indexes)
          const office = copyInto(new PlainOffice(), data)
          const selections = makeAll(store, office, made)
          for (const write of writes) writeBoth(store, office, write)
          for (const [[className, attribute], isWanted] of indexChanges)
            setIndex(store, className, attribute, isWanted)
          for (const { selection, members } of selections) mustHold(selection, office, members)
        },
      ),
      runs(220),
    )
  },
)

test('a selection of any form removes its members, or none if one is refused', patience, () => {
  fc.assert(
    fc.property(stages, ({ data, indexes, made, writes }) => {
      const store = officeOf(data, indexes)
      const office = copyInto(new PlainOffice(), data)
      for (const write of writes) writeBoth(store, office, write)
      for (const source of made) {
        const expected = outcome(() => {
          const members = membersOf(office, source)
          return office.transact(
            () => members.map(({ row }) => office.remove('Employee', row.ID)).length,
          )
        })
        expect(outcome(() => select(store, source).remove())).toBe(expected)
        mustEqual(store, office)
      }
    }),
    runs(60),
  )
})

test('a selection derived from an older one has its live members', patience, () => {
  fc.assert(
    fc.property(
      stages,
      steps,
      fc.array(writes, { maxLength: 4 }),
      ({ data, indexes, made, writes }, step, later) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const selections = makeAll(store, office, made)
        for (const write of writes) writeBoth(store, office, write)
        const taken = selections.flatMap(({ selection, members }) => {
          const expected = outcome(() => stepped(office, members, step))
          const found = outcome(() => take(store, selection, step))
          expect(found === 'refused').toBe(expected === 'refused')
          return expected === 'refused' || found === 'refused'
            ? []
            : [{ selection: found, members: expected }]
        })
        for (const write of later) writeBoth(store, office, write)
        for (const { selection, members } of taken) mustHold(selection, office, members)
      },
    ),
    runs(140),
  )
})

test('a selection read in part before a write continues unchanged', patience, () => {
  fc.assert(
    fc.property(stages, fc.nat(4), ({ data, indexes, made, writes }, place) => {
      const store = officeOf(data, indexes)
      const office = copyInto(new PlainOffice(), data)
      for (const { selection, members } of makeAll(store, office, made)) {
        const page = selection.page(place, 2)
        expect(page.keys()).toEqual(members.slice(place, place + 2).flatMap(({ row }) => [row.ID]))
        expect(selection.first()?.key).toBe(members[0]?.row.ID)
        for (const write of writes.slice(0, 2)) writeBoth(store, office, write)
        mustHold(page, office, members.slice(place, place + 2))
        mustHold(selection, office, members)
        // Later selections of the list derive from a changed office, so only the first has known
        // members.
        break
      }
    }),
    runs(80),
  )
})

test('a selection beyond the kept history throws or keeps its members', patience, () => {
  fc.assert(
    fc.property(stages, ({ data, indexes, made, writes }) => {
      const store = officeOf(data, indexes, { commits: 1 })
      const office = copyInto(new PlainOffice(), data)
      const selections = makeAll(store, office, made)
      for (const write of writes) writeBoth(store, office, write)
      for (const { selection, members } of selections) {
        expect(selection.count).toBe(members.length)
        if (outcome(() => selection.keys()) !== 'refused') mustHold(selection, office, members)
        else
          expect(() => selection.keys()).toThrow(
            expect.objectContaining({ code: 'historyTrimmed' }),
          )
      }
    }),
    runs(35),
  )
})

test(
  'a selection can be explained at any time: exact counts of the plan equal the result',
  patience,
  () => {
    fc.assert(
      fc.property(stages, ({ data, indexes, made, writes }) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const selections = makeAll(store, office, made)
        for (const write of writes) writeBoth(store, office, write)
        for (const { selection, members } of selections) {
          mustBeExact(selection.explain().root)
          mustHold(selection, office, members)
        }
      }),
      runs(60),
    )
  },
)
