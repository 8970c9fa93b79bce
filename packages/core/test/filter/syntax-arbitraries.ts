import fc from 'fast-check'
import type { ListOperator, Operator } from '../../src/filter/operators.ts'
import type {
  ConditionSyntax,
  FilterSyntax,
  OrderTermSyntax,
  PathSyntax,
  PlaceholderSyntax,
  ScalarSyntax,
  StepSyntax,
} from '../../src/filter/syntax.ts'

const OPERATORS: readonly Exclude<Operator, ListOperator>[] = [
  'equal',
  'identical',
  'notEqual',
  'notIdentical',
  'greater',
  'greaterEqual',
  'less',
  'lessEqual',
  'begin',
  'end',
  'keyword',
]

const name = fc.constantFrom(
  'a',
  'name',
  'order',
  'android',
  'nota',
  'is',
  'in',
  'begin',
  'end',
  'é',
  'x-y',
  'desc',
  'null',
)
const laterName = fc.oneof(name, fc.constantFrom('and', 'or', 'not', 'length', '1'))

const step = (named: fc.Arbitrary<string>): fc.Arbitrary<StepSyntax> =>
  fc.record({
    name: named,
    instance: fc.constantFrom(1, 1, 1, 2, 13),
    element: fc.constantFrom(null, null, null, '', 'a', 'z'),
    at: fc.constant(0),
  })
const path: fc.Arbitrary<PathSyntax> = fc
  .tuple(step(name), fc.array(step(laterName), { maxLength: 3 }))
  .map(([head, tail]) => ({ kind: 'path', steps: [head, ...tail], at: 0 }))

const placeholder: fc.Arbitrary<PlaceholderSyntax> = fc
  .constantFrom('1', '2', '12', 'name', 'a.b', '$currentdate')
  .map((text) => ({
    kind: 'placeholder',
    name: text,
    position: /^\d+$/.test(text) ? Number(text) : null,
    at: 0,
  }))

/** Text full of characters that could end a value or form a reserved word. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        ...'\'"\\u0027()[]{},.:;!=<>#%&|^@* \t\nnotandérx1',
        '\\u0027',
        ' or ',
        'and',
        'null',
        '\ud83d\ude00',
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
  fc.string(),
  fc.string({ unit: 'binary' }),
)

const scalar: fc.Arbitrary<ScalarSyntax> = fc.oneof(
  awkwardText.map((text): ScalarSyntax => ({ kind: 'quoted', text, at: 0 })),
  awkwardText
    .filter((text) => text !== '')
    .map((text): ScalarSyntax => ({ kind: 'bare', text, at: 0 })),
  fc
    .constantFrom(
      '1',
      '-2.5',
      'and',
      'NULL',
      'not',
      "not'x",
      'order',
      '!!2024-01-31!!',
      '31!1!2024',
    )
    .map((text): ScalarSyntax => ({ kind: 'bare', text, at: 0 })),
  fc.constant<ScalarSyntax>({ kind: 'null', at: 0 }),
  placeholder,
)

const comparison: fc.Arbitrary<ConditionSyntax> = fc.oneof(
  fc.record({
    kind: fc.constant('comparison' as const),
    path: fc.oneof({ weight: 5, arbitrary: path }, placeholder),
    operator: fc.constantFrom(...OPERATORS),
    value: scalar,
  }),
  fc.record({
    kind: fc.constant('comparison' as const),
    path,
    operator: fc.constantFrom('in' as const, 'isIn' as const),
    value: fc.oneof(
      placeholder,
      fc.record({
        kind: fc.constant('list' as const),
        items: fc.array(scalar, { maxLength: 3 }),
        at: fc.constant(0),
      }),
    ),
  }),
  fc.record({ kind: fc.constant('isTrue' as const), path }),
)

const { condition } = fc.letrec<{ condition: ConditionSyntax }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: comparison },
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('condition'), { minLength: 2, maxLength: 4 }),
    }),
    fc.record({
      kind: fc.constant('except' as const),
      left: tie('condition'),
      right: tie('condition'),
    }),
    fc.record({ kind: fc.constant('not' as const), part: tie('condition') }),
  ),
}))

const orderTerm: fc.Arbitrary<OrderTermSyntax> = fc.record({ path, descending: fc.boolean() })
export const orderBySyntax = fc.array(orderTerm, { minLength: 1, maxLength: 3 })

/** Every syntax tree that the grammar can produce, with all offsets 0. */
export const filterSyntax: fc.Arbitrary<FilterSyntax> = fc.record({
  condition: fc.option(condition, { freq: 10 }),
  orderBy: fc.option(orderBySyntax),
})

/** The same tree with all offsets 0. */
export function withoutOffsets<Tree>(tree: Tree): Tree {
  return JSON.parse(JSON.stringify(tree), (key, value) => (key === 'at' ? 0 : value)) as Tree
}
