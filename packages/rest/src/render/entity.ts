import { isDateOnly, typeOf } from '../door/names.ts'
import type { EntityRecord, ProjectedField, Projection, RelatedPage, ValueAttribute } from '../door/projection.ts'
import { unreadable } from '../door/unreadable.ts'
import { type DateOnlyFormat, formatDateOnly, timestampDay } from './date-text.ts'
import { membersOf, objectOf } from './json-members.ts'
import { dataClassUri, keyInAddress, mediaUri, relationUri } from './uri.ts'

export interface RenderOptions {
  readonly basePath: string
  readonly dateOnlyFormat: DateOnlyFormat
  /** Layouts made for these options, to be used again for the same projection. */
  readonly layouts?: LayoutCache
}

/** How projections are written, for one base path and date format. */
export type LayoutCache = WeakMap<Projection, Layout>

/** `read`: in envelopes and alone. `plain`: under `$asArray`. */
export type EntityForm = 'read' | 'plain'

/** A record of a projection, with what its fields may need of it. */
interface Place {
  readonly record: EntityRecord
  /** The entity's address, as it stands inside quotes; null for an entity that has none. */
  readonly address: string | null
  readonly form: EntityForm
  readonly renderer: EntityRenderer
}

/** How one projection is written: for each field what stands before its value, and its value as JSON. */
export interface Layout {
  /** What addresses begin with, as it stands inside quotes. */
  readonly home: string
  readonly fields: readonly { readonly head: string; readonly write: (value: unknown, place: Place) => string }[]
  /** An attribute of the name that answers to writes give the address: the attribute is the one to be shown. */
  readonly hasOwnUri: boolean
}

/** Writes the entities of one answer as JSON text. What is the same for all of a projection is made once. */
export class EntityRenderer {
  readonly globalStamp: number
  readonly #options: RenderOptions
  readonly #layouts: LayoutCache

  constructor(options: RenderOptions, globalStamp: number) {
    this.#options = options
    this.globalStamp = globalStamp
    this.#layouts = options.layouts ?? new WeakMap()
  }

  /** One entity of a page, or an expanded one. */
  render(record: EntityRecord, projection: Projection, form: EntityForm): string {
    return `{${this.#members(record, projection, form)}}`
  }

  /** An entity alone, as members: it names its dataclass. */
  renderSingle(record: EntityRecord, projection: Projection): string {
    const { name } = projection.dataClass
    return `${membersOf({ __entityModel: name, __DATACLASS: name })},${this.#members(record, projection, 'read')}`
  }

  /** What a write answers after `__STATUS`, as members. A new entity that was not stored has neither key nor address. */
  renderWritten(record: EntityRecord, projection: Projection): string {
    const { key, stamp, timestamp } = record
    const layout = this.#layoutOf(projection)
    const address = addressOf(layout, record)
    let text = key === null ? '' : `"__KEY":${JSON.stringify(String(key))},`
    text += `"__STAMP":${stamp},`
    if (address !== null && !layout.hasOwnUri) text += `"uri":"${address}",`
    text += `"__TIMESTAMP":"${timestampDay(timestamp)}"`
    return text + writeFields(layout, { record, address, form: 'read', renderer: this })
  }

