import { type ClassModel, type EntiaError, isEntiaError } from '@entia/core'
import {
  type Awaitable,
  andThen,
  type EntityRecord,
  fingerprint,
  fitsOneSlice,
  isMediaAttribute,
  joinSliced,
  type NextSlice,
  type ProjectedField,
  type Projection,
  type RelatedPage,
} from '@entia/engine'
import { errorsOf } from '../endpoints/context/answer.ts'
import {
  hasKeyMember,
  membersOfOthers,
  type PlainAnswer,
  type PlainPart,
  plainKeyMember,
} from '../endpoints/context/plain-members.ts'
import { keyInSegment } from '../request/key-text.ts'
import type { PlainResource } from '../request/plain-head.ts'
import { entityEtag } from './etag.ts'
import { addressOf, writeValue } from './layout.ts'
import { renderError } from './render.ts'
import type { Reply } from './serialize.ts'
import { CREATED, NO_CONTENT, statusOfBatch } from './status.ts'
import { dataClassUri, mediaUri } from './uri.ts'

/** What an entity of the plain interface shows beside its own values. */
export interface PlainEntitySite {
  /** The base path of the entity interface, which addresses of images and BLOBs start with. */
  readonly basePath: string
  /** The object attribute with further members of a dataclass, or null. */
  othersOf(dataClass: string): string | null
}

/**
 * The members of an entity: its attributes, the keys of its to-one relations, what was included,
 * and the members of its `others`, at whose places attributes of the same names are. With `others`,
 * null means that a member is absent. Each name appears once: attributes and relations win.
 */
function plainEntity(
  record: EntityRecord,
  projection: Projection,
  hidden: string | null,
  site: PlainEntitySite,
): string {
  const { dataClass, fields } = projection
  const others = site.othersOf(dataClass.name)
  const further = others === null ? NONE : furtherOf(record, fields, others)
  const taken = new Set<string>()
  const placed = new Map<string, string>()
  let text = ''
  const add = (name: string, value: string): void => {
    text += `${text === '' ? '' : ','}${writeValue(name)}:${value}`
  }
  const put = (name: string, value: string): void => {
    if (others !== null) {
      if (value === 'null') return
      taken.add(name)
    }
    const own = further.get(name)
    // An id that is stored as text, and was a number in the file.
    const shown = typeof own === 'number' && value === `"${own}"` ? `${own}` : value
    if (further.has(name)) placed.set(name, shown)
    else add(name, value)
  }
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]!
    const value = record.values[at]
    if (field.name === hidden || field.name === others) continue
    putField(field, value, record, site, put)
  }
  if (further.size === 0) return `{${text}}`
  const known = new Set(fields.map(({ name }) => name))
  for (const field of fields) if (isIncluded(field)) taken.add(field.name)
  for (const [name, value] of further) {
    const own = placed.get(name)
    if (own !== undefined) add(name, own)
    else if (!taken.has(name) && !isOfHidden(name, dataClass, known)) add(name, writeValue(value))
  }
  return `{${text}}`
}

const NONE: ReadonlyMap<string, unknown> = new Map()

/** The members that `others` holds, among which are the numbers of ids that are stored as texts. */
function furtherOf(
  { values }: EntityRecord,
  fields: readonly ProjectedField[],
  others: string,
): ReadonlyMap<string, unknown> {
  const value = values[fields.findIndex(({ name }) => name === others)] as object | null | undefined
  return value === null || value === undefined ? NONE : membersOfOthers(value)
}

/** An included relation has its name even without an entity to show. */
const isIncluded = ({ kind }: ProjectedField): boolean => kind === 'entity' || kind === 'entities'

/** True for the member of an attribute that is not shown: the caller may not know it. */
function isOfHidden(name: string, dataClass: ClassModel, known: ReadonlySet<string>): boolean {
  if (dataClass.attributes.has(name)) return !known.has(name)
  return hasKeyMember(dataClass, name) && !known.has(name.slice(0, -2))
}

