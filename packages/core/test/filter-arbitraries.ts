import fc from 'fast-check'
import { DAYS, INSTANTS, TEXTS, UUIDS } from './arbitraries.ts'
import type { Params } from './oracle/evaluate.ts'
import { type ClassName, SHAPE } from './oracle/office.ts'

/** A filter as users write it. */
export interface FilterText {
  readonly text: string
  readonly params: Params
}

/** Filter text with placeholders for given values. */
type Piece = readonly (string | { readonly given: unknown })[]

/** The left side of a comparison: a path and the type of its values. */
interface Subject {
  readonly path: string
  readonly type: string
}

/** Spellings of the comparators by meaning. */
const EQUALS = [
  '=',
  '==',
  'eq',
  'LIKE',
  '===',
  'is',
  'eqeq',
  '!=',
  '#',
  '= not',
  '!==',
  'is not',
  'isnot',
  '##',
  'nene',
]
const ORDERS = ['>', 'gt', '>=', 'gte', 'GTEQ', '<', 'lt', '<=', 'lte', 'lteq']
const WORDS = ['begin', 'Begin', 'end', 'End', '%', '%%']

// biome-ignore format: a table
const PROPERTIES = [
  'rank', 'inner.x', 'inner', 'none', 'tags', 'tags[]', 'tags[a]', 'tags.length', 'list.length', 'length', 'list[].k',
  'list[a].k', 'list[a].v', 'list[B].v', 'list[].sub[].z', 'list[a].sub[b].z', 'list[].sub.length',
  'constructor', 'list[].constructor', 'inner.__proto__.x',
]

/** The comparable attributes of one dataclass. */
function ownSubjects(className: ClassName): Subject[] {
  return Object.entries(SHAPE[className].attributes).flatMap(([name, attribute]): Subject[] => {
    switch (attribute.kind) {
      case 'one':
      case 'many':
        return [{ path: name, type: attribute.target === 'Badge' ? 'badge' : 'entity' }]
      case 'alias':
        return [{ path: name, type: 'string' }]
      default:
        if (attribute.type === 'blob') return [{ path: name, type: 'bytes' }]
        if (attribute.type !== 'object') return [{ path: name, type: attribute.type }]
        return [
          { path: name, type: 'bytes' },
          ...PROPERTIES.map((property) => ({ path: `${name}.${property}`, type: 'json' })),
        ]
    }
  })
}

/** Paths of relations from a dataclass with at most `many` joins; the empty one first. */
function joinPaths(
  className: ClassName,
  length: number,
): { readonly path: string; readonly end: ClassName }[] {
  if (length === 0) return [{ path: '', end: className }]
  return joinPaths(className, length - 1).flatMap(({ path, end }) =>
    Object.entries(SHAPE[end].attributes).flatMap(([name, attribute]) =>
      attribute.kind === 'one' || attribute.kind === 'many'
        ? [
            { path: `${path}${name}.`, end: attribute.target },
            { path: `${path}${name}{2}.`, end: attribute.target },
          ]
        : [],
    ),
  )
}

/**
 * Half of the entries are properties of an object, so each of these is drawn as rarely as an
 * attribute.
 */
const subjectsOf = (className: ClassName): fc.Arbitrary<Subject> => {
  const subjects = ownSubjects(className)
  const plain = subjects.filter(({ type }) => type !== 'json')
  const json = subjects.filter(({ type }) => type === 'json')
  return json.length === 0
    ? fc.constantFrom(...plain)
    : fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...plain) },
        { weight: 1, arbitrary: fc.constantFrom(...json) },
      )
}

const joins = (className: ClassName) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...joinPaths(className, 0)) },
    { weight: 3, arbitrary: fc.constantFrom(...joinPaths(className, 1)) },
    { weight: 2, arbitrary: fc.constantFrom(...joinPaths(className, 2)) },
  )

