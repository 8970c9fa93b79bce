import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RenderedRows, RowCache } from '../../src/storage/row-cache.ts'
import { upTo } from './dice.ts'

const keeping = (maxCharacters: number): RowCache => new RowCache(maxCharacters)
const opened = (kept: RowCache, records: number): RenderedRows =>
  kept.open(null, records) as RenderedRows
const keep = (form: RenderedRows, slot: number, text: string) => {
  for (let i = 0; i < 2; i++) form.offer(slot, text)
}

test('a text is cached when it is offered a second time, until its record is written', () => {
  const kept = keeping(1000)
  const form = opened(kept, 1000)
  form.offer(7, 'seven')
  expect(form.find(7)).toBeUndefined()
  form.offer(7, 'seven')
  expect([form.find(7), kept.characters]).toEqual(['seven', 5])
  kept.forget(8)
  expect(form.find(7)).toBe('seven')
  kept.forget(7)
  expect([form.find(7), kept.characters]).toEqual([undefined, 0])
})

test('a cached text was offered after the last write of its record, and the cache stays within its bound', () => {
  type Step = {
    readonly slot: number
    readonly act: 'offer' | 'forget' | 'open'
    readonly form: number
  }
  const steps = fc.array(
    fc.record<Step>({
      slot: fc.oneof(fc.nat(5), fc.nat(70), fc.nat(40_000)),
      act: fc.constantFrom('offer', 'offer', 'offer', 'offer', 'forget', 'open'),
      form: fc.nat(5),
    }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 60 }), (steps, maxCharacters) => {
      const kept = keeping(maxCharacters)
      const forms: (RenderedRows | null)[] = [null, null, null, null, null, null]
      const versions = new Map<number, number>()
      const textOf = (slot: number, form: number) => `${form} ${slot} ${versions.get(slot) ?? 0}`
      for (const { slot, act, form } of steps) {
        if (act === 'open') forms[form] = kept.open(forms[form], slot)
        else if (act === 'forget') {
          versions.set(slot, (versions.get(slot) ?? 0) + 1)
          kept.forget(slot)
        } else {
          forms[form] = kept.open(forms[form], 100)
          forms[form]?.offer(slot, textOf(slot, form))
        }
        expect(kept.characters).toBeGreaterThanOrEqual(0)
        expect(kept.characters).toBeLessThanOrEqual(maxCharacters)
        for (const [at, open] of forms.entries()) {
          if (!open?.isRoomFor(0)) continue
          for (const seen of new Set(steps.map(({ slot }) => slot)))
            expect([undefined, textOf(seen, at)]).toContain(open.find(seen))
        }
      }
    }),
  )
})

test('up to the allowed characters are cached, and one more empties the cache', () => {
  const kept = keeping(10)
  const form = opened(kept, 100)
  keep(form, 1, 'abcd')
  keep(form, 2, 'efghij')
  expect([kept.characters, form.find(1), form.find(2)]).toEqual([10, 'abcd', 'efghij'])
  keep(form, 3, 'k')
  expect([kept.characters, form.find(1), form.find(2), form.find(3)]).toEqual([
    0,
    undefined,
    undefined,
    undefined,
  ])
  // The next texts are cached again.
  form.offer(1, 'abcd')
  expect([kept.characters, form.find(1)]).toEqual([4, 'abcd'])
})

test('a text that is offered again replaces the previous one', () => {
  const kept = keeping(100)
  const form = opened(kept, 100)
  keep(form, 1, 'abcd')
  form.offer(1, 'xy')
  expect([kept.characters, form.find(1)]).toEqual([2, 'xy'])
})

test('of several records with the same place, the last requested one is cached', () => {
  const kept = keeping(100)
  const form = opened(kept, 64)
  keep(form, 1, 'one')
  expect(form.find(65)).toBeUndefined()
  form.offer(65, 'sixty-five')
  expect([form.find(1), form.find(65), kept.characters]).toEqual([undefined, undefined, 0])
  form.offer(65, 'sixty-five')
  expect([form.find(1), form.find(65)]).toEqual([undefined, 'sixty-five'])
  // A write of another record with the same place changes nothing.
  form.forget(1)
  expect(form.find(65)).toBe('sixty-five')
  form.forget(65)
  expect([form.find(65), kept.characters]).toEqual([undefined, 0])
  // Written and offered once more, it is cached at once, since it was requested before.
  form.offer(65, 'new')
  expect(form.find(65)).toBe('new')
})