function putField(
  field: ProjectedField,
  value: unknown,
  record: EntityRecord,
  site: PlainEntitySite,
  put: (name: string, value: string) => void,
): void {
  switch (field.kind) {
    case 'value': {
      if (isMediaAttribute(field.attribute)) put(field.name, mediaText(field, value, record, site))
      else put(field.name, writeValue(value ?? null))
      return
    }
    case 'deferredEntity': {
      const member = plainKeyMember(field.attribute)
      if (member !== null) put(member, writeValue(value ?? null))
      return
    }
    case 'entity': {
      const related = value as EntityRecord | null
      const member = plainKeyMember(field.attribute)
      // The included entity takes the place of its key where both have one name.
      if (member !== null && (related === null || member !== field.name))
        put(member, writeValue(related?.key ?? null))
      if (related !== null) put(field.name, plainEntity(related, field.projection, null, site))
      return
    }
    case 'entities': {
      const { records } = value as RelatedPage
      put(
        field.name,
        `[${records.map((one) => plainEntity(one, field.projection, null, site)).join()}]`,
      )
      return
    }
    // Not requested by the plain interface, or not shown.
    case 'properties':
    case 'deferredEntities':
      return
  }
}

/** The address of an image or BLOB in the entity interface. */
function mediaText(
  { name, attribute }: Extract<ProjectedField, { kind: 'value' }>,
  value: unknown,
  { key, stamp }: EntityRecord,
  { basePath }: PlainEntitySite,
): string {
  const entity = addressOf(dataClassUri(basePath, attribute.owner.name), key)
  if (value === null || value === undefined || entity === null) return 'null'
  const type = attribute.kind === 'alias' ? attribute.target.type : attribute.type
  return writeValue(mediaUri(entity, name, stamp, type === 'image' ? 'image' : 'blob'))
}

/** What the answers of the plain interface contain beside the entities. */
export interface PlainSite extends PlainEntitySite {
  /** Scheme and host of the request; '' if it names none. */
  readonly origin: string
  /** The address as sent. */
  readonly path: string
  readonly query: string
  readonly nextSlice: NextSlice
  /** Called with the characters that a long answer has so far. Its errors end the rendering. */
  readonly grow: (characters: number) => void
}

/** Renders an answer of the plain interface: bare entities, lists as arrays. */
export function renderPlain(answer: PlainAnswer, site: PlainSite): Awaitable<Reply> {
  switch (answer.kind) {
    case 'verbs':
      return { status: NO_CONTENT, headers: { allow: answer.allowed.join(', ') }, body: '' }
    case 'store':
      return renderStore(answer.parts, site)
    case 'part':
      return renderPart(answer, site)
  }
}

/** An error of the plain interface: what is wrong in one text, and its number. */
export function renderPlainError(error: EntiaError): Reply {
  const reasons = reasonsOf(error)
  const text = reasons.map(({ message }) => message).join(' ')
  return { ...renderError(error), body: JSON.stringify({ error: text, code: reasons[0]!.errCode }) }
}

/** The deepest cause, or every rule that is broken. */
function reasonsOf(error: EntiaError): readonly EntiaError[] {
  if (isEntiaError(error, 'validationFailed') && error.details.failures.length > 0)
    return error.details.failures.flatMap(reasonsOf)
  return isEntiaError(error.cause) ? reasonsOf(error.cause) : [error]
}

async function renderStore(parts: readonly PlainPart[], site: PlainSite): Promise<Reply> {
  const members: string[] = []
  for (const { resource, answer } of parts) {
    const text =
      answer.kind === 'selection'
        ? `[${(await entityTexts(answer.page.records, answer.projection, resource, site)).join(',')}]`
        : answer.kind === 'entity' && answer.record !== null
          ? entityText(answer.record, answer.projection, resource, site)
          : 'null'
    members.push(`${writeValue(resource.name)}:${text}`)
  }
  return { status: 200, headers: {}, body: `{${members.join(',')}}` }
}

type PartAnswer = Extract<PlainAnswer, { kind: 'part' }>

