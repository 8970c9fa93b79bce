// A folder opens with a model that has other rules, if what it holds obeys them in the end.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { patience, runs } from '../runs.ts'
import { byHand, portsOver } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

const openNotes = (unique: boolean) => {
  const Note = defineDataClass('Note', {
    ID: attribute.long({ key: true, autoSequence: true }),
    code: attribute.string({ unique }),
    place: attribute.long({ unique }),
  })
  return createDataStore({ name: 'notes', dataClasses: [Note] })
}

const value = fc.option(fc.integer({ min: 0, max: 4 }), { freq: 3 })
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ ID: fc.integer({ min: 1, max: 4 }), code: value, place: value }),
  },
  { weight: 2, arbitrary: fc.record({ gone: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.constantFrom('compact' as const, 'many' as const) },
)

test(
  'values that became unique open if they are at the end, whatever they were before',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const files = new MemoryFiles()
        const before = openNotes(false)
        const journal = await openJournal(before, 'notes', byHand, portsOver(files))
        for (const each of steps)
          if (each === 'compact') await journal.compact()
          else if (each === 'many') {
            before.Note.all().remove()
            // So many records of an empty table are entered together.
            before.Note.load(
              Array.from({ length: 1030 }, (_, at) => ({ ID: at + 1, place: at >> 1 })),
            )
            before.Note.updateAll(
              Array.from({ length: 1024 }, (_, at) => ({ key: at + 7, patch: { place: at + 7 } })),
            )
          } else if ('gone' in each) before.Note.query('ID = :1', [each.gone]).remove()
          else {
            const { ID, ...patch } = each
            const values = { ...patch, code: patch.code === null ? null : 'aAbBc'[patch.code] }
            if (before.Note.has(ID)) before.Note.update(ID, values)
            else before.Note.insert({ ID, ...values })
          }
        await journal.close()

        const notes = before.Note.all().toArray()
        const repeats = (values: readonly unknown[]) => new Set(values).size < values.length
        const isTwice =
          repeats(notes.flatMap(({ code }) => code?.toLowerCase() ?? [])) ||
          repeats(notes.flatMap(({ place }) => place ?? []))
        const after = openNotes(true)
        const opening = openJournal(after, 'notes', byHand, portsOver(files))
        if (isTwice) {
          await expect(opening).rejects.toThrow(/"Note\.(code|place)" is there twice, but must be/)
          expect(after.Note.count).toBe(0)
          return
        }
        const again = await opening
        after.verify()
        expect(after.Note.all().toArray()).toEqual(notes)
        await again.close()
      }),
      runs(60),
    )
  },
)