const SCALARS: { readonly [type: string]: readonly unknown[] } = {
  string: [
    ...TEXTS,
    'a@',
    '@b',
    '*',
    '@',
    'e*',
    '@a@',
    'o@L',
    'zoe',
    'z@7',
    'a*@c',
    '@@',
    'true',
    'Paris',
    'p@s',
    'red',
    'b0',
    'x 7',
  ],
  uuid: [...UUIDS, '00112233-4455-6677-8899-aabbccddeeff', '0011@', '@FF', '*'],
  long: [-3, 0, 1, 2, 2.5, 7, '1', '-3', '7.0', '@'],
  long64: [0, 5, 9007199254740991, '-9007199254740991'],
  number: [0, 10, 10.5, 20, '20', 1e6, -1.5, '1e16', 0.25, '*'],
  bool: [true, false, 'true', 'false'],
  date: [...INSTANTS, ...DAYS, '!!2024-02-29!!', '29!2!2024'],
  duration: [0, 60_000, '01:00:00', '00:01:00', '60000'],
  json: [0, 1, 2.5, true, false, '', 'a', 'É', '@', 'e@', '1', 'A', 'true'],
  entity: [1, 2, 3, '1'],
  badge: ['b0', 'a2', 'B1'],
  bytes: ['a', 1, '@'],
}

/** A value in one of its spellings, or as a parameter. */
const scalarPiece = (type: string): fc.Arbitrary<Piece> =>
  fc
    .tuple(
      fc.constantFrom(...SCALARS[type]),
      fc.constantFrom('single', 'double', 'bare', 'given', 'given'),
    )
    .map(([value, how]): Piece => {
      const text = String(value)
      if (how === 'given') return [{ given: value }]
      if (how === 'single') return [`'${text.replace(/['\\]/g, escaped)}'`]
      if (how === 'double') return [`"${text.replace(/["\\]/g, escaped)}"`]
      return [
        text === ''
          ? "''"
          : text.replace(/[^\p{L}\p{M}\p{N}@*.:+-]/gu, escaped).replace(/^[:+]/, escaped),
      ]
    })

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

const listPiece = (type: string): fc.Arbitrary<Piece> =>
  fc.oneof(
    fc
      .array(scalarPiece(type), { maxLength: 4 })
      .map(
        (items): Piece => [
          '[',
          ...items.flatMap((item, i) => (i === 0 ? item : [', ', ...item])),
          ']',
        ],
      ),
    fc
      .array(fc.constantFrom(...SCALARS[type]), { maxLength: 3 })
      .map((given): Piece => [{ given }]),
  )

const hasOrder = (type: string): boolean =>
  type !== 'entity' && type !== 'badge' && type !== 'bytes'
const isText = (type: string): boolean => type === 'string' || type === 'uuid' || type === 'json'

/** One comparison of one attribute; sometimes an invalid one. */
function comparison({ path, type }: Subject): fc.Arbitrary<Piece> {
  const scalar = (comparators: readonly string[], of = type) =>
    fc
      .tuple(fc.constantFrom(...comparators), scalarPiece(of))
      .map(([comparator, value]): Piece => [`${path} ${comparator} `, ...value])
  const nothing = fc
    .constantFrom(...EQUALS)
    .map((comparator): Piece => [`${path} ${comparator} null`])
  const list = listPiece(type).map((value): Piece => [`${path} in `, ...value])
  const odd = fc.oneof(
    scalar([...EQUALS, ...ORDERS, ...WORDS], 'json'),
    fc.constantFrom(...ORDERS, ...WORDS).map((comparator): Piece => [`${path} ${comparator} null`]),
    fc.constant([path]),
  )
  return fc.oneof(
    { weight: type === 'bytes' ? 1 : 20, arbitrary: scalar(EQUALS) },
    { weight: hasOrder(type) ? 16 : 0, arbitrary: scalar(ORDERS) },
    { weight: isText(type) ? 10 : 0, arbitrary: scalar(WORDS) },
    { weight: 8, arbitrary: nothing },
    { weight: type === 'bytes' ? 0 : 8, arbitrary: list },
    { weight: type === 'bool' ? 8 : 0, arbitrary: fc.constant([path]) },
    { weight: 1, arbitrary: odd },
  )
}

