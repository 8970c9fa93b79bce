import type { Json, TextForm, TextPiece } from '@entia/core'
import { propertiesAt } from '@entia/core/internal'
import {
  type EntityRecord,
  isDateOnly,
  type ProjectedField,
  type Projection,
  type RelatedPage,
  typeOf,
  unreadable,
  type ValueAttribute,
} from '@entia/engine'
import { keyInAddress } from '../request/key-text.ts'
import { dataClassUri, mediaUri, relationUri } from './uri.ts'

/** The format of calendar dates: `!!2024-01-31!!` or `31!1!2024`. */
export type DateOnlyFormat = '!!yyyy-mm-dd!!' | 'd!m!yyyy'

/** Formats a calendar date, given as `YYYY-MM-DD`. */
export function formatDateOnly(iso: string, format: DateOnlyFormat): string {
  if (format === '!!yyyy-mm-dd!!') return `!!${iso}!!`
  const [, year, month, day] = /^(.*)-(\d{2})-(\d{2})$/.exec(iso) ?? []
  return year === undefined ? iso : `${Number(day)}!${Number(month)}!${year}`
}

/** The day of a date-time between `!!`: the form of `__TIMESTAMP` in answers to writes. */
export function timestampDay(iso: string): string {
  if (iso !== lastIso) {
    lastIso = iso
    lastDay = `!!${iso.slice(0, iso.indexOf('T'))}!!`
  }
  return lastDay
}
/** Entities that are saved together have one timestamp. */
let lastIso = ''
let lastDay = ''

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** Weekday offsets of the months in a year that starts on March 1 (Sakamoto's algorithm). */
const MONTH_SHIFTS = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]

/**
 * Formats an ISO 8601 date-time in UTC for headers: `Sat, 21 Nov 2026 16:20:11 GMT`. Allocates no
 * `Date`.
 */
export function headerDate(iso: string): string {
  if (iso !== lastHeaderIso) {
    lastHeaderIso = iso
    lastHeaderDate = formatHeaderDate(iso)
  }
  return lastHeaderDate
}
/** Entities that are loaded together have one timestamp. */
let lastHeaderIso = ''
let lastHeaderDate = ''

function formatHeaderDate(iso: string): string {
  // Years of more than four digits have a sign.
  if (iso.charCodeAt(10) !== LETTER_T) return new Date(iso).toUTCString()
  const year = iso.slice(0, 4)
  const day = iso.slice(8, 10)
  const month = Number(iso.slice(5, 7)) - 1
  const from = month < 2 ? Number(year) - 1 : Number(year)
  const leaps = Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400)
  // Adds a week for the year 0, whose January belongs to the year before.
  const weekday = WEEKDAYS[(from + leaps + MONTH_SHIFTS[month]! + Number(day) + 7) % 7]
  return `${weekday}, ${day} ${MONTHS[month]} ${year} ${iso.slice(11, 19)} GMT`
}

const LETTER_T = 84

/** A calendar date as a date-time, the form of aggregates. */
export function dayAsDateTime(iso: string): string {
  return `${iso}T00:00:00.000Z`
}

/**
 * Builds JSON objects from the text of their members, so that existing text is not parsed and
 * written again.
 */

/** The members of an object as JSON text, without the braces. */
export function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1)
}

/** Joins members with commas; empty pieces are skipped. */
export function joinMembers(...pieces: readonly string[]): string {
  let members = ''
  for (const piece of pieces)
    if (piece !== '') members = members === '' ? piece : `${members},${piece}`
  return members
}

/** An object of such pieces. */
export function objectOf(...pieces: readonly string[]): string {
  return `{${joinMembers(...pieces)}}`
}

/** `read`: in envelopes and alone. `plain`: under `$asArray`. */
export type EntityForm = 'read' | 'plain'

/** Writes the entities that an entity shows inline. */
export interface NestedRenderer {
  readonly globalStamp: number
  render(record: EntityRecord, projection: Projection, form: EntityForm): string
}

/** What an entity has beside its attributes. */
type Marks = Pick<EntityRecord, 'key' | 'stamp' | 'timestamp'>
type Write = (value: unknown, marks: Marks, form: EntityForm, renderer: NestedRenderer) => string

/** How a field is written. */
export interface LayoutPiece {
  readonly head: string
  readonly write: Write
  /**
   * What the engine reads where it writes the piece itself; null where a record is needed: for
   * computed values and other entities.
   */
  readonly source: PieceSource | null
}

type PieceSource =
  | { readonly kind: 'value'; readonly attribute: string }
  | { readonly kind: 'marked'; readonly attribute: string | null }
  | { readonly kind: 'relatedKey'; readonly relation: string }

/** How one projection is written: a piece for each field. */
export interface Layout {
  /**
   * The beginning of addresses. They are ASCII without quotes and backslashes, so that JSON escapes
   * none of it.
   */
  readonly home: string
  readonly pieces: readonly LayoutPiece[]
  /** An attribute has the name of the address in answers to writes: then the attribute is shown. */
  readonly hasOwnUri: boolean
}

/** Cost: O(fields). Relations that are expanded have layouts of their own. */
export function createLayout(
  { dataClass, fields }: Projection,
  basePath: string,
  dateOnlyFormat: DateOnlyFormat,
): Layout {
  const home = dataClassUri(basePath, dataClass.name)
  const pieces = fields.map((field) => ({
    head: `,${JSON.stringify(field.name)}:`,
    ...pieceOf(field, home, basePath, dateOnlyFormat),
  }))
  return { home, pieces, hasOwnUri: fields.some(({ name }) => name === 'uri') }
}

