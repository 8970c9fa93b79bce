import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { textKey } from '../../src/value/compare.ts'
import { runs } from '../runs.ts'
import { employee } from './staff-catalog.ts'
import { awkwardText } from './syntax-arbitraries.ts'

const wellFormed = awkwardText.filter((text) => !/\p{Surrogate}/u.test(text))
const escapeAll = (text: string) =>
  Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')
const escapeSome = (text: string) =>
  text.replaceAll('\\', '\\u005c').replaceAll("'", '\\u0027').replaceAll('"', '\\u0022')

test('any content of a value stays one value', () => {
  fc.assert(
    fc.property(wellFormed, (text) => {
      const expected = {
        kind: 'compare',
        test: { op: 'equal', value: textKey(text, 'folded'), spelling: text },
      }
      for (const filter of [
        `lastName === '${escapeSome(text)}'`,
        `lastName === "${escapeSome(text)}"`,
        `lastName === '${escapeAll(text)}'`,
        ...(text === '' ? [] : [`lastName === ${escapeAll(text)}`]),
      ])
        expect(prepareFilter(filter, employee).bind().predicate).toMatchObject(expected)
      expect(prepareFilter('lastName === :1', employee).bind([text]).predicate).toMatchObject(
        expected,
      )
      expect(
        prepareFilter('lastName === :name', employee).bind({ name: text }).predicate,
      ).toMatchObject(expected)
    }),
    runs(500),
  )
})

test('a written value and the same given value select the same, with every operator', () => {
  const operator = fc.constantFrom('=', '!=', '===', '!==', '<', '<=', '>', '>=', 'begin', '%')
  const attribute = fc.constantFrom(
    'lastName',
    'email',
    'notes.a',
    'employer.name',
    'team.lastName',
  )
  fc.assert(
    fc.property(attribute, operator, wellFormed, (name, sign, text) => {
      fc.pre((text.match(/[@*]+/g) ?? []).length <= 16)
      const written = prepareFilter(`${name} ${sign} '${escapeSome(text)}'`, employee).bind()
        .predicate
      const given = prepareFilter(`${name} ${sign} :1`, employee).bind([text]).predicate
      expect(given).toEqual(written)
    }),
    runs(500),
  )
})

test('public examples of injection select nothing else', () => {
  const { predicate } = prepareFilter('active = true & lastName = :1', employee).bind([
    'smith OR active = false',
  ])
  expect(predicate).toMatchObject({
    kind: 'and',
    parts: [
      { kind: 'compare' },
      { kind: 'compare', test: { op: 'equal', spelling: 'smith OR active = false' } },
    ],
  })
  expect(() => prepareFilter("employer.name = 'John's pizza'", employee)).toThrow()
})