function renderPart(whole: PartAnswer, site: PlainSite): Awaitable<Reply> {
  const { part, change, page, listPath } = whole
  const { resource, answer } = part
  switch (answer.kind) {
    case 'entity': {
      const { record, projection, life } = answer
      if (record === null) return { status: 200, headers: {}, body: 'null' }
      const body = entityText(record, projection, resource, site)
      const headers = life === null ? {} : { etag: etagOf(record.stamp, life, projection, site) }
      return { status: 200, headers, body }
    }
    case 'selection': {
      const { projection } = answer
      const { records, count } = answer.page
      const headers = {
        'x-total-count': String(count),
        ...linksOf(page, records.length, count, site),
      }
      return andThen(entityTexts(records, projection, resource, site), (texts) => ({
        status: 200,
        headers,
        body: `[${texts.join(',')}]`,
      }))
    }
    case 'removed':
    case 'written': {
      const errors = errorsOf(answer.answer.outcomes)
      const [error = answer.kind === 'written' ? answer.answer.failures[0] : undefined] = errors
      if (error !== undefined)
        return { ...renderPlainError(error), status: statusOfBatch([error], false) }
      const [outcome] = answer.answer.outcomes
      if (outcome?.kind !== 'saved') return { status: 200, headers: {}, body: '{}' }
      const body = entityText(outcome.record, answer.projection, resource, site)
      if (change !== 'created') return { status: 200, headers: {}, body }
      return { status: CREATED, headers: { location: locationOf(outcome, listPath, site) }, body }
    }
  }
}

/** The address of a new entity, below that of its list. */
function locationOf(
  { record: { key } }: { readonly record: EntityRecord },
  listPath: string | null,
  { origin, path }: PlainSite,
): string {
  if (listPath === null) return origin + asciiOf(path)
  return `${origin}${asciiOf(listPath.replace(/\/+$/, ''))}/${keyInSegment(key ?? '')}`
}

/** Identifies the text of an entity that shows only its own values. */
function etagOf(
  stamp: number,
  life: string,
  { fields, dataClass }: Projection,
  { basePath, othersOf }: PlainSite,
): string {
  const names = fields.map(({ name }) => name).join()
  const print = fingerprint(`plain ${basePath} ${othersOf(dataClass.name)} ${names}`)
  return entityEtag({ stamp, life }, print)
}

/** The header `Link` of a page: the addresses of the first, previous, next and last one. */
function linksOf(
  page: PartAnswer['page'],
  sent: number,
  count: number,
  { origin, path, query }: PlainSite,
): { readonly link?: string } {
  if (page === null || sent === 0 || sent === count) return {}
  const { number, size } = page
  const last = Math.ceil(count / size)
  const pages: readonly (readonly [rel: string, number: number])[] = [
    ['first', 1],
    ['prev', number - 1],
    ['next', number + 1],
    ['last', last],
  ]
  const addressOf = (to: number): string =>
    `${origin}${asciiOf(path)}?${asciiOf(query).replace(/(^|&)(_page|%5Fpage)=[^&]*/i, `$1_page=${to}`)}`
  return {
    link: pages
      .filter(([, to]) => to >= 1 && to <= last)
      .map(([rel, to]) => `<${addressOf(to)}>; rel="${rel}"`)
      .join(', '),
  }
}

/** An address as sent may contain what a header must not. */
const asciiOf = (address: string): string =>
  address.toWellFormed().replace(/[^!-~]+|[<>"\\^`{|}]/g, encodeURIComponent)

function entityTexts(
  records: readonly (EntityRecord | null)[],
  projection: Projection,
  resource: PlainResource,
  site: PlainSite,
): Awaitable<readonly string[]> {
  const existing = records.filter((record) => record !== null)
  const textOf = (record: EntityRecord): string => entityText(record, projection, resource, site)
  if (fitsOneSlice(existing.length)) return existing.map(textOf)
  let characters = 0
  const countedText = (record: EntityRecord): string => {
    const text = textOf(record)
    characters += text.length
    site.grow(characters)
    return text
  }
  return joinSliced(existing, countedText, site.nextSlice)
}

/** One entity of a resource. A singular one shows no key. */
function entityText(
  record: EntityRecord,
  projection: Projection,
  { only }: PlainResource,
  site: PlainSite,
): string {
  return plainEntity(record, projection, only === null ? null : projection.dataClass.key.name, site)
}
