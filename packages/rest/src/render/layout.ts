import { isDateOnly, typeOf } from '../engine/names.ts'
import type { EntityRecord, ProjectedField, Projection, RelatedPage, ValueAttribute } from '../engine/projection.ts'
import { unreadable } from '../engine/unreadable.ts'
import { keyInAddress } from '../request/key-text.ts'
import { type DateOnlyFormat, formatDateOnly } from './date-text.ts'
import { membersOf, objectOf } from './json-members.ts'
import { dataClassUri, mediaUri, relationUri } from './uri.ts'

/** `read`: in envelopes and alone. `plain`: under `$asArray`. */
export type EntityForm = 'read' | 'plain'

/** What entities inside an entity are written with. */
export interface NestedRenderer {
  readonly globalStamp: number
  render(record: EntityRecord, projection: Projection, form: EntityForm): string
}

/** How the value of a field becomes JSON. */
export type FieldText =
  /** Of the value alone; without `write` it is plain JSON. */
  | { readonly kind: 'value'; readonly write: ((value: unknown) => string) | null }
  /** Of the entity's own address too; null for an entity that has none. */
  | {
      readonly kind: 'addressed'
      readonly write: (value: unknown, address: string | null, stamp: number) => string
    }
  /** Of other entities. */
  | {
      readonly kind: 'nested'
      readonly write: (value: unknown, address: string | null, form: EntityForm, renderer: NestedRenderer) => string
    }

/** How one projection is written: for each field what stands before its value, and how its value is written. */
export interface Layout {
  /** What addresses begin with. They are ASCII without quotes and backslashes, so that JSON escapes none of it. */
  readonly home: string
  readonly fields: readonly { readonly head: string; readonly field: ProjectedField; readonly text: FieldText }[]
  /** An attribute of the name that answers to writes give the address: the attribute is the one to be shown. */
  readonly hasOwnUri: boolean
}

/** Cost: O(fields). Relations that are expanded have layouts of their own. */
export function createLayout(projection: Projection, basePath: string, dateOnlyFormat: DateOnlyFormat): Layout {
  return {
    home: dataClassUri(basePath, projection.dataClass.name),
    fields: projection.fields.map((field) => ({
      head: `,${JSON.stringify(field.name)}:`,
      field,
      text: fieldText(field, basePath, dateOnlyFormat),
    })),
    hasOwnUri: projection.fields.some(({ name }) => name === 'uri'),
  }
}

/** The members that every entity begins with. */
export function marksText(key: string | number | null, stamp: number, timestamp: string, form: EntityForm): string {
  return form === 'plain'
    ? `"__KEY":${JSON.stringify(key)},"__STAMP":${stamp}`
    : `"__KEY":${writeValue(String(key))},"__TIMESTAMP":"${timestamp}","__STAMP":${stamp}`
}

/** An entity's address; null for an entity that has no key. */
export function addressOf({ home }: Pick<Layout, 'home'>, key: string | number | null): string | null {
  return key === null ? null : `${home}[${keyInAddress(key)}]`
}

/** What `JSON.stringify` writes inside an object; what it would leave out is null, so that every property is there. */
export function writeValue(value: unknown): string {
  if (typeof value === 'string') return `"${insideQuotes(value)}"`
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return JSON.stringify(value) ?? 'null'
}

