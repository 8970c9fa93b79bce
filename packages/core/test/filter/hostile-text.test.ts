import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { bindOrderBy } from '../../src/filter/bind-order-by.ts'
import { DEFAULT_FILTER_LIMITS } from '../../src/filter/filter-errors.ts'
import { ParserError, parse } from '../../src/filter/parser.generated.ts'
import { printFilter } from '../../src/filter/print-filter.ts'
import { runs } from '../runs.ts'
import { employee } from './staff-catalog.ts'
import { awkwardText, filterSyntax } from './syntax-arbitraries.ts'
import { used } from './used.ts'

/**
 * The grammar does not parse the inside of a condition in quotes; the fast reader leaves all such
 * filters to it.
 */
const readInQuotes = () => NOTHING_READ
const NOTHING_READ = { kind: 'or', parts: [] } as const

/** True for a result, false for a refusal; any other error fails the test. */
function answers(run: () => unknown): boolean {
  try {
    run()
    return true
  } catch (error) {
    if (isEntiaError(error)) return false
    throw error
  }
}
const ask = (text: string, parameters?: readonly unknown[]) =>
  answers(() => prepareFilter(text, employee).bind(used(text, parameters)))

const SENTENCES = [
  "salary > 50000 and employer.city = 'Paris' order by lastName desc",
  'firstName in [a, :1, "b c"] or not (team{2}.age <= 30 except active)',
  "notes.tags[a].kind = 'x' and notes.tags[a].rank != 4 & notes.list.length >= 2",
  "employer = null | employer.staff.fullName begin 'it\\u0027s' ^ hired = !!2024-01-31!!",
]
const words = fc.constantFrom(
  ...SENTENCES.flatMap((sentence) => sentence.split(/\b/)),
  ...[
    '__proto__',
    'constructor',
    'toString',
    '\ud800',
    '\0',
    '\u200b',
    '(',
    ')',
    "'",
    '{1}',
    ':1',
    '1e999',
    '\\u00',
  ],
)

describe('hostile text', () => {
  test('any text is answered or refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(awkwardText, fc.string({ unit: 'binary', maxLength: 200 })),
        (text) => void ask(text),
      ),
    )
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 30 }),
        (parts) => void ask(parts.join(' '), [['a']]),
      ),
      runs(1000),
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => void ask(parts.join(''), ['a'])),
      runs(1000),
    )
  })

  test('a mutated sentence is answered or refused', () => {
    const mutation = fc.record({
      at: fc.nat(200),
      remove: fc.nat(4),
      insert: fc.oneof(words, fc.string({ maxLength: 2 })),
    })
    let refused = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...SENTENCES),
        fc.array(mutation, { maxLength: 4 }),
        (sentence, mutations) => {
          const text = mutations.reduce(
            (mutated, { at, remove, insert }) =>
              mutated.slice(0, at) + insert + mutated.slice(at + remove),
            sentence,
          )
          if (!ask(text, ['a'])) refused++
        },
      ),
      runs(2000, 2000),
    )
    expect(refused).toBeGreaterThan(100)
    for (const sentence of SENTENCES) expect(ask(sentence, ['a'])).toBe(true)
  })

  test('any printed tree is answered or refused', () => {
    fc.assert(fc.property(filterSyntax, (syntax) => void ask(printFilter(syntax), ['a', 5])))
  })

  test('any order is answered or refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          awkwardText,
          fc.array(words).map((parts) => parts.join(' ')),
        ),
        (text) => {
          answers(() => bindOrderBy(text, employee))
        },
      ),
    )
  })

  test('any values are answered or refused', () => {
    const prepared = prepareFilter(
      'age = :1 or lastName % :2 or hired > :3 or badge in :4 or notes.a = :a.b or active = :5 or employer = :1',
      employee,
    )
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.anything()), fc.object(), fc.anything()), (parameters) => {
        answers(() => prepared.bind(parameters as readonly unknown[]))
      }),
    )
  })

  test('the work is linear in the text', () => {
    // Every step of the parser reads at least one character through `input.charCodeAt`, `charAt` or
    // `substring`.
    const steps = (text: string): number => {
      let count = 0
      const counted = new Proxy(Object(text) as object, {
        get: (target, name) => {
          count++
          const member: unknown = Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(text) : member
        },
      }) as unknown as string
      answers(() => {
        try {
          parse(counted, {
            startRule: 'Filter',
            depth: 0,
            limits: DEFAULT_FILTER_LIMITS,
            quotes: null,
            readInQuotes,
          })
        } catch (error) {
          if (!(error instanceof ParserError)) throw error
        }
      })
      return count
    }
    const nested = (depth: number, closed: number) =>
      `${'('.repeat(depth)}a = 1${')'.repeat(closed)}`
    for (const closed of [(depth: number) => depth, () => 1]) {
      const few = steps(nested(6, closed(6)))
      expect(steps(nested(24, closed(24)))).toBeLessThan(few * 6)
    }
    const groups = (count: number) =>
      Array.from({ length: count }, () => '(a = 1 and b = 2)').join(' or ')
    expect(steps(groups(24))).toBeLessThan(steps(groups(6)) * 6)
  })
})
