import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexSets, offices } from '../arbitraries.ts'
import { PlainOffice } from '../oracle/plain-office.ts'
import { membersOf } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { mustHold, select, sources } from './office-selections.ts'
import { type OfficeStore, officeOf, outcome } from './office-store.ts'
import { copyInto, mustEqual, rowsToLoad, writeBoth, writes } from './office-writes.ts'

/** A dump without the global stamp and the checksum that covers it. */
function contentOf(store: OfficeStore): string {
  const lines = Buffer.from(store.dump()).toString('utf8').split('\n')
  expect(lines[0]).toContain(`"globalStamp":${store.globalStamp}`)
  return [lines[0].replace(/"globalStamp":\d+/, ''), ...lines.slice(1, -2)].join('\n')
}

test(
  'restore brings back the canonical dump, except for the global stamp, which increases',
  patience,
  () => {
    fc.assert(
      fc.property(
        offices(),
        indexSets,
        fc.array(writes, { maxLength: 8 }),
        fc.option(rowsToLoad),
        (data, indexes, writes, load) => {
          const store = officeOf(data, indexes)
          const office = copyInto(new PlainOffice(), data)
          const content = contentOf(store)
          const before = office.snapshot()
          const snapshot = store.snapshot()
          for (const write of writes) writeBoth(store, office, write)
          if (load !== null) outcome(() => store.dataClass(load[0]).load(load[1]))
          const later = store.globalStamp
          // Commits that undo each other leave nothing to restore, and a restore without changes
          // makes no commit.
          const isSame = contentOf(store) === content
          store.restore(snapshot)
          expect(contentOf(store)).toBe(content)
          expect(store.globalStamp).toBe(isSame ? later : later + 1)
          store.verify()
          office.restore(before)
          mustEqual(store, office)
          // Free slots and sequences are restored too, so new writes have the same result.
          for (const write of writes) writeBoth(store, office, write)
          mustEqual(store, office)
        },
      ),
      runs(120),
    )
  },
)

test('a store can be restored to its snapshots in any order', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      fc.array(writes, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(6), { maxLength: 6 }),
      (data, indexes, writes, jumps) => {
        const store = officeOf(data, indexes)
        const office = copyInto(new PlainOffice(), data)
        const marks = [{ snapshot: store.snapshot(), content: contentOf(store) }]
        for (const write of writes) {
          writeBoth(store, office, write)
          marks.push({ snapshot: store.snapshot(), content: contentOf(store) })
        }
        for (const jump of jumps) {
          const { snapshot, content } = marks[jump % marks.length]
          store.restore(snapshot)
          expect(contentOf(store)).toBe(content)
          store.verify()
        }
      },
    ),
    runs(60),
  )
})

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
