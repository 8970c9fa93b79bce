import { type RecordView, recordTest } from '../execute/record-test.ts'
import type { Predicate } from '../filter/predicate.ts'
import type {
  AttributeModel,
  ClassModel,
  StorageAttribute,
  ToOneAttribute,
} from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import { draftClass, draftStorage } from '../model/draft-class.ts'
import { isRelation, type ResolvedPath } from '../model/path.ts'
import { Refusal, refused } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'
import type { AttributeType, Json, StoredValue } from '../value/types.ts'
import type { BoundGrouping } from './bind-grouping.ts'
import type { GroupTable } from './compute-groups.ts'
import { shownValue } from './value-codes.ts'

/** A group as users see it. */
export type Row = { readonly [name: string]: Untyped }

/** The row of a group. Cost: O(columns). */
export function groupRow(
  { terms, isCounted, aggregated }: BoundGrouping,
  { columns }: Pick<GroupTable, 'columns'>,
  group: number,
): Row {
  // Every name begins with that of an attribute, so none is `__proto__`.
  const row: { [name: string]: unknown } = {}
  let at = 0
  for (const term of terms) row[term.name] = shownValue(term, columns[at++][group])
  if (isCounted) row.count = columns[at++][group]
  for (const { name, functions } of aggregated) {
    const values: { [name: string]: unknown } = {}
    for (const each of functions) values[each] = columns[at++][group]
    row[name] = values
  }
  return row
}

/** One member of a row, as conditions and orders name it. */
export interface RowColumn {
  /** `origin.state`, `count`, `delay.average`. */
  readonly name: string
  /** The names before the value, and the value's own. */
  readonly names: readonly string[]
  /** Where the value is a property of an object: the place of the object among the names. */
  readonly objectAt: number | null
  readonly type: AttributeType
  readonly dateOnly: boolean
  readonly collation: StorageAttribute['collation']
}

/** The columns of a grouping, in the order of `GroupTable.columns`. */
export function rowColumns({ terms, isCounted, aggregated }: BoundGrouping): readonly RowColumn[] {
  return [
    ...terms.map(({ name, path, span }) =>
      rowColumn(name, name, path, span === null ? columnType(path) : DAY_TYPE),
    ),
    ...(isCounted ? [{ name: 'count', names: ['count'], objectAt: null, ...NUMBER_TYPE }] : []),
    ...aggregated.flatMap(({ name, path, functions }) =>
      functions.map((each) =>
        rowColumn(
          `${name}.${each}`,
          name,
          path,
          each === 'min' || each === 'max' ? columnType(path) : NUMBER_TYPE,
        ),
      ),
    ),
  ]
}

type ColumnType = Pick<RowColumn, 'type' | 'dateOnly' | 'collation'>
const NUMBER_TYPE: ColumnType = { type: 'number', dateOnly: false, collation: 'exact' }
const DAY_TYPE: ColumnType = { type: 'date', dateOnly: true, collation: 'exact' }
const OBJECT_TYPE: ColumnType = { type: 'object', dateOnly: false, collation: 'folded' }

function columnType({ attribute, properties }: ResolvedPath): ColumnType {
  if (isRelation(attribute) || properties.length > 0) return OBJECT_TYPE
  const { type, dateOnly } = attribute
  if (attribute.kind === 'storage') return { type, dateOnly, collation: attribute.collation }
  return { type, dateOnly, collation: type === 'uuid' ? 'exact' : 'folded' }
}

/** `written` is the path, and `name` the path with the name of an aggregate. */
function rowColumn(
  name: string,
  written: string,
  { properties }: ResolvedPath,
  type: ColumnType,
): RowColumn {
  const objectAt =
    properties.length === 0 ? null : written.split('.').length - properties.length - 1
  return { name, names: name.split('.'), objectAt, ...type }
}

/**
 * The rows of a grouping as a dataclass, so that conditions and orders are those of the filter
 * language. The names before a value are relations, which lead back to the row, or an object.
 */
export class RowClass {
  readonly model: ClassModel
  readonly columns: readonly RowColumn[]
  /** By ordinal: an attribute of rows, and the columns in it. */
  readonly #held: { readonly attribute: StorageAttribute; readonly columns: number[] }[] = []

