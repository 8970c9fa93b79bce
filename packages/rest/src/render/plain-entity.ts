import type { ClassModel } from '@entia/core'
import { hasKeyMember, plainKeyMember } from '../engine/plain-members.ts'
import {
  type EntityRecord,
  isMediaAttribute,
  type ProjectedField,
  type Projection,
  type RelatedPage,
} from '../engine/projection.ts'
import { addressOf, writeValue } from './layout.ts'
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
 * and the members of its `others`. With `others`, null means that a member is absent. Each name
 * appears once: attributes and relations go before a member of `others`.
 */
export function plainEntity(
  record: EntityRecord,
  projection: Projection,
  hidden: string | null,
  site: PlainEntitySite,
): string {
  const { dataClass, fields } = projection
  const others = site.othersOf(dataClass.name)
  const further = others === null ? null : furtherOf(record, fields, others)
  let text = ''
  const taken = new Set<string>()
  const put = (name: string, value: string): void => {
    if (others !== null) {
      if (value === 'null') return
      taken.add(name)
    }
    const number = further === null ? undefined : memberOf(further, name)
    // An id that is stored as text, and was a number in the file.
    if (typeof number === 'number' && value === `"${number}"`) value = String(number)
    text += `${text === '' ? '' : ','}${writeValue(name)}:${value}`
  }
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]!
    const value = record.values[at]
    if (field.name === hidden || field.name === others) continue
    putField(field, value, record, site, put)
  }
  if (further !== null) {
    const known = new Set(fields.map(({ name }) => name))
    for (const field of fields) if (isIncluded(field)) taken.add(field.name)
    for (const [name, value] of Object.entries(further))
      if (!taken.has(name) && !isOfHidden(name, dataClass, known))
        text += `${text === '' ? '' : ','}${writeValue(name)}:${writeValue(value)}`
  }
  return `{${text}}`
}

/** The further members, among which are the numbers of ids that are stored as texts. */
const furtherOf = (
  { values }: EntityRecord,
  fields: readonly ProjectedField[],
  others: string,
): object | null => {
  const at = fields.findIndex(({ name }) => name === others)
  return at < 0 ? null : (values[at] as object | null)
}

const memberOf = (members: object, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name as keyof typeof members] : undefined

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
