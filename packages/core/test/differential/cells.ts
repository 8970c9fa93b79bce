import {
  type Attribute,
  CLASS_NAMES,
  type ClassName,
  keyAttributeOf,
  resolveAlias,
  SHAPES,
  type ValueType,
} from './schema.ts'
import type { Comparison, Operator, PropertyStep } from './tree.ts'

/** The types of values inside objects. */
type JsonType = 'text' | 'number' | 'bool'

/** A value that can be compared. */
export interface Subject {
  /** Its type and index, or the kind of place: one dimension of a cell. */
  readonly label: string
  readonly owner: ClassName
  readonly attribute: Attribute
  /** Null if it compares with null only. */
  readonly type: ValueType | null
  /** Inside an object: the type of the compared value. */
  readonly json: JsonType | null
  readonly properties: readonly PropertyStep[]
}

export type CellOperator = Operator | 'alone'
/** The form of the value: `null` is literal, and `alone` is a path without a comparison. */
type Form = 'written' | 'given' | 'null' | 'alone'

/** One combination of subject and comparison. A run must hit every one that the language allows. */
export interface Cell {
  readonly subjects: readonly Subject[]
  readonly label: string
  readonly operator: CellOperator
  readonly form: Form
}

export const EQUALITIES: readonly Operator[] = ['equal', 'identical', 'notEqual', 'notIdentical']
const ORDERS: readonly Operator[] = ['greater', 'greaterEqual', 'less', 'lessEqual']
const WORDS: readonly Operator[] = ['begin', 'end', 'keyword']

/**
 * The operators of a subject for values that are not null: the table "Comparisons" of
 * docs/reference/filter-language.md.
 */
function operatorsOf({ type, json, attribute }: Subject): readonly CellOperator[] {
  if (attribute.kind === 'one' || attribute.kind === 'many') return [...EQUALITIES, 'in']
  const of = json ?? type
  if (of === null) return []
  if (of === 'uuid') return [...EQUALITIES, ...ORDERS, 'begin', 'end', 'in']
  if (of === 'text' || of === 'exactText') return [...EQUALITIES, ...ORDERS, ...WORDS, 'in']
  return [...EQUALITIES, ...ORDERS, 'in', ...(of === 'bool' ? (['alone'] as const) : [])]
}

/** Null is compared once per kind of place: inside objects it has no type. */
const knowsNull = ({ json }: Subject): boolean => json === null || json === 'text'

const plain = (name: string): PropertyStep => ({ name, element: null })
const marked = (name: string, element: string): PropertyStep => ({ name, element })

/** Places inside an object: properties, elements, elements with the same letter, lengths. */
const PROPERTIES: readonly (readonly [
  label: string,
  paths: readonly (readonly PropertyStep[])[],
])[] = [
  [
    'property',
    [
      [plain('rank')],
      [plain('inner'), plain('x')],
      [plain('inner')],
      [plain('flag')],
      [plain('none')],
      [plain('tags')],
    ],
  ],
  [
    'element',
    [
      [marked('tags', '')],
      [marked('', '')],
      [marked('list', ''), plain('k')],
      [marked('list', ''), plain('v')],
      [marked('list', ''), marked('sub', ''), plain('z')],
    ],
  ],
  [
    'lettered element',
    [
      [marked('tags', 'a')],
      [marked('list', 'a'), plain('k')],
      [marked('list', 'a'), plain('v')],
      [marked('list', 'b'), plain('k')],
      [marked('list', 'a'), marked('sub', ''), plain('z')],
      [marked('list', 'a'), marked('sub', 'c'), plain('z')],
    ],
  ],
]
const LENGTHS: readonly (readonly PropertyStep[])[] = [
  [plain('tags'), plain('length')],
  [plain('list'), plain('length')],
  [plain('length')],
  [marked('list', ''), plain('sub'), plain('length')],
]