  /** Throws `argumentInvalid` if two columns cannot be in one row. */
  constructor(dataClass: ClassModel, columns: readonly RowColumn[]) {
    this.columns = columns
    this.model = draftRows(`groups of ${dataClass.name}`)
    for (const [at, column] of columns.entries()) this.#add(column, at)
  }

  #add(column: RowColumn, at: number): void {
    const { names, objectAt } = column
    const last = objectAt ?? names.length - 1
    let owner = this.model
    for (const name of names.slice(0, last)) {
      const step = owner.attributes.get(name) ?? added(draftRelation(owner, name))
      if (step.kind !== 'relatedEntity') throw collision(column)
      owner = step.target
    }
    const known = owner.attributes.get(names[last])
    if (known === undefined) {
      const type = objectAt === null ? column : OBJECT_TYPE
      const attribute = added(draftAttribute(owner, names[last], this.#held.length, type))
      this.#held.push({ attribute, columns: [at] })
      return
    }
    if (known.kind !== 'storage' || objectAt === null || known.type !== 'object')
      throw collision(column)
    const { columns } = this.#held[known.ordinal]
    if (columns.some((other) => overlaps(this.columns[other].names, names))) throw collision(column)
    columns.push(at)
  }

  /** A condition as a test of the groups in a table. */
  rowTest(predicate: Predicate, table: GroupTable): (group: number) => boolean {
    const test = recordTest(predicate)
    let group = 0
    const readers = this.#held.map((_, ordinal) => this.#reader(ordinal, table))
    const view: RecordView = {
      read: (ordinal) => readers[ordinal](group),
      follow: () => view,
      some: () => false,
    }
    return (at) => {
      group = at
      return test?.(view) === true
    }
  }

  /** Reads an attribute of the groups in a table. */
  #reader(ordinal: number, table: GroupTable): (group: number) => StoredValue {
    const { attribute, columns } = this.#held[ordinal]
    const { type, dateOnly } = attribute
    const [first] = columns
    const { objectAt } = this.columns[first]
    const values = table.columns[first]
    if (objectAt !== null) {
      const paths = columns.map((at) => this.columns[at].names.slice(objectAt + 1))
      return (group) =>
        toJson(columns.map((at, place) => [paths[place], table.columns[at][group] as Json]))
    }
    if (type !== 'date') return (group) => values[group] as StoredValue
    return (group) => {
      const value = values[group]
      if (typeof value !== 'string') return value as StoredValue
      const stored = coerceInput(type, dateOnly, value)
      return stored instanceof Refusal ? null : stored
    }
  }
}

function draftRows(name: string): ClassModel {
  const { model } = draftClass({ name, attributes: {}, options: {} }, -1)
  model.key = draftAttribute(model, '', -1, { ...NUMBER_TYPE, type: 'long' })
  return model
}

const draftAttribute = (
  owner: ClassModel,
  name: string,
  ordinal: number,
  { type, dateOnly, collation }: ColumnType,
): StorageAttribute => ({
  ...draftStorage(owner, name, type, {}),
  ordinal,
  dateOnly,
  collation,
})

function draftRelation(owner: ClassModel, name: string): ToOneAttribute {
  const target = draftRows(`${owner.name}.${name}`)
  return {
    kind: 'relatedEntity',
    name,
    owner,
    exposed: true,
    target,
    foreignKey: target.key,
    onDelete: 'null',
    notNull: true,
    inverse: null,
  }
}

function added<A extends AttributeModel>(attribute: A): A {
  const { owner, name } = attribute
  ;(owner.attributes as Map<string, AttributeModel>).set(name, attribute)
  return attribute
}

/** Nested objects of the values at some paths. */
function toJson(values: readonly (readonly [readonly string[], Json])[]): Json {
  const members = new Map<string, Json>()
  for (const [[first]] of values) {
    if (members.has(first)) continue
    const below = values.filter(([[name]]) => name === first)
    const [[names, value]] = below
    const inner = below.map(([path, each]) => [path.slice(1), each] as const)
    members.set(first, names.length === 1 ? value : toJson(inner))
  }
  return Object.fromEntries(members)
}

const overlaps = (left: readonly string[], right: readonly string[]): boolean => {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left]
  return short.every((name, at) => long[at] === name)
}

const collision = ({ name }: RowColumn): Error =>
  refused(
    'The list of attributes and aggregates',
    'different members of a row: group by an attribute, or aggregate it',
    `"${name.slice(0, 100)}" and another one in its place`,
  )
