import type { Database } from '../execute/database.ts'
import type {
  AttributeModel,
  ClassModel,
  RelationAttribute,
  StorageAttribute,
} from '../model/catalog.ts'
import { findAttribute, isRelation, resolvePath, type Sees } from '../model/path.ts'
import type { Scope } from '../selection/selection-port.ts'
import type { Watch } from './live-dispatch.ts'
import { addPlace, addReads, type Place, placeAt } from './live-watches.ts'

/** A value of a related entity that the caller shows; null for everything about the entity. */
export interface Shown {
  readonly steps: readonly RelationAttribute[]
  readonly attribute: StorageAttribute | null
}

/** What an entity has beside its attributes. */
const MARKS: ReadonlySet<string> = new Set(['stamp', 'timestamp'])

/**
 * What a list of paths shows of related entities: `lastName, employer.name, staff.*`. A path that
 * ends with a relation means everything about the related entities. Throws `attributeNotFound`,
 * `attributeNotApplicable`, `budgetExceeded`.
 */
export function shownOf(dataClass: ClassModel, text: string, sees: Sees): readonly Shown[] {
  const shown: Shown[] = []
  for (const part of text.split(',')) {
    const path = part.trim()
    const dot = path.lastIndexOf('.')
    const [before, last] = [path.slice(0, Math.max(0, dot)), path.slice(dot + 1)]
    const at = before === '' ? { steps: [], target: dataClass } : relatedAt(dataClass, before, sees)
    if (at !== null && (path === '' || last === '*')) addValues(shown, at.steps, at.target, sees)
    else if (at !== null && MARKS.has(last) && findAttribute(at.target, last) === undefined)
      shown.push({ steps: at.steps, attribute: null })
    else {
      const whole = last === '*' ? before : path
      const { steps, attribute } = resolvePath(dataClass, whole, sees)
      add(shown, steps, attribute)
    }
  }
  return shown.filter(({ steps }) => steps.length > 0)
}

interface Related {
  readonly steps: readonly RelationAttribute[]
  readonly target: ClassModel
}

/** The dataclass that a path leads to; null for a path that ends with a value. */
function relatedAt(dataClass: ClassModel, path: string, sees: Sees): Related | null {
  const { steps, attribute } = resolvePath(dataClass, path, sees)
  if (!isRelation(attribute)) return null
  return { steps: [...steps, attribute], target: attribute.target }
}

function addValues(
  shown: Shown[],
  steps: readonly RelationAttribute[],
  { attributes }: ClassModel,
  sees: Sees,
): void {
  for (const attribute of attributes.values()) {
    if (!sees(attribute) || isRelation(attribute)) continue
    if (attribute.kind === 'alias') add(shown, [...steps, ...attribute.steps], attribute.target)
    else add(shown, steps, attribute)
  }
}

/** A computed attribute may read anything of its entity. */
function add(
  shown: Shown[],
  steps: readonly RelationAttribute[],
  attribute: Exclude<AttributeModel, { readonly kind: 'alias' }>,
): void {
  if (isRelation(attribute)) shown.push({ steps: [...steps, attribute], attribute: null })
  else shown.push({ steps, attribute: attribute.kind === 'storage' ? attribute : null })
}

/**
 * The related records whose changes may change what the caller shows of its own records. A caller
 * who does not see all entities also depends on what its row rules read.
 */
export function shownWatches(
  database: Database,
  scope: Scope,
  dataClass: ClassModel,
  shown: readonly Shown[],
): readonly Watch[] {
  const root = placeAt(dataClass)
  const places: Place[] = [root]
  const known = new Map<string, Place>()
  const whole = new Set<Place>()
  for (const { steps, attribute } of shown) {
    let place = root
    let name = ''
    for (const step of steps) {
      name += `.${step.name}`
      let next = known.get(name)
      if (next === undefined) {
        next = addPlace(step, null, place, places)
        known.set(name, next)
        const rows = scope.rowsOf(step.target)
        if (rows !== null && !addReads(rows, next, places)) whole.add(next)
      }
      place = next
    }
    if (attribute === null) whole.add(place)
    else place.columns.add(attribute.ordinal)
  }
  return places.slice(1).map((place) => ({
    table: database.tableOf(place.dataClass),
    name: [dataClass, ...place.path].map((each) => each.name).join('.'),
    path: place.path,
    columns: whole.has(place) ? null : place.columns,
    test: null,
    use: 'shown',
    anchors: null,
  }))
}