function fieldText(field: ProjectedField, basePath: string, dateOnlyFormat: DateOnlyFormat): FieldText {
  switch (field.kind) {
    case 'value':
      return valueText(field.attribute, field.name, dateOnlyFormat)
    case 'properties':
      return { kind: 'value', write: (value) => JSON.stringify(pickProperties(value, field.paths)) }
    case 'deferredEntity': {
      const target = { home: dataClassUri(basePath, field.attribute.target.name) }
      const write = (value: unknown): string => {
        const uri = addressOf(target, value as string | number | null)
        return uri === null ? 'null' : `{"__deferred":{"uri":"${uri}","__KEY":${writeValue(String(value))}}}`
      }
      return { kind: 'value', write }
    }
    case 'deferredEntities': {
      const suffix = relationUri('', field.name)
      // An entity without a key has no address, and so have its related entities and its images: they are null.
      const write = (_: unknown, address: string | null): string =>
        address === null ? 'null' : `{"__deferred":{"uri":"${address}${suffix}"}}`
      return { kind: 'addressed', write }
    }
    case 'entity':
      return {
        kind: 'nested',
        write: (value, _, form, renderer) =>
          value === null ? 'null' : renderer.render(value as EntityRecord, field.projection, form),
      }
    case 'entities':
      return { kind: 'nested', write: relatedWriter(field.name, field.projection) }
  }
}

function relatedWriter(name: string, projection: Projection): Extract<FieldText, { kind: 'nested' }>['write'] {
  const suffix = relationUri('', name)
  return (value, address, form, renderer) => {
    if (address === null) return 'null'
    const page = value as RelatedPage
    const entities = page.records.map((related) => renderer.render(related, projection, form))
    if (form === 'plain') return `[${entities.join(',')}]`
    return objectOf(
      `"__ENTITYSET":"${address}${suffix}"`,
      membersOf({ __GlobalStamp: renderer.globalStamp, __COUNT: page.count, __FIRST: 0 }),
      `"__ENTITIES":[${entities.join(',')}]`,
      `"__SENT":${entities.length}`,
    )
  }
}

function valueText(attribute: ValueAttribute, name: string, dateOnlyFormat: DateOnlyFormat): FieldText {
  const type = typeOf(attribute)
  if (isDateOnly(attribute)) {
    const write = (value: unknown): string =>
      writeValue(typeof value === 'string' ? formatDateOnly(value, dateOnlyFormat) : value)
    return { kind: 'value', write }
  }
  if (type !== 'image' && type !== 'blob')
    return { kind: 'value', write: attribute.kind === 'storage' ? null : writeComputed(attribute) }
  const suffix = (stamp: number): string => mediaUri('', name, stamp, type)
  return {
    kind: 'addressed',
    write: (value, address, stamp) => {
      if (typeof value !== 'object') return writeValue(value)
      if (value === null || address === null) return 'null'
      return `{"__deferred":{"uri":"${address}${suffix(stamp)}"${type === 'image' ? ',"image":true' : ''}}}`
    },
  }
}

/** What the application computes may hold what JSON cannot. */
function writeComputed(attribute: ValueAttribute): (value: unknown) => string {
  return (value) => {
    try {
      return writeValue(value)
    } catch (cause) {
      throw unreadable(attribute, cause)
    }
  }
}

/** Text without quotes, backslashes, control characters and surrogates: JSON escapes none of it. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** Text as it stands between the quotes of a JSON string. Nearly always that is the text itself. */
function insideQuotes(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1)
}

/** A JSON object in the making; its names are those of the model, so it has no prototype to meet them. */
export type JsonObject = { [name: string]: unknown }

/** The object with only the asked properties in it; one that is missing is left out. */
function pickProperties(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (typeof value !== 'object' || value === null) return null
  const picked: JsonObject = Object.create(null)
  for (const path of paths) pickOne(value, picked, path)
  return picked
}

function pickOne(source: unknown, target: JsonObject, path: readonly string[]): void {
  const [name, ...rest] = path
  if (name === undefined || typeof source !== 'object' || source === null || !Object.hasOwn(source, name)) return
  const inner = (source as { readonly [name: string]: unknown })[name]
  if (rest.length === 0) {
    target[name] = inner
    return
  }
  if (typeof inner !== 'object' || inner === null) return
  const below = target[name]
  const open: JsonObject = typeof below === 'object' && below !== null ? (below as JsonObject) : Object.create(null)
  target[name] = open
  pickOne(inner, open, rest)
}