const comparisonsOf = (className: ClassName): fc.Arbitrary<Piece> =>
  joins(className).chain(({ path, end }) =>
    subjectsOf(end).chain((subject) => comparison({ ...subject, path: path + subject.path })),
  )

/** Several comparisons about one related entity, or one element of a collection. */
const conjunctionsOf = (className: ClassName): fc.Arbitrary<Piece> =>
  joins(className).chain(({ path, end }) =>
    fc
      .array(
        subjectsOf(end).chain((subject) => comparison({ ...subject, path: path + subject.path })),
        { minLength: 2, maxLength: 3 },
      )
      .map((parts) => parts.flatMap((part, i): Piece => (i === 0 ? part : [' and ', ...part]))),
  )

const conditionsOf = (className: ClassName): fc.Arbitrary<Piece> =>
  fc.letrec<{ condition: Piece; group: Piece }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 5, arbitrary: comparisonsOf(className) },
      { weight: 2, arbitrary: conjunctionsOf(className) },
      {
        weight: 4,
        arbitrary: fc
          .tuple(
            tie('group'),
            fc.constantFrom(' and ', ' AND ', '&', ' or ', ' OR ', ' || ', ' except ', '^'),
            tie('group'),
          )
          .map(([left, joint, right]): Piece => [...left, joint, ...right]),
      },
      { weight: 1, arbitrary: tie('group').map((part): Piece => ['not ', ...part]) },
    ),
    group: fc.oneof(
      tie('condition').map((part): Piece => ['(', ...part, ')']),
      comparisonsOf(className),
    ),
  })).condition

/** Orders: paths of to-one relations to values, one to three. */
export function orders(className: ClassName): fc.Arbitrary<string> {
  const toOne = Object.entries(SHAPE[className].attributes).filter(
    ([, attribute]) => attribute.kind === 'one',
  )
  const subjects = [
    ['', className] as const,
    ...toOne.map(
      ([name, attribute]) =>
        [`${name}.`, (attribute as { readonly target: ClassName }).target] as const,
    ),
  ]
  const paths = subjects.flatMap(([prefix, end]) =>
    ownSubjects(end)
      .filter(({ path, type }) => hasOrder(type) && !/[[\]]|length/.test(path))
      .map(({ path }) => prefix + path),
  )
  const term = fc.tuple(fc.constantFrom(...paths), fc.constantFrom('', ' asc', ' desc', ' DESC'))
  return fc
    .array(term, { minLength: 1, maxLength: 3 })
    .map((terms) => terms.map((parts) => parts.join('')).join(', '))
}

/** Filters with every operator and type, without an order. */
export function filters(className: ClassName): fc.Arbitrary<FilterText> {
  return fc
    .tuple(conditionsOf(className), fc.boolean())
    .map(([piece, byName]) => assemble(piece, byName))
}

/** Filters that may end with an order. */
export function queries(className: ClassName): fc.Arbitrary<FilterText> {
  return fc
    .tuple(filters(className), fc.option(orders(className), { freq: 2 }))
    .map(([{ text, params }, order]) => ({
      text: order === null ? text : `${text} order by ${order}`,
      params,
    }))
}

function assemble(piece: Piece, byName: boolean): FilterText {
  const values: unknown[] = []
  const text = piece
    .map((part) => {
      if (typeof part === 'string') return part
      values.push(part.given)
      return byName ? `:v${values.length}` : `:${values.length}`
    })
    .join('')
  const params = byName
    ? Object.fromEntries(values.map((value, i) => [`v${i + 1}`, value]))
    : values
  return { text, params }
}
