import type { Catalog, ClassModel } from '@entia/core'

/** Something worth opening in a browser. */
export interface Address {
  readonly title: string
  /** Behind the base path, as it reads: `Flight?$filter="delay > 60"&$top=10`. */
  readonly path: string
}

/** Three addresses for any store: its catalog, the first entities of a dataclass, and the plan of a query. */
export function addressesOf(catalog: Catalog): readonly Address[] {
  const catalogAddress = { title: 'The catalog: every dataclass and its attributes', path: '$catalog/$all' }
  const dataClass = mostRelated(catalog.classes.filter((one) => one.exposed))
  if (dataClass === undefined) return [catalogAddress]
  const path = `${dataClass.name}?$filter="${queryOf(dataClass)}"&$top=10`
  return [
    catalogAddress,
    { title: `Ten entities of ${dataClass.name}`, path: `${dataClass.name}?$top=10` },
    { title: 'A query with its plan', path: `${path}&$queryplan=true` },
  ]
}

/** The dataclass with the most to-one relations: its queries have the plans worth seeing. */
function mostRelated(classes: readonly ClassModel[]): ClassModel | undefined {
  let best: ClassModel | undefined
  for (const one of classes) {
    if (best === undefined || toOneRelations(one).length > toOneRelations(best).length) best = one
  }
  return best
}

function toOneRelations(dataClass: ClassModel) {
  return [...dataClass.attributes.values()].filter(
    (attribute) => attribute.kind === 'relatedEntity' && attribute.exposed && attribute.target.exposed,
  )
}

function queryOf(dataClass: ClassModel): string {
  const [relation] = toOneRelations(dataClass)
  const path = relation?.kind === 'relatedEntity' ? `${relation.name}.${relation.target.key.name}` : dataClass.key.name
  return `${path} != null`
}
