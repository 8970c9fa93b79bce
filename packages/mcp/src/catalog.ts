import { type Link, property, Refusal } from './entity-interface.ts'

export interface AttributeFacts {
  readonly name: string
  /** A scalar type, or the name of the related dataclass. */
  readonly type: string
  readonly kind: 'stored' | 'computed' | 'alias' | 'toOne' | 'toMany'
  /** True for a calendar date, which has no time. */
  readonly isDay: boolean
  readonly notes: readonly string[]
}
export interface ClassFacts {
  readonly name: string
  /** The attribute that is the key. */
  readonly key: string | null
  readonly attributes: readonly AttributeFacts[]
}

const KINDS: ReadonlyMap<unknown, AttributeFacts['kind']> = new Map([
  ['storage', 'stored'],
  ['calculated', 'computed'],
  ['alias', 'alias'],
  ['relatedEntity', 'toOne'],
  ['relatedEntities', 'toMany'],
])

/** The dataclasses that the caller may see. */
export async function readCatalog(
  link: Link,
  signal?: AbortSignal,
): Promise<readonly ClassFacts[]> {
  const classes = property(await link.get(['$catalog', '$all'], {}, signal), 'dataClasses')
  const list: readonly unknown[] = Array.isArray(classes) ? classes : []
  const byCollection = new Map(
    list.map((model) => [property(model, 'collectionName'), String(property(model, 'name'))]),
  )
  return list.map((model) => {
    const given = property(model, 'attributes')
    const attributes: readonly unknown[] = Array.isArray(given) ? given : []
    const identifying = attributes.find((attribute) => property(attribute, 'identifying') === true)
    return {
      name: String(property(model, 'name')),
      key: identifying === undefined ? null : String(property(identifying, 'name')),
      attributes: attributes.map((attribute) => factsOf(attribute, byCollection)),
    }
  })
}

/** A dataclass of the catalog. */
export interface KnownClass extends ClassFacts {
  /** All dataclasses, for those that its relations lead to. */
  readonly classes: readonly ClassFacts[]
}

/**
 * The dataclass with a name. Names that assistants give become parts of addresses only after this:
 * addresses such as `$directory` are no dataclasses. Throws `Refusal` for other names.
 */
export async function knownClass(
  link: Link,
  name: string,
  signal?: AbortSignal,
): Promise<KnownClass> {
  const classes = await readCatalog(link, signal)
  const model = classes.find((each) => each.name === name)
  if (model === undefined)
    throw new Refusal(404, [
      classes.length === 0
        ? `The "${name}" dataclass cannot be found: the caller may see none.`
        : `There is no dataclass "${name}". Dataclasses: ${classes.map((each) => each.name).join(', ')}.`,
    ])
  return { ...model, classes }
}

/** Proxies decode these, and then they end a part of an address. */
const SEPARATOR = /[\p{Cc}/\\?#%]/u

/**
 * The attribute that a path begins with. Throws `Refusal` for a name that is none, and for a path
 * that a proxy could read as several parts of an address.
 */
export function knownAttribute(model: ClassFacts, path: string): AttributeFacts {
  const [name = ''] = path.split('.')
  if (SEPARATOR.test(path))
    throw new Refusal(400, [`"${path}" is not a path: its names are separated by ".".`])
  const attribute = model.attributes.find((each) => each.name === name)
  if (attribute === undefined)
    throw new Refusal(404, [
      `${model.name} has no attribute "${name}". Attributes: ${model.attributes.map((each) => each.name).join(', ')}.`,
    ])
  return attribute
}

/** The attribute at the end of a path along relations; null if the caller knows none there. */
export function attributeAt(model: KnownClass, path: string): AttributeFacts | null {
  let found: AttributeFacts | null = null
  let at: ClassFacts | undefined = model
  for (const name of path.split('.')) {
    found = at?.attributes.find((each) => each.name === name) ?? null
    at = model.classes.find((each) => each.name === found?.type)
  }
  return found
}

function factsOf(attribute: unknown, byCollection: ReadonlyMap<unknown, string>): AttributeFacts {
  const type = property(attribute, 'type')
  const notes = (
    [
      ['indexed', 'indexed'],
      ['unique', 'unique'],
      ['not_null', 'not null'],
      ['readOnly', 'read-only'],
      ['simpleDate', 'without a time'],
    ] as const
  ).flatMap(([name, note]) => (property(attribute, name) === true ? [note] : []))
  const path = property(attribute, 'path')
  const kind = KINDS.get(property(attribute, 'kind')) ?? 'stored'
  return {
    name: String(property(attribute, 'name')),
    type: byCollection.get(type) ?? String(type),
    kind,
    isDay: property(attribute, 'simpleDate') === true,
    notes: kind === 'alias' && typeof path === 'string' ? [...notes, `= ${path}`] : notes,
  }
}