/**
 * The form in which the engine writes entities itself, the same text as `EntityRenderer.render`;
 * null where it cannot.
 */
export function textFormOf({ pieces }: Layout, form: EntityForm): TextForm | null {
  const own: TextPiece[] = []
  for (const { head, source, write } of pieces) {
    if (source === null) return null
    own.push({ ...source, head, ...(write === writeValue ? {} : { write }) } as TextPiece)
  }
  const write = (_: unknown, { key, stamp, timestamp }: Marks): string =>
    marksText(key, stamp, timestamp, form)
  return { pieces: [{ kind: 'marked', head: '{', attribute: null, write }, ...own], end: '}' }
}

/** The first members of every entity. */
export function marksText(
  key: string | number | null,
  stamp: number,
  timestamp: string,
  form: EntityForm,
): string {
  return form === 'plain'
    ? `"__KEY":${JSON.stringify(key)},"__STAMP":${stamp}`
    : `"__KEY":${writeValue(String(key))},"__TIMESTAMP":"${timestamp}","__STAMP":${stamp}`
}

/** An entity's address; null for an entity that has no key. */
export function addressOf(home: string, key: string | number | null): string | null {
  return key === null ? null : `${home}[${keyInAddress(key)}]`
}

/**
 * The text that `JSON.stringify` writes inside an object; null for a value that it would leave out,
 * so that no property is missing.
 */
export function writeValue(value: unknown): string {
  if (typeof value === 'string') return `"${insideQuotes(value)}"`
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return JSON.stringify(value) ?? 'null'
}

function pieceOf(
  field: ProjectedField,
  home: string,
  basePath: string,
  dateOnlyFormat: DateOnlyFormat,
): Omit<LayoutPiece, 'head'> {
  const { name } = field
  switch (field.kind) {
    case 'value':
      return valuePiece(field.attribute, home, dateOnlyFormat)
    case 'properties':
      return {
        source: sourceOf(field.attribute, 'value'),
        write: (value) => JSON.stringify(propertiesAt(value as Json, field.paths)),
      }
    case 'deferredEntity': {
      const target = dataClassUri(basePath, field.attribute.target.name)
      const write: Write = (value) => {
        const uri = addressOf(target, value as string | number | null)
        return uri === null
          ? 'null'
          : `{"__deferred":{"uri":"${uri}","__KEY":${writeValue(String(value))}}}`
      }
      return { source: { kind: 'relatedKey', relation: name }, write }
    }
    case 'deferredEntities': {
      const suffix = relationUri('', name)
      // An entity without a key has no address. Its related entities and images have none either:
      // they are null.
      const write: Write = (_, { key }) =>
        key === null ? 'null' : `{"__deferred":{"uri":"${addressOf(home, key)}${suffix}"}}`
      return { source: { kind: 'marked', attribute: null }, write }
    }
    case 'entity': {
      const write: Write = (value, _, form, renderer) =>
        value === null ? 'null' : renderer.render(value as EntityRecord, field.projection, form)
      return { source: null, write }
    }
    case 'entities':
      return { source: null, write: relatedWriter(name, field.projection, home) }
  }
}

const sourceOf = ({ kind, name }: ValueAttribute, piece: 'value' | 'marked'): PieceSource | null =>
  kind === 'storage' ? { kind: piece, attribute: name } : null

function relatedWriter(name: string, projection: Projection, home: string): Write {
  const suffix = relationUri('', name)
  return (value, { key }, form, renderer) => {
    if (key === null) return 'null'
    const page = value as RelatedPage
    const entities = page.records.map((related) => renderer.render(related, projection, form))
    if (form === 'plain') return `[${entities.join(',')}]`
    return objectOf(
      `"__ENTITYSET":"${addressOf(home, key)}${suffix}"`,
      membersOf({ __GlobalStamp: renderer.globalStamp, __COUNT: page.count, __FIRST: 0 }),
      `"__ENTITIES":[${entities.join(',')}]`,
      `"__SENT":${entities.length}`,
    )
  }
}

function valuePiece(
  attribute: ValueAttribute,
  home: string,
  dateOnlyFormat: DateOnlyFormat,
): Omit<LayoutPiece, 'head'> {
  const type = typeOf(attribute)
  if (isDateOnly(attribute))
    return {
      source: sourceOf(attribute, 'value'),
      write: (value) =>
        writeValue(typeof value === 'string' ? formatDateOnly(value, dateOnlyFormat) : value),
    }
  if (type !== 'image' && type !== 'blob')
    return {
      source: sourceOf(attribute, 'value'),
      write: attribute.kind === 'storage' ? writeValue : writeComputed(attribute),
    }
  const write: Write = (value, { key, stamp }) => {
    if (typeof value !== 'object') return writeValue(value)
    const address = addressOf(home, key)
    if (value === null || address === null) return 'null'
    const uri = mediaUri(address, attribute.name, stamp, type)
    return `{"__deferred":{"uri":"${uri}"${type === 'image' ? ',"image":true' : ''}}}`
  }
  return { source: sourceOf(attribute, 'marked'), write }
}

/** A computed value may be one that JSON cannot represent. */
function writeComputed(attribute: ValueAttribute): (value: unknown) => string {
  return (value) => {
    try {
      return writeValue(value)
    } catch (cause) {
      throw unreadable(attribute, cause)
    }
  }
}

/**
 * Text without quotes, backslashes, control characters and surrogates, which JSON does not escape.
 */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** Text as it stands between the quotes of a JSON string. Nearly all texts need no escape. */
function insideQuotes(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1)
}

/**
 * A JSON object under construction. Its names come from the model, so it has no prototype that
 * could define them.
 */
export type JsonObject = { [name: string]: unknown }
