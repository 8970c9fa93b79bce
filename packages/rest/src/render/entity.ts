import type { TextForm, TextPiece } from '@entia/core'
import { fingerprint } from '../engine/fingerprint.ts'
import type { Names } from '../engine/names.ts'
import type { EntityRecord, Projection } from '../engine/projection.ts'
import { type DateOnlyFormat, timestampDay } from './date-text.ts'
import { inmostFirst, type ShownRecord } from './inline-records.ts'
import { membersOf } from './json-members.ts'
import { addressOf, createLayout, type EntityForm, type Layout, marksText, writeValue } from './layout.ts'
import type { OpenApiInfo, OpenApiSite } from './openapi/document.ts'

export interface RenderOptions {
  readonly basePath: string
  readonly dateOnlyFormat: DateOnlyFormat
  /** What was made for these options, to be used again for the same projection. */
  readonly layouts?: LayoutCache
  /** What a description of the interface says beside the model. */
  readonly openApi?: Omit<OpenApiSite, 'basePath' | 'dateOnlyFormat'> & {
    readonly info: OpenApiInfo
    /** What was written, by the names that the caller knows. */
    readonly known?: WeakMap<Names, string>
  }
}

/** How projections are written, for one base path and date format. */
export type LayoutCache = WeakMap<Projection, KnownLayout>

interface KnownLayout extends Layout {
  /** The members by which an entity alone names its dataclass. */
  readonly naming: string
  /** Made when they are first asked for. */
  readonly forms: Map<EntityForm, TextForm | null>
  print: string | null
}

/** Writes the entities of one answer as JSON text. What is the same for all of a projection is made once. */
export class EntityRenderer {
  readonly globalStamp: number
  readonly #options: RenderOptions
  readonly #layouts: LayoutCache
  /** What was rendered ahead; null where nothing was. */
  #ahead: Map<EntityRecord, string> | null = null

  constructor(options: RenderOptions, globalStamp: number) {
    this.#options = options
    this.globalStamp = globalStamp
    this.#layouts = options.layouts ?? new WeakMap()
  }

  /** One entity of a page, or an expanded one. */
  render(record: EntityRecord, projection: Projection, form: EntityForm): string {
    return this.#ahead?.get(record) ?? `{${this.#members(record, projection, form)}}`
  }

  /**
   * Renders what an entity shows inline, the inmost first, so that it is at hand when the entity itself is rendered. Ends a step with
   * each.
   */
  *renderInline(shown: ShownRecord, form: EntityForm): Generator<undefined, void, undefined> {
    this.#ahead = new Map()
    for (const { record, projection } of inmostFirst(shown)) {
      if (record === shown.record) return
      this.#ahead.set(record, this.render(record, projection, form))
      yield
    }
  }

