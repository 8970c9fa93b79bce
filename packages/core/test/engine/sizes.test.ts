import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  createMedia,
  defineDataClass,
  openDump,
} from '../../src/index.ts'
import { lengthOf } from '../../src/persistence/journal/journal-frame.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { bytesAsJson, exactBytesOfText, mostBytesOfText } from '../../src/value/value-size.ts'
import { patience, runs } from '../runs.ts'

const COLUMNS = 6
const Page = defineDataClass('Page', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ indexed: true }),
  text: attribute.string(),
  data: attribute.object(),
  scan: attribute.image(),
  file: attribute.blob(),
})
const Note = defineDataClass(
  'Note',
  { ID: attribute.string({ key: true }), text: attribute.string() },
  { hooks: { beforeSave: () => undefined } },
)
const dataClasses = [Page, Note] as const
const newStore = (sizes?: { entityBytes?: number; commitBytes?: number }) =>
  createDataStore({ name: 'pages', dataClasses, ...(sizes === undefined ? {} : { sizes }) })

const text = fc
  .tuple(fc.constantFrom('x', 'é', '\u0001', '"', '😀', '\n'), fc.nat(120))
  .map(([one, count]) => one.repeat(count))
const media = fc.nat(300).map((size) => createMedia('image/png', new Uint8Array(size)))
const json = fc.oneof(
  fc.array(text, { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('a', 'é'), text),
  fc.constant(null),
)
const patch = fc.record(
  { title: text, text, data: json, scan: media, file: media },
  { requiredKeys: [] },
)

test('the size of a value is that of its JSON, and never above its upper bound', () => {
  fc.assert(
    fc.property(
      fc.oneof(text, fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true }), fc.jsonValue()),
      (value) => {
        const written = new TextEncoder().encode(JSON.stringify(value)).length
        const exact = bytesAsJson(value as never, exactBytesOfText)
        if (typeof value === 'string' && value.isWellFormed()) expect(exact).toBe(written)
        else if (JSON.stringify(value).isWellFormed()) expect(exact).toBeGreaterThanOrEqual(written)
        expect(bytesAsJson(value as never, mostBytesOfText)).toBeGreaterThanOrEqual(exact)
      },
    ),
    runs(500),
  )
})

const act = fc.record({
  kind: fc.nat(7),
  patches: fc.array(patch, { minLength: 1, maxLength: 4 }),
  at: fc.nat(5),
})

test(
  'every accepted entity fits into a journal record and a line of a dump; a refused one changes nothing',
  patience,
  () => {
    let refusals = 0
    let commits = 0
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        const sizes = { entityBytes: 900, commitBytes: 1800 }
        const store = newStore(sizes)
        const begun = store.snapshot()
        let largest = 0
        persistenceOf(store).reportCommitsTo((_, pieces) => {
          commits++
          largest = Math.max(largest, lengthOf(pieces))
        })
        for (const { kind, patches, at } of acts) {
          const before = store.dump()
          const keys = store.Page.all().keys()
          const key = keys[at % Math.max(1, keys.length)] ?? 0
          const [first] = patches
          try {
            if (kind === 0) store.Page.insert(first!)
            else if (kind === 1) store.Page.update(key, first!)
            else if (kind === 2) store.Page.load(patches)
            else if (kind === 3) store.transact(() => patches.map((one) => store.Page.insert(one)))
            else if (kind === 4)
              store.Page.updateAll(keys.map((one) => ({ key: one, patch: first! })))
            else if (kind === 5) store.Page.remove(key)
            else if (kind === 6) store.restore(begun)
            else store.Note.insert({ ID: `${at}-${store.globalStamp}`, text: first!.text ?? null })
          } catch (error) {
            refusals++
            expect(['entityTooLarge', 'commitTooLarge', 'entityNotFound']).toContain(
              (error as { code: string }).code,
            )
            expect(store.dump()).toEqual(before)
          }
        }
        expect(largest).toBeLessThan(sizes.commitBytes + 200)
        const lines = new TextDecoder().decode(store.dump()).split('\n')
        for (const line of lines.slice(1))
          expect(new TextEncoder().encode(line).length).toBeLessThan(
            2 * sizes.entityBytes + 26 * COLUMNS,
          )
        expect(openDump(store.dump(), { dataClasses }).dump()).toEqual(store.dump())
        store.verify()
      }),
      runs(200, 200),
    )
    expect(refusals).toBeGreaterThan(50)
    expect(commits).toBeGreaterThan(50)
  },
)

test('entities and commits that are too large are refused with size, limit and remedy', () => {
  const store = newStore({ entityBytes: 1000, commitBytes: 5000 })
  const page = store.Page.insert({ text: 'x'.repeat(500) })
  expect(() => store.Page.update(page.ID, { title: 'y'.repeat(500) })).toThrow(
    /^The entity with the key "1" of the "Page" dataclass takes 1\d{3} bytes; the limit is 1000 \(option "sizes.entityBytes"\)\. Keep /,
  )
  expect(store.Page.get(page.ID)?.title).toBe(null)
  expect(() =>
    store.Page.load(Array.from({ length: 10 }, () => ({ text: 'x'.repeat(600) }))),
  ).toThrow(
    /^The commit takes \d{4} bytes; the limit is 5000 \(option "sizes.commitBytes"\)\. Write /,
  )
  expect(store.Page.count).toBe(1)
  expect(store.Page.insert({}).ID).toBe(2)
})

test('a text is refused for its real size and not for its upper bound', () => {
  const store = newStore({ entityBytes: 1000 })
  store.Page.insert({ text: 'x'.repeat(700) })
  expect(() => store.Page.insert({ text: '\u0001'.repeat(700) })).toThrow('takes 4')
})

test.each([
  [{ entityBytes: 256_000_001 }, 'from 1 to 256000000'],
  [{ commitBytes: 0 }, 'from 1 to 2000000000'],
])('sizes that cannot be kept are refused as options', (sizes, words) => {
  expect(() => newStore(sizes)).toThrow(words)
})
