import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RenderedRows, RowCache } from '../../src/storage/row-cache.ts'

const keeping = (maxCharacters: number): RowCache => new RowCache(maxCharacters)
const opened = (kept: RowCache, records = 1000): RenderedRows =>
  kept.open(null, records) as RenderedRows

test('a text is cached when it is offered a second time, until its record is written', () => {
  const kept = keeping(1000)
  const form = opened(kept)
  form.offer(7, 'seven')
  expect(form.find(7)).toBeUndefined()
  form.offer(7, 'seven')
  expect(form.find(7)).toBe('seven')
  expect(kept.characters).toBe(5)
  kept.forget(8)
  expect(form.find(7)).toBe('seven')
  kept.forget(7)
  expect(form.find(7)).toBeUndefined()
  expect(kept.characters).toBe(0)
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

test('a new form replaces the one opened longest ago, and a larger table gets more places', () => {
  const kept = keeping(1000)
  const forms = Array.from({ length: 5 }, () => opened(kept, 10))
  expect(forms.map((form) => form.isRoomFor(10))).toEqual([false, true, true, true, true])
  expect(kept.open(forms[4], 200)).toBe(forms[4])
  const larger = kept.open(forms[4], 100_000)
  expect(larger).not.toBe(forms[4])
  expect(forms.map((form) => form.isRoomFor(10))).toEqual([false, true, true, true, false])
  expect(kept.open(larger, 1_000_000)).toBe(larger)
})

test('with no characters allowed nothing is cached', () => {
  expect(keeping(0).open(null, 10)).toBeNull()
})
