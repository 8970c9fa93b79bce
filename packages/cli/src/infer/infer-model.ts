import pluralize from 'pluralize'
import { CliError } from '../cli-error.ts'
import { attributeName, dataClassName, likeness } from '../data/attribute-name.ts'
import { inLoadOrder } from '../data/load-order.ts'
import type { RecordSource } from '../data/read-records.ts'
import { type ColumnFacts, columnFacts } from './column-facts.ts'

/** An inferred dataclass, before it is defined or printed. */
export interface InferredClass {
  readonly name: string
  readonly source: RecordSource
  readonly rows: number
  readonly attributes: readonly InferredAttribute[]
  readonly relations: readonly InferredRelation[]
}
export interface InferredAttribute {
  readonly name: string
  /** The column of the file; null for a generated key. */
  readonly column: string | null
  readonly type: ColumnFacts['type']['name']
  readonly dateOnly: boolean
  readonly isKey: boolean
  readonly isIndexed: boolean
}
interface InferredRelation {
  readonly name: string
  readonly foreignKey: string
  readonly target: string
  /** The name of the inverse relation. */
  readonly inverse: string
  /** What happens when the target is removed; the foreign key becomes null by default. */
  readonly onDelete?: 'cascade'
}
export interface InferredModel {
  readonly classes: readonly InferredClass[]
  /** Findings that did not become part of the model, as sentences for the user. */
  readonly remarks: readonly string[]
}

/** A dataclass while its relations are being inferred. */
interface Draft {
  readonly name: string
  readonly source: RecordSource
  readonly rows: number
  readonly attributes: InferredAttribute[]
  readonly facts: ReadonlyMap<string, ColumnFacts>
  readonly key: InferredAttribute
  readonly relations: InferredRelation[]
  /** Names in use: attributes, relations, and inverse relations. */
  readonly names: Set<string>
}

/**
 * Infers a model from data files: one dataclass per file, types from every value, keys and
 * relations from their names, checked against the values. Reads each file once. Throws `CliError`
 * if two files would become the same dataclass.
 */
export async function inferModel(sources: readonly RecordSource[]): Promise<InferredModel> {
  const remarks: string[] = []
  const drafts: Draft[] = []
  const named = namedSources(sources)
  const targets = new Set([...named.keys()].map(likeness))
  for (const [name, source] of named) drafts.push(await draftOf(name, source, targets, remarks))
  const byName = new Map(drafts.map((draft) => [likeness(draft.name), draft]))
  const found: Candidate[] = []
  for (const draft of drafts) found.push(...candidatesOf(draft, byName, remarks))
  for (const candidate of found) addRelation(candidate, found, remarks)
  const targetsOf = ({ relations }: Draft): readonly Draft[] =>
    drafts.filter(({ name }) => relations.some(({ target }) => target === name))
  const classes = inLoadOrder(drafts, targetsOf).map(
    ({ name, source, rows, attributes, relations }) => ({
      name,
      source,
      rows,
      attributes,
      relations,
    }),
  )
  return { classes, remarks }
}

/**
 * Sources by the name of their dataclass, without reading them. Throws `CliError` if two share a
 * name.
 */
function namedSources(sources: readonly RecordSource[]): ReadonlyMap<string, RecordSource> {
  const named = new Map<string, RecordSource>()
  for (const source of sources) {
    const name = dataClassName(source.name)
    const other = named.get(name)
    if (other !== undefined)
      throw new CliError(
        `${other.file.path} and ${source.file.path} would both become the dataclass ${name}. Rename one of them.`,
      )
    named.set(name, source)
  }
  return named
}

const LAST_LONG = String(2 ** 31 - 1)

async function draftOf(
  name: string,
  source: RecordSource,
  targets: ReadonlySet<string>,
  remarks: string[],
): Promise<Draft> {
  const isKeyLike = (attribute: string): boolean => {
    const target = targetName(attribute)
    return (
      target !== attribute ||
      keyNames(name).includes(attribute.toLowerCase().replace(/_$/, '')) ||
      ofOwnKind.has(target.toLowerCase()) ||
      targets.has(likeness(target.replaceAll('_', '')))
    )
  }
  const { rows, columns, remarks: renamed } = await columnFacts(source, isKeyLike)
  if (columns.length === 0)
    throw new CliError(`${source.file.path} has no rows to infer a model from.`)
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
      // The last number of 32 bits would end the automatic sequence of the key.
      type: isKey && type === 'long' && column.distinct?.has(LAST_LONG) ? 'long64' : type,
      dateOnly,
      isKey,
      isIndexed: !isKey && column.isIndexable,
    })
  }
  if (keyFacts === null) {
    const free = ['ID', 'entityID'].find((each) => !facts.has(each)) ?? 'entiaID'
    attributes.unshift({
      name: free,
      column: null,
      type: 'long',
      dateOnly: false,
      isKey: true,
      isIndexed: false,
    })
    remarks.push(`${name}: no column is a key, so "${free}" numbers the rows.`)
  }
  const key = attributes.find(({ isKey }) => isKey)!
  const names = new Set(attributes.map((attribute) => attribute.name))
  return { name, source, rows, attributes, facts, key, relations: [], names }
}

