import type { RecordView } from '../execute/record-test.ts'
import type {
  AttributeModel,
  ClassModel,
  StorageAttribute,
  ToOneAttribute,
} from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
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
  const number = { type: 'number', dateOnly: false, collation: 'exact' } as const
  return [
    ...terms.map(({ name, path, span }) =>
      rowColumn(name, name, path, span === null ? columnType(path) : DAY_TYPE),
    ),
    ...(isCounted ? [{ name: 'count', names: ['count'], objectAt: null, ...number }] : []),
    ...aggregated.flatMap(({ name, path, functions }) =>
      functions.map((each) =>
        rowColumn(
          `${name}.${each}`,
          name,
          path,
          each === 'min' || each === 'max' ? columnType(path) : number,
        ),
      ),
    ),
  ]
}

type ColumnType = Pick<RowColumn, 'type' | 'dateOnly' | 'collation'>
const DAY_TYPE: ColumnType = { type: 'date', dateOnly: true, collation: 'exact' }

function columnType({ attribute, properties }: ResolvedPath): ColumnType {
  if (isRelation(attribute) || properties.length > 0)
    return { type: 'object', dateOnly: false, collation: 'folded' }
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
  /** By ordinal of the attribute: the columns in it. */
  readonly #held: (readonly number[])[] = []
  readonly #attributes: StorageAttribute[] = []

  /** Throws `argumentInvalid` if two columns cannot be in one row. */
  constructor(dataClass: ClassModel, columns: readonly RowColumn[]) {
    this.columns = columns
    this.model = this.#class(`groups of ${dataClass.name}`)
    for (const [at, column] of columns.entries()) this.#add(column, at)
  }

  #class(name: string): ClassModel {
    const attributes = new Map<string, AttributeModel>()
    const model: ClassModel = {
      kind: 'dataClass',
      name,
      ordinal: -1,
      collectionName: name,
      exposed: true,
      label: null,
      extraProperties: {},
      attributes,
      storage: [],
      get key() {
        return key
      },
      incoming: [],
      functions: new Map(),
      hooks: {},
    }
    const key = columnAttribute(model, '', -1, {
      type: 'long',
      dateOnly: false,
      collation: 'exact',
    })
    return model
  }

  #add(column: RowColumn, at: number): void {
    const { names, objectAt } = column
    const last = objectAt ?? names.length - 1
    let owner = this.model
    for (const name of names.slice(0, last)) {
      const known = owner.attributes.get(name)
      const step = known ?? this.#relation(owner, name)
      if (step.kind !== 'relatedEntity') throw collision(column)
      owner = step.target
    }
    const name = names[last]
    const known = owner.attributes.get(name)
    if (known === undefined) {
      const type = objectAt === null ? column : { ...column, type: 'object' as const }
      const attribute = columnAttribute(owner, name, this.#held.length, type)
      ;(owner.attributes as Map<string, AttributeModel>).set(name, attribute)
      this.#held.push([at])
      this.#attributes.push(attribute)
    } else {
      if (known.kind !== 'storage' || objectAt === null || known.type !== 'object')
        throw collision(column)
      const { ordinal } = known
      if (this.#held[ordinal].some((other) => overlaps(this.columns[other].names, names)))
        throw collision(column)
      this.#held[ordinal] = [...this.#held[ordinal], at]
    }
  }

  #relation(owner: ClassModel, name: string): ToOneAttribute {
    const target = this.#class(`${owner.name}.${name}`)
    const relation: ToOneAttribute = {
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
    ;(owner.attributes as Map<string, AttributeModel>).set(name, relation)
    return relation
  }

  /** One group as a record, for the test of a condition. */
  recordView(table: GroupTable): { readonly view: RecordView; moveTo(group: number): void } {
    let group = 0
    const read = (ordinal: number): StoredValue => {
      const { type, dateOnly } = this.#attributes[ordinal]
      const held = this.#held[ordinal]
      if (this.columns[held[0]].objectAt !== null) return this.#object(table, held, group)
      const value = table.columns[held[0]][group]
      if (typeof value !== 'string' || type !== 'date') return value as StoredValue
      const stored = coerceInput(type, dateOnly, value)
      return stored instanceof Refusal ? null : stored
    }
    const view: RecordView = { read, follow: () => view, some: () => false }
    return {
      view,
      moveTo: (next) => {
        group = next
      },
    }
  }

  #object(table: GroupTable, held: readonly number[], group: number): Json {
    return toJson(
      held.map((at) => {
        const { names, objectAt } = this.columns[at]
        return [names.slice((objectAt as number) + 1), table.columns[at][group] as Json] as const
      }),
    )
  }
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

function columnAttribute(
  owner: ClassModel,
  name: string,
  ordinal: number,
  { type, dateOnly, collation }: ColumnType,
): StorageAttribute {
  return {
    kind: 'storage',
    name,
    owner,
    exposed: true,
    type,
    ordinal,
    key: false,
    autoSequence: false,
    indexed: false,
    words: false,
    unique: false,
    notNull: false,
    readOnly: false,
    min: null,
    max: null,
    minLength: null,
    maxLength: null,
    pattern: null,
    collation,
    dateOnly,
    defaultValue: undefined,
    relation: null,
    hidden: false,
  }
}