test('records share places only if there are more records than places', () => {
  for (const [records, places] of [
    [1, 64],
    [64, 64],
    [65, 128],
    [1000, 1024],
    [16_384, 16_384],
    [1_000_000, 16_384],
  ]) {
    const kept = keeping(1_000_000)
    const form = opened(kept, records)
    keep(form, 0, 'first')
    keep(form, places - 1, 'last')
    expect([form.find(0), form.find(places - 1)]).toEqual(['first', 'last'])
    form.offer(places, 'next')
    expect([form.find(0), form.find(places - 1)]).toEqual([undefined, 'last'])
  }
})

test('a text of 4096 characters is cached, a longer or an empty one is not', () => {
  const kept = keeping(100_000)
  const form = opened(kept, 100)
  keep(form, 1, 'x'.repeat(4096))
  keep(form, 2, 'x'.repeat(4097))
  keep(form, 3, '')
  expect([form.find(1)?.length, form.find(2), form.find(3), kept.characters]).toEqual([
    4096,
    undefined,
    undefined,
    4096,
  ])
})

describe('a form', () => {
  test('is reused up to four times as many records as places, and replaced for more', () => {
    const kept = keeping(1000)
    const form = opened(kept, 100)
    keep(form, 5, 'five')
    expect([form.isRoomFor(512), form.isRoomFor(513)]).toEqual([true, false])
    expect(kept.open(form, 512)).toBe(form)
    const larger = kept.open(form, 513) as RenderedRows
    expect(larger).not.toBe(form)
    expect([form.isRoomFor(1), form.find(5), larger.find(5), kept.characters]).toEqual([
      false,
      undefined,
      undefined,
      0,
    ])
    // The largest form has a place for every record.
    expect(opened(kept, 20_000).isRoomFor(10_000_000)).toBe(true)
  })

  test('that was replaced caches nothing', () => {
    const kept = keeping(1000)
    const forms = upTo(4).map(() => opened(kept, 10))
    for (const [i, form] of forms.entries()) keep(form, 1, 'x'.repeat(i + 1))
    expect(kept.characters).toBe(10)
    const fifth = opened(kept, 10)
    expect(forms.map((form) => [form.find(1)?.length, form.isRoomFor(1)])).toEqual([
      [undefined, false],
      [2, true],
      [3, true],
      [4, true],
    ])
    expect(kept.characters).toBe(9)
    // A form that replaces itself closes none of the other three.
    const again = kept.open(forms[2], 10_000) as RenderedRows
    expect([
      forms[1].isRoomFor(1),
      forms[2].isRoomFor(1),
      forms[3].isRoomFor(1),
      fifth.isRoomFor(1),
    ]).toEqual([true, false, true, true])
    for (const form of [forms[1], forms[3], fifth, again]) keep(form, 7, 'abc')
    kept.forget(7)
    expect([forms[1], forms[3], fifth, again].map((form) => form.find(7))).toEqual(
      new Array(4).fill(undefined),
    )
    keep(again, 7, 'abc')
    kept.forgetAll()
    expect([again.find(7), forms[1].find(1), kept.characters]).toEqual([undefined, undefined, 0])
  })

  test('that was closed is opened as a new one', () => {
    const kept = keeping(1000)
    const first = opened(kept, 10)
    for (let i = 0; i < 4; i++) opened(kept, 10)
    expect(first.isRoomFor(1)).toBe(false)
    const again = kept.open(first, 10) as RenderedRows
    expect([again === first, again.isRoomFor(10)]).toEqual([false, true])
    keep(again, 1, 'one')
    kept.forget(1)
    expect(again.find(1)).toBeUndefined()
  })

  test('is null where no text may be cached', () => {
    const kept = keeping(10)
    const form = opened(kept, 10)
    kept.maxCharacters = 0
    expect([kept.open(null, 10), kept.open(form, 10)]).toEqual([null, form])
  })
})
