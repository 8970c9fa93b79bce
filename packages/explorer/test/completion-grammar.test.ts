import { isEntiaError, splitFilter } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { complete } from '../src/page/completion.ts'
import { readModel } from '../src/page/model.ts'

const model = readModel({
  __NAME: 'hr',
  dataClasses: [
    {
      name: 'Employee',
      collectionName: 'EmployeeSelection',
      key: [{ name: 'a' }],
      attributes: [
        { name: 'a', kind: 'storage', type: 'bool' },
        { name: 'boss', kind: 'relatedEntity', type: 'Employee', foreignKey: 'bossID' },
        { name: 'bossID', kind: 'storage', type: 'long' },
      ],
    },
  ],
})
const Employee = model.classes.get('Employee')!

/**
 * The kind of token that the completions offer. The attribute is a boolean, so its values are
 * offered too.
 */
function offered(text: string): string {
  const labels = complete(text, text.length, Employee, model).items.map(({ label }) => label)
  if (labels.includes('boss')) return 'path'
  if (labels.includes('is null')) return 'operator'
  if (labels.includes('and')) return 'connective'
  if (labels.includes('asc')) return 'direction'
  return labels.length === 0 || labels.includes('true') ? 'value' : labels.join()
}

/**
 * The kind of token that the grammar expects in place of a parenthesis; null if it refuses the text
 * before.
 */
function expected(text: string): string | null {
  try {
    splitFilter(`${text}(`)
  } catch (error) {
    if (!isEntiaError(error, 'filterSyntax')) return null
    const { offset, expected: words } = error.details
    if (words.startsWith('a closing')) {
      const inside = text.slice(offset + 1)
      return expected(text.slice(0, offset)) === 'value'
        ? 'value'
        : /\S/.test(inside)
          ? expected(inside)
          : 'path'
    }
    if (offset < text.length) return null
    if (words.includes('an attribute')) return 'path'
    if (words.includes('a comparison operator')) return 'operator'
    if (words.includes('and')) return 'connective'
    return words.includes('asc') ? 'direction' : 'value'
  }
  return null
}

const path = fc.constantFrom('a', 'boss.a', 'boss{2}.a', 'a[x]', ':p')
const operator = fc.constantFrom(
  ' = ',
  '=',
  ' is not ',
  ' IS ',
  ' begin ',
  ' begin',
  ' esclike ',
  '#',
  ' >= ',
  ' == not ',
)
const value = fc.constantFrom(
  ...[
    "'x y'",
    '"x and y"',
    "' order by a'",
    "b,'x",
    'x"y',
    "O'Neil",
    'order',
    'a\\b',
    '\\u0027x',
    '"it\'s"',
    ':p',
    '5',
  ],
  ...['!!2024-01-31!!', '31!1!2024', '[x', 'a[', 'b,c', "'x)'", "'[' "],
)
const items = fc.array(fc.constantFrom("'a]'", "'x, y'", '5', "b'x", ':p', '"[" '), {
  maxLength: 3,
})
const comparison = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(path, operator, value).map((parts) => parts.join('')) },
  fc
    .tuple(path, fc.constantFrom('in', 'isin'), items)
    .map(([subject, word, list]) => `${subject} ${word} [${list.join(', ')}]`),
  path,
  fc.constantFrom("'a = 1 and a'", '"boss.a = \'x y\' or a"', 'not a', '!a', '(a or a = 1)'),
)
const filter = fc
  .tuple(
    fc.constantFrom('', 'not ', '( ', "'a and not a' and ", ' '),
    fc.array(
      fc.tuple(comparison, fc.constantFrom(' and ', ' or ', ' | ', ' ^ ', ' & ', ' except ')),
      { minLength: 1 },
    ),
    fc.constantFrom('', ' order by a', ' ORDER  by boss.a desc , a '),
  )
  .map(
    ([before, parts, tail]) =>
      `${before}${parts.map((part) => part.join('')).join('')}a = 1${tail} `,
  )

test('completion offers the kind of token that the grammar expects', () => {
  const counts = new Map<string, number>()
  fc.assert(
    fc.property(filter, fc.nat(), (text, at) => {
      // After a blank no token has begun.
      const caret = text.indexOf(' ', at % text.length) + 1
      const before = text.slice(0, caret)
      const should = expected(before)
      fc.pre(caret > 0 && should !== null)
      counts.set(should!, (counts.get(should!) ?? 0) + 1)
      expect([before, offered(before)]).toEqual([before, should])
    }),
    runs(1000),
  )
  expect([...counts.keys()].sort()).toEqual([
    'connective',
    'direction',
    'operator',
    'path',
    'value',
  ])
})