  /** An entity alone, as members: it names its dataclass. */
  renderSingle(record: EntityRecord, projection: Projection): string {
    const { naming } = knownLayout(this.#layouts, this.#options, projection)
    return `${naming},${this.#members(record, projection, 'read')}`
  }

  /** The same of one that the engine has written. */
  nameText(text: string, projection: Projection): string {
    const { naming } = knownLayout(this.#layouts, this.#options, projection)
    return `${naming},${text.slice(1, -1)}`
  }

  /**
   * What tells this way of writing an entity from every other one of the same store: with the state of an entity that shows only itself, it
   * stands for each byte. Cost: a look-up, but for the first entity of a projection.
   */
  printOf(projection: Projection): string {
    const layout = knownLayout(this.#layouts, this.#options, projection)
    layout.print ??= printOf(layout, this.#options)
    return layout.print
  }

  /** What a write answers after `__STATUS`, as members. A new entity that was not stored has neither key nor address. */
  renderWritten(record: EntityRecord, projection: Projection): string {
    const { key, stamp, timestamp } = record
    const layout = knownLayout(this.#layouts, this.#options, projection)
    const address = addressOf(layout, key)
    let text = key === null ? '' : `"__KEY":${writeValue(String(key))},`
    text += `"__STAMP":${stamp},`
    if (address !== null && !layout.hasOwnUri) text += `"uri":"${address}",`
    text += `"__TIMESTAMP":"${timestampDay(timestamp)}"`
    return text + this.#fields(layout, record, address, 'read')
  }

  #members(record: EntityRecord, projection: Projection, form: EntityForm): string {
    const layout = knownLayout(this.#layouts, this.#options, projection)
    const { key, stamp, timestamp } = record
    return marksText(key, stamp, timestamp, form) + this.#fields(layout, record, addressOf(layout, key), form)
  }

  #fields({ fields }: Layout, { values, stamp }: EntityRecord, address: string | null, form: EntityForm): string {
    let members = ''
    for (let at = 0; at < fields.length; at++) {
      const { head, text } = fields[at]!
      const value = values[at]
      if (text.kind === 'value') members += head + (text.write ?? writeValue)(value)
      else if (text.kind === 'addressed') members += head + text.write(value, address, stamp)
      else members += head + text.write(value, address, form, this)
    }
    return members
  }
}

/**
 * How the engine writes whole entities of a projection as text, the same text as `EntityRenderer.render` gives. Null where they
 * show what is not their own: entities behind relations, and what is computed.
 */
export function textFormOf(options: RenderOptions, projection: Projection, form: EntityForm): TextForm | null {
  const { layouts } = options
  const layout = knownLayout(layouts ?? new WeakMap(), options, projection)
  let known = layout.forms.get(form)
  if (known === undefined) {
    known = makeTextForm(layout, form)
    layout.forms.set(form, known)
  }
  return known
}

function makeTextForm(layout: Layout, form: EntityForm): TextForm | null {
  const pieces: TextPiece[] = [
    {
      kind: 'marked',
      head: '{',
      attribute: null,
      write: (_, { key, stamp, timestamp }) => marksText(key, stamp, timestamp, form),
    },
  ]
  for (const field of layout.fields) {
    const piece = pieceOf(layout, field)
    if (piece === null) return null
    pieces.push(piece)
  }
  return { pieces, end: '}' }
}

function pieceOf(layout: Layout, { head, field, text }: Layout['fields'][number]): TextPiece | null {
  const { attribute } = field
  if (text.kind === 'value') {
    const { write } = text
    if (attribute.kind === 'relatedEntity')
      return { kind: 'relatedKey', head, relation: attribute.name, write: write ?? writeValue }
    if (attribute.kind !== 'storage') return null
    return { kind: 'value', head, attribute: attribute.name, ...(write === null ? {} : { write }) }
  }
  if (text.kind === 'nested' || (attribute.kind !== 'storage' && attribute.kind !== 'relatedEntities')) return null
  const name = attribute.kind === 'storage' ? attribute.name : null
  const { write } = text
  return {
    kind: 'marked',
    head,
    attribute: name,
    write: (value, { key, stamp }) => write(value, addressOf(layout, key), stamp),
  }
}

function knownLayout(layouts: LayoutCache, options: RenderOptions, projection: Projection): KnownLayout {
  let layout = layouts.get(projection)
  if (layout === undefined) {
    const { name } = projection.dataClass
    const naming = membersOf({ __entityModel: name, __DATACLASS: name })
    layout = {
      ...createLayout(projection, options.basePath, options.dateOnlyFormat),
      naming,
      forms: new Map(),
      print: null,
    }
    layouts.set(projection, layout)
  }
  return layout
}

/** Attributes do not change while a store lives: their names say how they are written. */
function printOf({ home, naming, fields }: KnownLayout, { dateOnlyFormat }: RenderOptions): string {
  const shown = fields.map(({ field }) => [field.kind, field.name, field.kind === 'properties' ? field.paths : null])
  return fingerprint(JSON.stringify([home, naming, dateOnlyFormat, shown]))
}
