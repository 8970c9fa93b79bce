import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexSets, offices } from '../arbitraries.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { mustHold, select, sources } from './office-selections.ts'
import { officeOf, outcome } from './office-store.ts'
import { copyInto, writeBoth, writes } from './office-writes.ts'

test('selections created between restores keep their members', patience, () => {
  const acts = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: writes.map((write) => ({ write })) },
      { weight: 2, arbitrary: sources.map((source) => ({ source })) },
      { weight: 1, arbitrary: fc.constant({ mark: true as const }) },
      { weight: 2, arbitrary: fc.nat(9).map((jump) => ({ jump })) },
    ),
    { maxLength: 24, size: '+1' },
  )
  fc.assert(
    fc.property(offices({ maxEmployees: 2 }), indexSets, acts, (data, indexes, acts) => {
      const store = officeOf(data, indexes)
      const office = copyInto(new PlainOffice(), data)
      const marks = [{ snapshot: store.snapshot(), before: office.snapshot() }]
      const made: {
        readonly selection: ReturnType<typeof select>
        readonly members: ReturnType<typeof membersOf>
      }[] = []
      for (const act of acts) {
        if ('write' in act) writeBoth(store, office, act.write)
        if ('mark' in act) marks.push({ snapshot: store.snapshot(), before: office.snapshot() })
        if ('jump' in act) {
          const { snapshot, before } = marks[act.jump % marks.length]
          store.restore(snapshot)
          office.restore(before)
        }
        if (!('source' in act)) continue
        const members = outcome(() => membersOf(office, act.source))
        if (members !== 'refused') made.push({ members, selection: select(store, act.source) })
      }
      for (const { selection, members } of made) mustHold(selection, office, members)
    }),
    runs(150),
  )
})

test('equal states have equal dumps, whatever their history and their indexes', patience, () => {
  fc.assert(
    fc.property(offices(), indexSets, indexSets, (data, some, others) => {
      expect(Buffer.compare(officeOf(data, some).dump(), officeOf(data, others).dump())).toBe(0)
    }),
    runs(20),
  )
})
