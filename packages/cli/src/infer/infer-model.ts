import pluralize from 'pluralize'
import { CliError } from '../cli-error.ts'
import { attributeName, dataClassName } from '../data/attribute-name.ts'
import { inLoadOrder } from '../data/load-order.ts'
import type { RecordSource } from '../data/read-records.ts'
import { type ColumnFacts, columnFacts } from './column-facts.ts'

/** A dataclass as inferred, before it is defined or written down. */
export interface InferredClass {
  readonly name: string
  readonly source: RecordSource
  readonly rows: number
  readonly attributes: readonly InferredAttribute[]
  readonly relations: readonly InferredRelation[]
}
export interface InferredAttribute {
  readonly name: string
  /** The column of the file; null for a key that no column has. */
  readonly column: string | null
  readonly type: ColumnFacts['type']['name']
  readonly dateOnly: boolean
  readonly isKey: boolean
  readonly isIndexed: boolean
}
export interface InferredRelation {
  readonly name: string
  readonly foreignKey: string
  readonly target: string
  /** What the related entities are called from the other side. */
  readonly inverse: string
}
export interface InferredModel {
  readonly classes: readonly InferredClass[]
  /** What was seen and not made, in sentences for the user. */
  readonly remarks: readonly string[]
}

/** A dataclass while relations are still looked for. */
interface Draft {
  readonly name: string
  readonly source: RecordSource
  readonly rows: number
  readonly attributes: InferredAttribute[]
  readonly facts: ReadonlyMap<string, ColumnFacts>
  readonly key: InferredAttribute
  readonly relations: InferredRelation[]
  /** Names in use: attributes, relations, and relations of others that lead here. */
  readonly names: Set<string>
}

/**
 * A model for files of rows: one dataclass per file, types by looking at every value, keys and relations by their names, checked against the values.
 * Cost: each file is read once. Throws `CliError` for files that would be one dataclass.
 */
export async function inferModel(sources: readonly RecordSource[]): Promise<InferredModel> {
  const remarks: string[] = []
  const drafts: Draft[] = []
  for (const [name, source] of namedSources(sources)) drafts.push(await draftOf(name, source, remarks))
  const byName = new Map(drafts.map((draft) => [draft.name.toLowerCase(), draft]))
  const found: Candidate[] = []
  for (const draft of drafts) found.push(...candidatesOf(draft, byName, remarks))
  for (const candidate of found) addRelation(candidate, found, remarks)
  const targetsOf = ({ relations }: Draft): readonly Draft[] =>
    drafts.filter(({ name }) => relations.some(({ target }) => target === name))
  const classes = inLoadOrder(drafts, targetsOf).map(({ name, source, rows, attributes, relations }) => ({
    name,
    source,
    rows,
    attributes,
    relations,
  }))
  return { classes, remarks }
}

/** Sources by the dataclass that each becomes; nothing is read for it. Throws `CliError` where two would be the same. */
function namedSources(sources: readonly RecordSource[]): ReadonlyMap<string, RecordSource> {
  const named = new Map<string, RecordSource>()
  for (const source of sources) {
    const name = dataClassName(source.name)
    const other = named.get(name)
    if (other !== undefined)
      throw new CliError(`${other.file.path} and ${source.file.path} would both be the dataclass ${name}: rename one.`)
    named.set(name, source)
  }
  return named
}

async function draftOf(name: string, source: RecordSource, remarks: string[]): Promise<Draft> {
  const { rows, columns, remarks: renamed } = await columnFacts(source)
  if (columns.length === 0) throw new CliError(`${source.file.path} has no rows: there is nothing to infer from.`)
  for (const remark of renamed) remarks.push(`${name}: ${remark}`)
  const keyFacts = keyAmong(columns, name, rows, remarks)
  const attributes: InferredAttribute[] = []
  const facts = new Map<string, ColumnFacts>()
  for (const column of columns) {
    const { name: attribute } = column
    facts.set(attribute, column)
    const { name: type, dateOnly } = column.type
    const isKey = column === keyFacts
    attributes.push({
      name: attribute,
      column: column.column,
      type,
      dateOnly,
      isKey,
      isIndexed: !isKey && column.isIndexable,
    })
  }
  if (keyFacts === null) {
    const free = ['ID', 'entityID'].find((each) => !facts.has(each)) ?? 'entiaID'
    attributes.unshift({ name: free, column: null, type: 'long', dateOnly: false, isKey: true, isIndexed: false })
    remarks.push(`${name}: no column is a key, so "${free}" counts the rows.`)
  }
  const key = attributes.find(({ isKey }) => isKey)!
  const names = new Set(attributes.map((attribute) => attribute.name))
  return { name, source, rows, attributes, facts, key, relations: [], names }
}

