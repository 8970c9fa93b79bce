import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textSortSteps } from '../../src/storage/slot-sorter.ts'
import { runSteps } from '../../src/storage/text-prefixes.ts'
import { TEXTS } from '../arbitraries.ts'
import { runs } from '../runs.ts'

const unit = fc.constantFrom('a', 'b', 'z', '~', ' ', '\u0000', 'é', '\uffff')
const texts = fc
  .record({
    shared: fc.string({ unit, maxLength: 20 }),
    rest: fc.array(
      fc.option(fc.oneof(fc.string({ unit, maxLength: 14 }), fc.constantFrom(...TEXTS))),
      {
        maxLength: 200,
      },
    ),
  })
  .map(({ shared, rest }) => rest.map((text) => (text === null ? null : shared + text)))

test('texts are sorted by their units, nulls first, equal ones by place', () => {
  fc.assert(
    fc.property(texts, (texts) => {
      const expected = [...texts.keys()].sort((a, b) => {
        const [left, right] = [texts[a], texts[b]]
        if (left === right) return a - b
        if (left === null || right === null) return left === null ? -1 : 1
        return left < right ? -1 : 1
      })
      expect([...runSteps(textSortSteps(texts))]).toEqual(expected)
    }),
    runs(300),
  )
})
