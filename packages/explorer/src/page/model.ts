/** One attribute as the catalog describes it. */
export interface Attribute {
  readonly name: string
  readonly kind: 'storage' | 'relatedEntity' | 'relatedEntities' | 'calculated' | 'alias'
  /** `string`, `long`, `date` …; for a relation, the related dataclass. */
  readonly type: string
  /** The related dataclass; null for other attributes. */
  readonly target: string | null
  /**
   * The foreign key attribute of a to-one relation, if it is a separate attribute; otherwise null.
   */
  readonly foreignKey: string | null
  /** The to-one relation of the related dataclass that a to-many relation reverses. */
  readonly inverse: string | null
  readonly dateOnly: boolean
  readonly indexed: boolean
  /** Whether an index of its words answers `%`. */
  readonly words: boolean
  readonly unique: boolean
  readonly notNull: boolean
  readonly readOnly: boolean
  readonly isKey: boolean
  readonly autoSequence: boolean
}

export interface DataClass {
  readonly name: string
  /** The name of the key attribute; null if the catalog has none. */
  readonly key: string | null
  /** The attribute that names an entity for people, if the model chooses one. */
  readonly label: string | null
  readonly attributes: readonly Attribute[]
}

/** The dataclasses in the order of the catalog. */
export interface Model {
  readonly name: string
  /** Whether the server answers `$live=true`. */
  readonly offersLive: boolean
  /** Whether the server has `$operator` for some callers. */
  readonly offersOperators: boolean
  readonly classes: ReadonlyMap<string, DataClass>
}

type Members = Readonly<Record<string, unknown>>

/** Reads the response of `$catalog/$all`. Skips malformed parts and never guesses. */
export function readModel(catalog: unknown): Model {
  const top = membersOf(catalog)
  const described = listOf(top.dataClasses).map(membersOf)
  const bySelection = new Map(
    described.map((one) => [textOf(one.collectionName), textOf(one.name)]),
  )
  const classes = described.map((one) => {
    const key = textOf(membersOf(listOf(one.key)[0]).name) || null
    const attributes = listOf(one.attributes).map((attribute) =>
      readAttribute(membersOf(attribute), key, bySelection),
    )
    const label = textOf(membersOf(one.extraProperties).label) || null
    return { name: textOf(one.name), key, label, attributes }
  })
  return {
    name: textOf(top.__NAME),
    offersLive: membersOf(top.properties).supportLiveQueries === true,
    offersOperators: membersOf(top.properties).supportOperators === true,
    classes: new Map(classes.map((one) => [one.name, one])),
  }
}

function readAttribute(
  one: Members,
  key: string | null,
  bySelection: ReadonlyMap<string, string>,
): Attribute {
  const kind = kindOf(one.kind)
  const type = textOf(one.type)
  const target =
    kind === 'relatedEntity'
      ? type
      : kind === 'relatedEntities'
        ? (bySelection.get(type) ?? null)
        : null
  return {
    name: textOf(one.name),
    kind,
    type: target ?? type,
    target,
    foreignKey: textOf(one.foreignKey) || null,
    inverse: kind === 'relatedEntities' ? textOf(one.path) || null : null,
    dateOnly: one.simpleDate === true,
    indexed: one.indexed === true,
    words: one.words === true,
    unique: one.unique === true,
    notNull: one.not_null === true,
    readOnly: one.readOnly === true || kind === 'relatedEntities',
    isKey: one.name === key,
    autoSequence: one.autosequence === true,
  }
}

function kindOf(value: unknown): Attribute['kind'] {
  switch (value) {
    case 'relatedEntity':
    case 'relatedEntities':
    case 'calculated':
    case 'alias':
      return value
    default:
      return 'storage'
  }
}

/** The members of an object; an empty object for any other value. */
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Whether a cell of this attribute can be edited in the grid. */
export function isEditable({ kind, type, readOnly, isKey }: Attribute): boolean {
  const isStored = kind === 'storage' || kind === 'relatedEntity'
  return isStored && !readOnly && !isKey && type !== 'image' && type !== 'blob'
}

export function attributeOf(dataClass: DataClass | undefined, name: string): Attribute | undefined {
  return dataClass?.attributes.find((attribute) => attribute.name === name)
}

/** Whether `sum` and `average` apply. */
export function isNumeric({ type }: Attribute): boolean {
  return type === 'long' || type === 'long64' || type === 'number' || type === 'duration'
}

/** Whether it is a single value: not a relation, object, image or BLOB. */
export function isScalar({ target, type }: Attribute): boolean {
  return target === null && type !== 'object' && type !== 'image' && type !== 'blob'
}

/**
 * The default columns: single values, relations and images. A foreign key is shown only without its
 * relation.
 */
export function defaultColumns({ attributes, key }: DataClass): readonly string[] {
  const foreignKeys = new Set(attributes.map(({ foreignKey }) => foreignKey))
  return attributes
    .filter(
      ({ type, name }) =>
        type !== 'object' && type !== 'blob' && (name === key || !foreignKeys.has(name)),
    )
    .map(({ name }) => name)
}
