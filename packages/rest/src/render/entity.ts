import type { TextForm } from '@entia/core'
import {
  type EntityRecord,
  fingerprint,
  type Names,
  type Projection,
  type RelatedPage,
} from '@entia/engine'
import {
  addressOf,
  createLayout,
  type DateOnlyFormat,
  type EntityForm,
  type Layout,
  marksText,
  membersOf,
  textFormOf,
  timestampDay,
  writeValue,
} from './layout.ts'
import type { OpenApiInfo, OpenApiSite } from './openapi/document.ts'

/** A record with the projection for which it was read. */
export interface ShownRecord {
  readonly record: EntityRecord
  readonly projection: Projection
}

/** The entities that an entity shows inline, each after its own inline entities. */
function* inlineIn({ record, projection }: ShownRecord): Generator<ShownRecord, void, undefined> {
  for (const [at, field] of projection.fields.entries()) {
    const value = record.values[at]
    if ((field.kind !== 'entity' && field.kind !== 'entities') || value === null) continue
    const records =
      field.kind === 'entity' ? [value as EntityRecord] : (value as RelatedPage).records
    for (const record of records) {
      const inner = { record, projection: field.projection }
      yield* inlineIn(inner)
      yield inner
    }
  }
}

/** True if records show more than `most` entities, including inline ones. */
export function showMoreThan(
  most: number,
  records: readonly (EntityRecord | null)[],
  projection: Projection,
): boolean {
  return sizeOf(records, projection, most) > most
}

/** The number of entities shown; for more than `most`, any number above it. */
function sizeOf(
  records: readonly (EntityRecord | null)[],
  projection: Projection,
  most: number,
): number {
  let size = records.length
  for (const [at, field] of projection.fields.entries()) {
    if (field.kind !== 'entity' && field.kind !== 'entities') continue
    for (const record of records) {
      if (size > most) return size
      const value = record?.values[at]
      if (value === null || value === undefined) continue
      const inner =
        field.kind === 'entity' ? [value as EntityRecord] : (value as RelatedPage).records
      size += sizeOf(inner, field.projection, most)
    }
  }
  return size
}

export interface RenderOptions {
  readonly basePath: string
  readonly dateOnlyFormat: DateOnlyFormat
  /** The layouts of these options, by projection. */
  readonly layouts: LayoutCache
  /** What the description of the interface contains beside the model. */
  readonly openApi?: Omit<OpenApiSite, 'basePath' | 'dateOnlyFormat'> & {
    readonly info: OpenApiInfo
    /** Descriptions that are written already, by the names that a caller knows. */
    readonly known?: WeakMap<Names, string>
  }
}

/** How projections are written, for one base path and date format. */
export type LayoutCache = WeakMap<Projection, KnownLayout>

interface KnownLayout extends Layout {
  /** The members that name the dataclass of an entity that is answered alone. */
  readonly naming: string
  /** Created when first needed, as `print` is. */
  readonly forms: Map<EntityForm, TextForm | null>
  print: string | null
}

/**
 * Writes the entities of one answer as JSON text. What all entities of a projection share is
 * created once.
 */
export class EntityRenderer {
  readonly globalStamp: number
  readonly #options: RenderOptions
  readonly #isoTimestamps: boolean
  /** Entities that are rendered already; null if none are. */
  #ahead: Map<EntityRecord, string> | null = null

  /** `isoTimestamps`: answers to writes show date-times, as reads do, not days. */
  constructor(options: RenderOptions, globalStamp: number, isoTimestamps = false) {
    this.#options = options
    this.#isoTimestamps = isoTimestamps
    this.globalStamp = globalStamp
  }

  /** One entity of a page, or an expanded one. */
  render(record: EntityRecord, projection: Projection, form: EntityForm): string {
    return this.#ahead?.get(record) ?? `{${this.#members(record, projection, form)}}`
  }

  /**
   * Renders the entities that an entity shows inline, the innermost first, so that `render` finds
   * them. Yields after each.
   */
  *renderInline(shown: ShownRecord, form: EntityForm): Generator<undefined, void, undefined> {
    this.#ahead = new Map()
    for (const { record, projection } of inlineIn(shown)) {
      this.#ahead.set(record, this.render(record, projection, form))
      yield
    }
  }

  /**
   * The members of an answer to a write, after `__STATUS`. A new entity that was not stored has
   * neither key nor address.
   */
  renderWritten(record: EntityRecord, projection: Projection): string {
    const { key, stamp, timestamp } = record
    const layout = knownLayout(this.#options, projection)
    const address = layout.hasOwnUri ? null : addressOf(layout.home, key)
    let text = key === null ? '' : `"__KEY":${writeValue(String(key))},`
    text += `"__STAMP":${stamp},`
    if (address !== null) text += `"uri":"${address}",`
    text += `"__TIMESTAMP":"${this.#isoTimestamps ? timestamp : timestampDay(timestamp)}"`
    return text + this.#fields(layout, record, 'read')
  }

  /** An entity alone, as members: it names its dataclass. */
  renderSingle(record: EntityRecord, projection: Projection): string {
    const { naming } = knownLayout(this.#options, projection)
    return `${naming},${this.#members(record, projection, 'read')}`
  }

  #members(record: EntityRecord, projection: Projection, form: EntityForm): string {
    const { key, stamp, timestamp } = record
    const layout = knownLayout(this.#options, projection)
    return marksText(key, stamp, timestamp, form) + this.#fields(layout, record, form)
  }

  #fields({ pieces }: Layout, record: EntityRecord, form: EntityForm): string {
    let members = ''
    for (let at = 0; at < pieces.length; at++) {
      const { head, write } = pieces[at]!
      members += head + write(record.values[at], record, form, this)
    }
    return members
  }
}

/** The form of a projection, created once; see `textFormOf`. */
export function knownTextForm(
  options: RenderOptions,
  projection: Projection,
  form: EntityForm,
): TextForm | null {
  const layout = knownLayout(options, projection)
  let known = layout.forms.get(form)
  if (known === undefined) {
    known = textFormOf(layout, form)
    layout.forms.set(form, known)
  }
  return known
}

/** How a projection is written. Cost: a look-up, except for the first time. */
export function knownLayout(options: RenderOptions, projection: Projection): KnownLayout {
  const { layouts, basePath, dateOnlyFormat } = options
  let layout = layouts.get(projection)
  if (layout === undefined) {
    const { name } = projection.dataClass
    const naming = membersOf({ __entityModel: name, __DATACLASS: name })
    const own = createLayout(projection, basePath, dateOnlyFormat)
    layout = { ...own, naming, forms: new Map(), print: null }
    layouts.set(projection, layout)
  }
  return layout
}

/**
 * Identifies how a projection is written, within one store: attributes do not change while it
 * lives. Together with the state of an entity that shows only its own values, it identifies the
 * text. Cost: that of reading a member, except for the first time.
 */
export function printOf(
  layout: KnownLayout,
  { fields }: Projection,
  { dateOnlyFormat }: RenderOptions,
): string {
  layout.print ??= fingerprint(
    JSON.stringify([
      layout.home,
      layout.naming,
      dateOnlyFormat,
      fields.map((field) => [
        field.kind,
        field.name,
        field.kind === 'properties' ? field.paths : null,
      ]),
    ]),
  )
  return layout.print
}