/** The first column that has the name of a key and a distinct value in each row. */
function keyAmong(
  columns: readonly ColumnFacts[],
  name: string,
  rows: number,
  remarks: string[],
): ColumnFacts | null {
  const named = keyNames(name).flatMap((each) =>
    columns.filter(({ name, column }) => [name, column].some((one) => one.toLowerCase() === each)),
  )
  for (const facts of named) {
    if (!['long', 'long64', 'string', 'uuid'].includes(facts.type.name)) continue
    if (facts.isDistinct && facts.values === rows && !facts.distinct?.has('')) return facts
    if (facts === named[0])
      remarks.push(`${name}: "${facts.column}" is not a key: values are missing or repeated.`)
  }
  return null
}

/** The names of keys in lower case, the most likely first. */
function keyNames(dataClass: string): readonly string[] {
  const one = likeness(dataClass)
  return ['id', '_id', `${one}id`, `${one}_id`, 'key', 'uuid', 'code', `${one}code`]
}

/** The name of the entity that a foreign key leads to: `company` for `companyID`. */
const targetName = (attribute: string): string =>
  /^(.+?)_?(?:id|key|code)$/i.exec(attribute)?.[1] ?? attribute

interface Candidate {
  readonly from: Draft
  readonly to: Draft
  readonly foreignKey: InferredAttribute
  readonly name: string
}

/** Names of relations to the same dataclass. */
const ofOwnKind: ReadonlySet<string> = new Set(['parent', 'manager', 'supervisor', 'boss'])

/**
 * `companyID`, `company_id`, `companyId` and `company` lead to Company if all their values are its
 * keys.
 */
function candidatesOf(
  from: Draft,
  byName: ReadonlyMap<string, Draft>,
  remarks: string[],
): Candidate[] {
  const found: Candidate[] = []
  for (const attribute of from.attributes) {
    const facts = from.facts.get(attribute.name)
    if (attribute.isKey || facts === undefined || facts.values === 0) continue
    const name = targetName(attribute.name)
    const isOwn = ofOwnKind.has(name.toLowerCase())
    const to = isOwn ? from : byName.get(likeness(name.replaceAll('_', '')))
    const keys = to?.facts.get(to.key.name)
    if (to === undefined || keys === undefined || !sameType(attribute, to.key)) continue
    const missing = [...(facts.distinct ?? [])].filter((value) => !keys.distinct?.has(value)).length
    if (missing === 0 && facts.distinct !== null)
      found.push({ from, to, foreignKey: attribute, name })
    else if (!isOwn || name !== attribute.name)
      remarks.push(
        `${from.name}.${attribute.name} does not lead to ${to.name}: ${missing} of its values are not keys there.`,
      )
  }
  return found
}

const sameType = (a: InferredAttribute, b: InferredAttribute): boolean =>
  a.type === b.type || (a.type.startsWith('long') && b.type.startsWith('long'))

function addRelation(
  { from, to, foreignKey, name }: Candidate,
  all: readonly Candidate[],
  remarks: string[],
): void {
  if (to !== from && reaches(to, from, all)) {
    remarks.push(
      `${from.name}.${foreignKey.name} would close a cycle with ${to.name}, so it stays a plain attribute.`,
    )
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
      `${from.name}.${foreignKey.name} leads to ${to.name}, but no relation name is free, so it stays a plain attribute.`,
    )
    return
  }
  // The model requires the type of the key, even if all references have fewer bits.
  const at = from.attributes.indexOf(foreignKey)
  from.attributes[at] = { ...foreignKey, type: to.key.type }
  from.names.add(relation)
  to.names.add(inverse)
  from.relations.push({ name: relation, foreignKey: foreignKey.name, target: to.name, inverse })
}

/** Whether the relations so far lead from one dataclass to another. */
function reaches(from: Draft, to: Draft, all: readonly Candidate[]): boolean {
  return from.relations.some(({ target }) => {
    if (target === from.name) return false
    const next = all.find((each) => each.to.name === target)?.to
    return next !== undefined && (next === to || reaches(next, to, all))
  })
}
