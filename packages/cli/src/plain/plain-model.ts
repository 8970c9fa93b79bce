import type { PlainRestOptions } from '@entia/rest'
import pluralize from 'pluralize'
import { CliError } from '../cli-error.ts'
import { dataClassName, isAttributeName } from '../data/attribute-name.ts'
import type { DataFile } from '../data/data-file.ts'
import { inLoadOrder } from '../data/load-order.ts'
import type { InferredAttribute, InferredClass, InferredModel } from '../infer/infer-model.ts'

/** A row or a single object of `db.json`. */
export type PlainRow = Readonly<Record<string, unknown>>

/** The model of a `db.json`, with its rows and its resources. */
export interface PlainModel extends InferredModel {
  readonly rowsOf: ReadonlyMap<string, readonly PlainRow[]>
  readonly resources: NonNullable<PlainRestOptions['resources']>
}

/** A list or object of the file while its model is being inferred. */
interface Draft {
  readonly resource: string
  readonly name: string
  readonly rows: readonly PlainRow[]
  readonly isSingular: boolean
  readonly key: InferredAttribute
  readonly attributes: InferredAttribute[]
  readonly relations: {
    readonly name: string
    readonly foreignKey: string
    readonly target: string
    readonly inverse: string
    readonly onDelete: 'cascade'
  }[]
  readonly names: Set<string>
  readonly others: string
}

/**
 * Infers the model of a file in the form of json-server: an object of lists and single objects,
 * with the keys `id` and foreign keys such as `postId`. Types are those of JSON, so that every
 * value is answered as it was stored. Values that do not fit, and members whose names cannot be
 * attributes, are kept in one object attribute. Throws `CliError`.
 */
export function inferPlain(content: unknown, file: DataFile): PlainModel {
  const remarks: string[] = []
  const drafts = membersOf(content, file).map(([resource, value]) =>
    draftOf(resource, value, file, remarks),
  )
  refuseSameClass(drafts, file)
  for (const draft of drafts) addRelations(draft, drafts, remarks)
  const source = ({ resource }: Draft): InferredClass['source'] => ({
    name: resource,
    file,
    member: resource,
    records: () => {
      throw new Error('The rows of a plain model are in memory.')
    },
  })
  const ordered = inLoadOrder(drafts, ({ relations }) =>
    drafts.filter(({ name }) => relations.some(({ target }) => target === name)),
  )
  return {
    classes: ordered.map((draft) => ({
      name: draft.name,
      source: source(draft),
      rows: draft.rows.length,
      attributes: draft.attributes,
      relations: draft.relations,
    })),
    remarks,
    rowsOf: new Map(drafts.map(({ name, rows }) => [name, rows])),
    resources: Object.fromEntries(
      drafts.map(({ resource, name, others, isSingular }) => [
        resource,
        { dataClass: name, others, ...(isSingular && { only: 1 }) },
      ]),
    ),
  }
}

const isObject = (value: unknown): value is PlainRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The lists and single objects of the file, by name. Throws `CliError`. */
function membersOf(content: unknown, { path }: DataFile): readonly (readonly [string, unknown])[] {
  if (!isObject(content))
    throw new CliError(
      `${path} must be an object of lists, such as { "posts": [{ "id": 1 }] }, to be served with --plain.`,
    )
  const members = Object.entries(content).filter(([name]) => name !== '$schema')
  for (const [name, value] of members) {
    const rows = Array.isArray(value) ? value : [value]
    const at = rows.findIndex((row) => !isObject(row))
    if (at >= 0)
      throw new CliError(
        Array.isArray(value)
          ? `${path}: row ${at + 1} of "${name}" is not an object.`
          : `${path}: "${name}" is neither a list of objects nor an object.`,
      )
    for (const [row, of] of (rows as readonly PlainRow[]).entries())
      if (holdsPrototype(of))
        throw new CliError(
          `${path}: ${Array.isArray(value) ? `row ${row + 1} of ` : ''}"${name}" has a member "__proto__", which objects cannot hold. Rename it.`,
        )
    if (name.includes('/') || name === 'db' || name === 'rest' || name === '__proto__')
      throw new CliError(
        `${path}: "${name}" cannot be the name of a resource. ${name.includes('/') ? 'It contains "/".' : `"/${name}" is taken.`} Rename it.`,
      )
  }
  if (members.length === 0) throw new CliError(`${path} holds no list. Add one: { "posts": [] }`)
  return members
}

/** True for a member `__proto__` at any depth that a store takes. */
function holdsPrototype(value: unknown, levels = 100): boolean {
  if (typeof value !== 'object' || value === null || levels === 0) return false
  return (
    Object.hasOwn(value, '__proto__') ||
    Object.values(value).some((inner) => holdsPrototype(inner, levels - 1))
  )
}

function refuseSameClass(drafts: readonly Draft[], { path }: DataFile): void {
  const known = new Map<string, string>()
  for (const { name, resource } of drafts) {
    const other = known.get(name)
    if (other !== undefined)
      throw new CliError(
        `${path}: "${other}" and "${resource}" would both become the dataclass ${name}. Rename one of them.`,
      )
    known.set(name, resource)
  }
}

