import type { Catalog, ClassModel, ConditionNode, StorageAttribute } from '@entia/core'
import { isIndexable } from '@entia/core/internal'
import type { ShapeFigures } from './shapes.ts'

/** A change of the model that would make slow reads faster. */
export interface IndexAdvice {
  readonly dataClass: string
  readonly attribute: string
  /** What to write into the definition. */
  readonly change: 'indexed: true'
  /** Slow reads that it concerns, and their milliseconds together. */
  readonly reads: number
  readonly milliseconds: number
  readonly reason: string
  /** Entities that such a read looks at and that it finds, about; null if that is not known. */
  readonly looksAt: number | null
  readonly finds: number | null
}

/** Above this part of the entities an index finds hardly faster than a scan. */
const MOST = 0.2
/** Below this number of entities a scan is short. */
const FEW_ENTITIES = 1000

/**
 * Indexes that slow reads would have used, the one that concerns the most time first. Only what was
 * observed counts: the gain itself is not estimated.
 */
export function indexAdvice(
  catalog: Catalog,
  shapes: readonly ShapeFigures[],
): readonly IndexAdvice[] {
  const found = new Map<string, { advice: IndexAdvice; slowest: number }>()
  for (const shape of shapes)
    for (const [attribute, facts] of adviceOf(catalog, shape)) {
      const key = `${attribute.owner.name}.${attribute.name}`
      const known = found.get(key)
      const advice: IndexAdvice = {
        dataClass: attribute.owner.name,
        attribute: attribute.name,
        change: 'indexed: true',
        reads: (known?.advice.reads ?? 0) + shape.calls,
        milliseconds: (known?.advice.milliseconds ?? 0) + shape.milliseconds,
        // Those of the shape that took the most time.
        ...(known !== undefined && known.slowest >= shape.milliseconds
          ? factsOf(known.advice)
          : facts),
      }
      found.set(key, { advice, slowest: Math.max(known?.slowest ?? 0, shape.milliseconds) })
    }
  return Array.from(found.values(), ({ advice }) => advice).sort(
    (a, b) => b.milliseconds - a.milliseconds,
  )
}

type Facts = Pick<IndexAdvice, 'reason' | 'looksAt' | 'finds'>

const factsOf = ({ reason, looksAt, finds }: IndexAdvice): Facts => ({ reason, looksAt, finds })

function adviceOf(
  catalog: Catalog,
  shape: ShapeFigures,
): readonly (readonly [StorageAttribute, Facts])[] {
  const { condition, plan, calls, milliseconds, counted, found, filter, orderBy } = shape
  if (plan !== null && (!plan.readsEverything || plan.entities < FEW_ENTITIES)) return []
  const mean = counted === 0 ? null : found / counted
  const isMost = plan !== null && mean !== null && mean > plan.entities * MOST
  const reason =
    `${calls} slow reads of ${shape.dataClass} took ${Math.round(milliseconds / calls)} ms on average` +
    `${filter === null ? '' : `, with the filter ${filter}`}` +
    `${orderBy === null ? '' : `, ordered by ${orderBy}`}` +
    `${plan === null ? '' : `. Each looked at about ${Math.round(plan.entities)} entities`}` +
    `${mean === null ? '' : `${plan === null ? '. Each' : ' and'} found ${Math.round(mean)}`}.`
  const dataClass = catalog.byName.get(shape.dataClass)
  if (dataClass === undefined) return []
  const facts: Facts = {
    reason,
    looksAt: plan === null ? null : Math.round(plan.entities),
    finds: mean === null ? null : Math.round(mean),
  }
  if (condition !== null && !isMost) {
    const attributes = missingIndexes(catalog, condition)
    if (attributes !== null) return attributes.map((each) => [each, facts])
  }
  const ordering = orderBy === null ? null : orderingAttribute(dataClass, orderBy)
  return ordering === null || (condition !== null && !isMost) ? [] : [[ordering, facts]]
}

/**
 * The attributes without an index that would let indexes answer a condition: of one conjunct, or of
 * all parts of a disjunction. Null if no index would; none if one does already.
 */
export function missingIndexes(
  catalog: Catalog,
  node: ConditionNode,
): readonly StorageAttribute[] | null {
  switch (node.kind) {
    case 'comparison': {
      if (node.index !== null) return []
      const attribute = storageOf(catalog, node.dataClass, node.attribute)
      return attribute === null || !isIndexable(node.operator) ? null : [attribute]
    }
    case 'and': {
      const parts = node.parts.flatMap((part) => {
        const missing = missingIndexes(catalog, part)
        return missing === null ? [] : [missing]
      })
      // The fewest new indexes; which conjunct is the most selective is not known.
      return parts.length === 0
        ? null
        : parts.reduce((best, each) => (each.length < best.length ? each : best))
    }
    case 'or': {
      const parts = node.parts.map((part) => missingIndexes(catalog, part))
      return parts.some((part) => part === null)
        ? null
        : [...new Set(parts.flatMap((p) => p ?? []))]
    }
    case 'join':
      return missingIndexes(catalog, node.part)
    case 'not':
      return null
  }
}

/** Null for a computed attribute, a property of an object, and what cannot be indexed. */
function storageOf(catalog: Catalog, dataClass: string, name: string): StorageAttribute | null {
  const attribute = catalog.byName.get(dataClass)?.attributes.get(name)
  if (attribute?.kind !== 'storage') return null
  const isSortable = !['object', 'image', 'blob'].includes(attribute.type)
  return isSortable && !attribute.indexed && !attribute.key ? attribute : null
}

/** The first attribute of an order, if it is one of the dataclass without an index. */
function orderingAttribute({ attributes }: ClassModel, orderBy: string): StorageAttribute | null {
  const [first = ''] = orderBy.trim().split(/[\s,]/)
  const attribute = attributes.get(first)
  if (attribute?.kind !== 'storage' || attribute.indexed || attribute.key) return null
  return ['object', 'image', 'blob'].includes(attribute.type) ? null : attribute
}
