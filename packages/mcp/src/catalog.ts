import { type Link, property } from './entity-interface.ts'

export interface AttributeFacts {
  readonly name: string
  /** A scalar type, or the name of the related dataclass. */
  readonly type: string
  readonly kind: 'stored' | 'computed' | 'alias' | 'toOne' | 'toMany'
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

function factsOf(attribute: unknown, byCollection: ReadonlyMap<unknown, string>): AttributeFacts {
  const type = property(attribute, 'type')
  const notes = (
    [
      ['indexed', 'indexed'],
      ['unique', 'unique'],
      ['not_null', 'not null'],
      ['readOnly', 'read-only'],
    ] as const
  ).flatMap(([name, note]) => (property(attribute, name) === true ? [note] : []))
  const path = property(attribute, 'path')
  const kind = KINDS.get(property(attribute, 'kind')) ?? 'stored'
  return {
    name: String(property(attribute, 'name')),
    type: byCollection.get(type) ?? String(type),
    kind,
    notes: kind === 'alias' && typeof path === 'string' ? [...notes, `= ${path}`] : notes,
  }
}