function draftOf(resource: string, value: unknown, file: DataFile, remarks: string[]): Draft {
  const isSingular = !Array.isArray(value)
  const rows = (isSingular ? [value] : value) as readonly PlainRow[]
  const columns = new Set<string>()
  for (const row of rows) for (const name of Object.keys(row)) columns.add(name)
  const names = new Set<string>()
  const free = (...wanted: readonly string[]): string => {
    const name = wanted.find((each) => !columns.has(each) && !names.has(each))
    return name ?? free(...wanted.map((each) => `${each}_`))
  }
  const key = isSingular ? generatedKey(free('ID', 'entityID')) : keyOf(resource, rows, file)
  names.add(key.name)
  const attributes: InferredAttribute[] = [key]
  for (const column of columns) {
    if (names.has(column) || !isAttributeName(column)) continue
    const type = typeOf(rows, column)
    if (type === null) continue
    names.add(column)
    attributes.push({
      name: column,
      column,
      type,
      dateOnly: false,
      isKey: false,
      isIndexed: type === 'number' || (type === 'string' && areShort(rows, column)),
    })
  }
  if (!isSingular && rows.length > 0 && !columns.has('id'))
    remarks.push(`${resource}: no row has an "id", so they are numbered.`)
  const others = free('otherMembers')
  names.add(others)
  attributes.push({ ...generatedKey(others), type: 'object', isKey: false })
  const name = dataClassName(resource)
  return { resource, name, rows, isSingular, key, attributes, relations: [], names, others }
}

const generatedKey = (name: string): InferredAttribute => ({
  name,
  column: null,
  type: 'long',
  dateOnly: false,
  isKey: true,
  isIndexed: false,
})

/**
 * The key `id`: numbers that the store continues, or texts. Throws `CliError` for a repeated one.
 */
function keyOf(resource: string, rows: readonly PlainRow[], { path }: DataFile): InferredAttribute {
  const given = rows.map(({ id }) => id).filter((id) => id !== undefined && id !== null)
  const isNumeric = given.every((id) => Number.isSafeInteger(id))
  const known = new Set<string>()
  for (const id of given) {
    if (typeof id === 'object' || typeof id === 'boolean' || id === '')
      throw new CliError(
        `${path}: ${JSON.stringify(id)} in "${resource}" is not an id. Ids are numbers or texts.`,
      )
    if (known.has(String(id)))
      throw new CliError(
        `${path}: two rows of "${resource}" have the id ${JSON.stringify(id)}. Change one of them.`,
      )
    known.add(String(id))
  }
  // The store makes the next one.
  const isLong = isNumeric && given.every((id) => Math.abs(id as number) < 2 ** 31 - 1)
  const type = isLong ? 'long' : isNumeric ? 'long64' : 'string'
  return { ...generatedKey('id'), column: 'id', type }
}

type JsonType = 'number' | 'string' | 'bool' | 'object'

/** The type of most values of a column; null for a column without values. */
function typeOf(rows: readonly PlainRow[], column: string): JsonType | null {
  const counts = new Map<JsonType, number>()
  for (const row of rows) {
    const type = jsonTypeOf(row[column])
    if (type !== null) counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  let most: JsonType | null = null
  for (const [type, count] of counts) if (most === null || count > counts.get(most)!) most = type
  return most
}

export function jsonTypeOf(value: unknown): JsonType | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'number' ? 'number' : typeof value === 'string' ? 'string' : 'object'
}

/** Indexes do not help long texts. */
const MAX_INDEXED_LENGTH = 64

function areShort(rows: readonly PlainRow[], column: string): boolean {
  let characters = 0
  let texts = 0
  for (const row of rows) {
    const value = row[column]
    if (typeof value !== 'string') continue
    characters += value.length
    texts++
  }
  return characters <= MAX_INDEXED_LENGTH * texts
}

/** `postId` leads to `posts` if all its values are ids there, as json-server reads the name. */
function addRelations(from: Draft, all: readonly Draft[], remarks: string[]): void {
  for (const [at, attribute] of from.attributes.entries()) {
    const name = /^(.+)Id$/.exec(attribute.name)?.[1]
    const to = name === undefined ? undefined : targetOf(name, all)
    if (name === undefined || to === undefined || attribute.isKey || from.isSingular) continue
    // Text keys are compared as texts: 1 leads to "1". Number keys are compared as they are.
    const isText = to.key.type === 'string'
    const comparable = (id: unknown): unknown =>
      isText && typeof id === 'number' ? String(id) : id
    const keys = new Set(to.rows.map(({ id }) => comparable(id)))
    const values = from.rows.map((row) => row[attribute.name])
    const dangling = values.filter((value) => value != null && !keys.has(comparable(value))).length
    const refuse = (why: string): void => {
      remarks.push(
        `${from.resource}.${attribute.name} is not a relation to ${to.resource}: ${why}. _expand=${name} and _embed=${from.resource} are refused.`,
      )
    }
    if (dangling > 0) refuse(`${dangling} of its values are not ids there`)
    else if (from !== to && leadsTo(to, from, all)) refuse('it would close a cycle')
    else if (from.names.has(name) || !isAttributeName(name)) refuse(`the name "${name}" is taken`)
    else {
      const inverse = [from.resource, `${from.resource}By${name}`].find(
        (each) => isAttributeName(each) && !to.names.has(each),
      )
      if (inverse === undefined) {
        refuse('no name is free for its inverse')
        continue
      }
      from.names.add(name)
      to.names.add(inverse)
      from.attributes[at] = { ...attribute, type: to.key.type, isIndexed: false }
      from.relations.push({
        name,
        foreignKey: attribute.name,
        target: to.name,
        inverse,
        onDelete: 'cascade',
      })
    }
  }
}

function targetOf(name: string, all: readonly Draft[]): Draft | undefined {
  const plural = pluralize(name)
  return all.find(({ resource, isSingular }) => resource === plural && !isSingular)
}

function leadsTo(from: Draft, to: Draft, all: readonly Draft[]): boolean {
  return from.relations.some(({ target }) => {
    const next = all.find(({ name }) => name === target)
    return next === to || (next !== undefined && next !== from && leadsTo(next, to, all))
  })
}
