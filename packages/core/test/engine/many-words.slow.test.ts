import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, openDump } from '../../src/index.ts'

// More different texts than 16 bits number, in columns that keep a code per record.

const WORDS = 66_000
const ROWS = 2 * WORDS

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  twice: attribute.string({}),
  again: attribute.string({ indexed: true }),
})
const options = { name: 'notes', dataClasses: [Note] }

/** The same text comes back at once, or after all others. */
const rowAt = (at: number) => ({ twice: `w${Math.floor(at / 2)}`, again: `w${at % WORDS}` })

test.each([
  ['one load', [ROWS]],
  ['a load of few and one of many', [100, ROWS - 100]],
  ['loads of 6,000', new Array<number>(ROWS / 6000).fill(6000)],
])(
  '%s keeps each of more than 65,535 texts that repeat',
  (_, sizes) => {
    const store = createDataStore(options)
    let at = 0
    for (const size of sizes) store.Note.load(Array.from({ length: size }, () => rowAt(at++)))
    for (const { Note } of [store, openDump(store.dump(), options)]) {
      const wrong = Note.all()
        .toArray()
        .filter(({ twice, again }, at) => {
          const given = rowAt(at)
          return twice !== given.twice || again !== given.again
        })
      expect(wrong.slice(0, 3)).toEqual([])
      expect(Note.query('twice === :1', ['w65700']).keys()).toEqual([131_401, 131_402])
      expect(Note.query('again === :1', ['w65700']).keys()).toEqual([65_701, 131_701])
      expect(Note.all().distinct('twice')).toHaveLength(WORDS)
      expect(Note.all().distinct('again')).toHaveLength(WORDS)
    }
  },
  60_000,
)