/** The column that is named as a key is, and is one: a different value in each row. */
function keyAmong(columns: readonly ColumnFacts[], name: string, rows: number, remarks: string[]): ColumnFacts | null {
  const names = ['id', '_id', `${name}id`, `${name}_id`, 'key', 'uuid', 'code', `${name}code`].map((each) =>
    each.toLowerCase(),
  )
  const named = names.flatMap((each) => columns.filter((facts) => facts.name.toLowerCase() === each))
  for (const facts of named) {
    if (!['long', 'long64', 'string', 'uuid'].includes(facts.type.name)) continue
    if (facts.isDistinct && facts.values === rows && !facts.distinct?.has('')) return facts
    if (facts === named[0]) remarks.push(`${name}: "${facts.column}" is no key: values are missing or there twice.`)
  }
  return null
}

interface Candidate {
  readonly from: Draft
  readonly to: Draft
  readonly foreignKey: InferredAttribute
  readonly name: string
}

/** Names of the one at the other end when it is of the same kind. */
const ofOwnKind: ReadonlySet<string> = new Set(['parent', 'manager', 'supervisor', 'boss'])

/** `companyID`, `company_id`, `companyId` and `company` lead to Company, where all values are keys of it. */
function candidatesOf(from: Draft, byName: ReadonlyMap<string, Draft>, remarks: string[]): Candidate[] {
  const found: Candidate[] = []
  for (const attribute of from.attributes) {
    const facts = from.facts.get(attribute.name)
    if (attribute.isKey || facts === undefined || facts.values === 0) continue
    const name = /^(.+?)_?(?:id|key|code)$/i.exec(attribute.name)?.[1] ?? attribute.name
    const isOwn = ofOwnKind.has(name.toLowerCase())
    const to = isOwn ? from : byName.get(pluralize.singular(name).replaceAll('_', '').toLowerCase())
    const keys = to?.facts.get(to.key.name)
    if (to === undefined || keys === undefined || !sameType(attribute, to.key)) continue
    const missing = [...(facts.distinct ?? [])].filter((value) => !keys.distinct?.has(value)).length
    if (missing === 0 && facts.distinct !== null) found.push({ from, to, foreignKey: attribute, name })
    else if (!isOwn || name !== attribute.name)
      remarks.push(
        `${from.name}.${attribute.name} does not lead to ${to.name}: ${missing} of its values are keys of none.`,
      )
  }
  return found
}

const sameType = (a: InferredAttribute, b: InferredAttribute): boolean =>
  a.type === b.type || (a.type.startsWith('long') && b.type.startsWith('long'))

function addRelation({ from, to, foreignKey, name }: Candidate, all: readonly Candidate[], remarks: string[]): void {
  if (to !== from && reaches(to, from, all)) {
    remarks.push(`${from.name}.${foreignKey.name} would lead to ${to.name} and back again: it stays a plain attribute.`)
    return
  }
  const plain = attributeName(name.charAt(0).toLowerCase() + name.slice(1))
  const relation = from.names.has(plain) ? `${plain}Entity` : plain
  const many = pluralize.plural(from.name.charAt(0).toLowerCase() + from.name.slice(1))
  const isOnly = all.filter((each) => each.from === from && each.to === to).length === 1
  const by = relation.charAt(0).toUpperCase() + relation.slice(1)
  const inverse = isOnly && to !== from && !to.names.has(many) ? many : `${many}By${by}`
  if (from.names.has(relation) || to.names.has(inverse)) {
    remarks.push(
      `${from.name}.${foreignKey.name} leads to ${to.name}, but a relation has no free name: it stays a plain attribute.`,
    )
    return
  }
  from.names.add(relation)
  to.names.add(inverse)
  from.relations.push({ name: relation, foreignKey: foreignKey.name, target: to.name, inverse })
}

/** Whether relations made already lead from one dataclass to another. */
function reaches(from: Draft, to: Draft, all: readonly Candidate[]): boolean {
  return from.relations.some(({ target }) => {
    if (target === from.name) return false
    const next = all.find((each) => each.to.name === target)?.to
    return next !== undefined && (next === to || reaches(next, to, all))
  })
}
