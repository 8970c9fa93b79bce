import { attributeOf, type DataClass, isNumeric, isScalar, type Model } from './model.ts'
import type { Place } from './place.ts'

/**
 * What an address names that does not exist; null if a selection can be shown. Names of an address
 * become the path of a request only after this check.
 */
export function unknownIn({ dataClass, via, set }: Place, model: Model): string | null {
  if (dataClass === null) return null
  if (!model.classes.has(dataClass)) return `There is no dataclass "${dataClass}".`
  // An id of another form would be a path of its own: the browser resolves `..`.
  if (set !== null && !/^[A-Za-z0-9]+$/.test(set)) return `There is no entity set "${set}".`
  for (const [at, step] of via.entries()) {
    const relation = attributeOf(model.classes.get(step.dataClass), step.relation)
    const leadsTo = via[at + 1]?.dataClass ?? dataClass
    if (relation?.kind !== 'relatedEntities' || relation.target !== leadsTo)
      return `There is no relation "${step.dataClass}.${step.relation}" that leads to "${leadsTo}".`
  }
  return null
}

/**
 * The place without what its dataclass cannot be sorted by, shown with, or drawn by: the server
 * would refuse it, and each address that follows would repeat it.
 */
export function knownPlace(place: Place, model: Model): Place {
  const dataClass = model.classes.get(place.dataClass ?? '')
  if (dataClass === undefined) return place
  const columns = place.columns?.filter((name) => attributeOf(dataClass, name) !== undefined) ?? []
  const terms = place.order.split(',').map((term) => term.trim())
  const order = terms.filter((term) => isOrderTerm(term, dataClass, model)).join(', ')
  const { chart } = place
  const [x, y] = [chart?.x, chart?.y].map((name) => attributeOf(dataClass, name ?? ''))
  const isChart = x !== undefined && isScalar(x) && (chart?.how === 'count' || (y && isNumeric(y)))
  return {
    ...place,
    columns: columns.length === 0 ? null : columns,
    widths: place.widths.filter(([name]) => attributeOf(dataClass, name) !== undefined),
    order,
    chart: isChart ? chart : null,
  }
}

function isOrderTerm(term: string, dataClass: DataClass, model: Model): boolean {
  const [path = '', direction = 'asc', ...rest] = term.split(/\s+/)
  if (rest.length > 0 || !/^(asc|desc)$/i.test(direction)) return false
  return isSortable(path.split('.'), dataClass, model)
}

/** A single value, a property of an object, or one of these behind to-one relations. */
function isSortable(
  [name = '', ...rest]: readonly string[],
  dataClass: DataClass | undefined,
  model: Model,
): boolean {
  const attribute = attributeOf(dataClass, name)
  if (attribute === undefined) return false
  if (rest.length === 0) return isScalar(attribute)
  if (attribute.type === 'object') return true
  const target = model.classes.get(attribute.target ?? '')
  return attribute.kind === 'relatedEntity' && isSortable(rest, target, model)
}