  #members(record: EntityRecord, projection: Projection, form: EntityForm): string {
    const layout = this.#layoutOf(projection)
    const { key, stamp, timestamp } = record
    const head =
      form === 'plain'
        ? `"__KEY":${JSON.stringify(key)},"__STAMP":${stamp}`
        : `"__KEY":${JSON.stringify(String(key))},"__TIMESTAMP":"${timestamp}","__STAMP":${stamp}`
    return head + writeFields(layout, { record, address: addressOf(layout, record), form, renderer: this })
  }

  #layoutOf(projection: Projection): Layout {
    let layout = this.#layouts.get(projection)
    if (layout === undefined) {
      const { basePath } = this.#options
      layout = {
        home: insideQuotes(dataClassUri(basePath, projection.dataClass.name)),
        fields: projection.fields.map((field) => ({
          head: `,${JSON.stringify(field.name)}:`,
          write: this.#fieldWriter(field),
        })),
        hasOwnUri: projection.fields.some(({ name }) => name === 'uri'),
      }
      this.#layouts.set(projection, layout)
    }
    return layout
  }

  #fieldWriter(field: ProjectedField): (value: unknown, place: Place) => string {
    switch (field.kind) {
      case 'value':
        return this.#valueWriter(field.attribute, field.name)
      case 'properties':
        return (value) => JSON.stringify(pickProperties(value, field.paths))
      case 'deferredEntity': {
        const home = insideQuotes(dataClassUri(this.#options.basePath, field.attribute.target.name))
        return (value) => {
          if (value === null) return 'null'
          const key = value as string | number
          const uri = `${home}[${insideQuotes(keyInAddress(key))}]`
          return `{"__deferred":{"uri":"${uri}","__KEY":${JSON.stringify(String(key))}}}`
        }
      }
      case 'deferredEntities': {
        const suffix = insideQuotes(relationUri('', field.name))
        // An entity without a key has no address, and so have its related entities and its images: they are null.
        return (_, { address }) => (address === null ? 'null' : `{"__deferred":{"uri":"${address}${suffix}"}}`)
      }
      case 'entity':
        return (value, { form, renderer }) =>
          value === null ? 'null' : renderer.render(value as EntityRecord, field.projection, form)
      case 'entities': {
        const suffix = insideQuotes(relationUri('', field.name))
        return (value, { address, form, renderer }) => {
          if (address === null) return 'null'
          const page = value as RelatedPage
          const entities = page.records.map((related) => renderer.render(related, field.projection, form))
          if (form === 'plain') return `[${entities.join(',')}]`
          return objectOf(
            `"__ENTITYSET":"${address}${suffix}"`,
            membersOf({ __GlobalStamp: renderer.globalStamp, __COUNT: page.count, __FIRST: 0 }),
            `"__ENTITIES":[${entities.join(',')}]`,
            `"__SENT":${entities.length}`,
          )
        }
      }
    }
  }

  #valueWriter(attribute: ValueAttribute, name: string): (value: unknown, place: Place) => string {
    const type = typeOf(attribute)
    if (isDateOnly(attribute))
      return (value) =>
        typeof value === 'string' ? writeValue(formatDateOnly(value, this.#options.dateOnlyFormat)) : writeValue(value)
    if (type !== 'image' && type !== 'blob') return attribute.kind === 'storage' ? writeValue : writeComputed(attribute)
    return (value, { record, address }) => {
      if (typeof value !== 'object') return writeValue(value)
      if (value === null || address === null) return 'null'
      const uri = `"${address}${insideQuotes(mediaUri('', name, record.stamp, type))}"`
      return `{"__deferred":{"uri":${uri}${type === 'image' ? ',"image":true' : ''}}}`
    }
  }
}

function writeFields({ fields }: Layout, place: Place): string {
  const { values } = place.record
  let text = ''
  for (let at = 0; at < fields.length; at++) {
    const { head, write } = fields[at]!
    text += head + write(values[at], place)
  }
  return text
}

/** What `JSON.stringify` writes inside an object; what it would leave out is null, so that every property is there. */
function writeValue(value: unknown): string {
  if (typeof value === 'string') return `"${insideQuotes(value)}"`
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null'
  return JSON.stringify(value) ?? 'null'
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

function addressOf({ home }: Layout, { key }: EntityRecord): string | null {
  return key === null ? null : `${home}[${insideQuotes(keyInAddress(key))}]`
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
  const below = target[name]
  const open: JsonObject = typeof below === 'object' && below !== null ? (below as JsonObject) : Object.create(null)
  target[name] = open
  pickOne(inner, open, rest)
}