function subjectsOf(owner: ClassName, attribute: Attribute): readonly Subject[] {
  const subject = (label: string, type: ValueType | null): Subject => {
    return { label, owner, attribute, type, json: null, properties: [] }
  }
  switch (attribute.kind) {
    case 'stored':
      return [subject(`${attribute.type}, ${attribute.index}`, attribute.type)]
    case 'computed':
      return [subject(`computed ${attribute.type}`, attribute.type)]
    case 'alias': {
      const { attribute: target } = resolveAlias(owner, attribute)
      return target.kind === 'stored' ? [subject(`alias of ${target.type}`, target.type)] : []
    }
    case 'one':
      return [
        subject(
          `to-one with ${keyAttributeOf(attribute.target).type} key`,
          keyAttributeOf(attribute.target).type,
        ),
      ]
    case 'many':
      return [subject('to-many', keyAttributeOf(attribute.target).type)]
    case 'blob':
      return [subject('blob', null)]
    case 'object':
      return [
        subject('object', null),
        ...PROPERTIES.flatMap(([place, paths]) =>
          (['text', 'number', 'bool'] as const).flatMap((json) =>
            paths.map(
              (properties): Subject => ({
                label: `${place}, ${json}`,
                owner,
                attribute,
                type: null,
                json,
                properties,
              }),
            ),
          ),
        ),
        ...LENGTHS.map((properties): Subject => {
          return { label: 'length', owner, attribute, type: null, json: 'number', properties }
        }),
      ]
  }
}

export const SUBJECTS: readonly Subject[] = CLASS_NAMES.flatMap((owner) =>
  [...SHAPES[owner].attributes.values()].flatMap((attribute) => subjectsOf(owner, attribute)),
)

/** Every cell that the language allows. */
export const CELLS: readonly Cell[] = allowedCells()

function allowedCells(): readonly Cell[] {
  const labels = new Map<string, Subject[]>()
  for (const subject of SUBJECTS)
    labels.set(subject.label, [...(labels.get(subject.label) ?? []), subject])
  return [...labels].flatMap(([label, subjects]): readonly Cell[] => {
    const [first] = subjects
    const cell = (operator: CellOperator, form: Form): Cell => ({ subjects, label, operator, form })
    return [
      ...operatorsOf(first).flatMap((operator) =>
        operator === 'alone'
          ? [cell(operator, 'alone')]
          : [cell(operator, 'written'), cell(operator, 'given')],
      ),
      ...(knowsNull(first) ? EQUALITIES.map((operator) => cell(operator, 'null')) : []),
    ]
  })
}

const nameOf = ({ label, operator, form }: Pick<Cell, 'label' | 'operator' | 'form'>): string =>
  `${label} | ${operator} | ${form}`

/** The relations of a comparison in a word: `own`, `one`, `one.many`. */
const wayOf = ({ steps }: Comparison): string =>
  steps.length === 0 ? 'own' : steps.map(({ relation }) => relation.kind).join('.')

/** The hits of each cell, and of each operator behind each kind of relation path. */
export class Counts {
  readonly #cells = new Map(CELLS.map((cell) => [nameOf(cell), 0]))
  readonly #ways = new Map<string, number>()

  add(
    cell: Pick<Cell, 'label' | 'operator' | 'form'>,
    comparison: Comparison,
    times: number,
  ): void {
    const name = nameOf(cell)
    const hits = this.#cells.get(name)
    if (hits === undefined) throw new Error(`${name} is not a cell of the table`)
    this.#cells.set(name, hits + times)
    const way = `${wayOf(comparison)} | ${cell.operator} | ${cell.form}`
    this.#ways.set(way, (this.#ways.get(way) ?? 0) + times)
  }

  /** The cells with their hits, fewest first. */
  get cells(): readonly (readonly [name: string, hits: number])[] {
    return [...this.#cells].sort(([, a], [, b]) => a - b)
  }
  get ways(): readonly (readonly [name: string, hits: number])[] {
    return [...this.#ways].sort(([, a], [, b]) => a - b)
  }
}
