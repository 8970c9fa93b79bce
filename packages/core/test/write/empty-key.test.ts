import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  type EntiaError,
  openDump,
} from '../../src/index.ts'
import { linesOfDump, sealedDump } from '../sealed-dump.ts'
import { refusalOf } from './firm-store.ts'

const Word = defineDataClass('Word', {
  text: attribute.string({ key: true }),
  mark: attribute.long(),
})
const words = () => createDataStore({ name: 'words', dataClasses: [Word] })

async function* toCome<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows
}

test('an empty text as a key is refused, in every way of writing', async () => {
  const store = words()
  const empty = { text: '', mark: 1 }
  const codes = [
    () => store.Word.insert(empty),
    () => store.transact((tx) => tx.Word.insert(empty)),
    () => store.Word.load([empty]),
    () => store.transact((tx) => tx.Word.load([{ text: 'a' }, empty])),
    () => store.Word.load([empty], { hooks: false }),
  ].map((write) => {
    const { code, cause } = refusalOf(write)
    return code === 'loadRefused' ? (cause as EntiaError).code : code
  })
  expect(codes).toEqual(codes.map(() => 'keyEmpty'))
  await expect(store.Word.load(toCome([empty]))).rejects.toMatchObject({
    cause: { code: 'keyEmpty' },
  })
  expect(refusalOf(() => store.Word.insert(empty)).message).toBe(
    'The primary key "text" of the "Word" dataclass cannot be an empty text. Give it at least one character.',
  )
  expect(store.Word.count).toBe(0)
  expect(store.globalStamp).toBe(0)
  store.Word.insert({ text: ' ' })
})
test('a dump with an empty key opens, and its entity can be changed and removed', () => {
  const store = words()
  store.Word.insert({ text: 'x', mark: 1 })
  const bytes = sealedDump(linesOfDump(store.dump()).map((line) => line.replace('"x"', '""')))
  const older = openDump(bytes, { name: 'words', dataClasses: [Word] })
  older.verify()
  expect(older.Word.update('', { mark: 2 }).mark).toBe(2)
  expect(openDump(older.dump(), { name: 'words', dataClasses: [Word] }).Word.get('')?.mark).toBe(2)
  older.Word.remove('')
  expect(older.Word.count).toBe(0)
})
test('an empty key is refused even if a hook or a default sets it', () => {
  const Hooked = defineDataClass(
    'Hooked',
    { text: attribute.string({ key: true, default: '' }) },
    { hooks: { beforeSave: (draft) => void (draft.text = draft.text?.trim() ?? null) } },
  )
  const store = createDataStore({ name: 'hooked', dataClasses: [Hooked] })
  for (const write of [() => store.Hooked.insert({ text: '  ' }), () => store.Hooked.insert({})])
    expect(refusalOf(write).code).toBe('keyEmpty')
})
