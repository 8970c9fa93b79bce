import type { ClassModel } from '@entia/core'
import { type Access, LocalProjection, LocalSelection, searchText } from '@entia/core/internal'
import { type FilterParts, textOf } from '@entia/core/query'
import { type EntitySetSource, FilterText } from '@entia/engine'
import { repeated, withPublicErrors } from '../engine/bounded-calls.ts'
import { type AskedSet, askedSet } from '../read/asked-set.ts'
import { askedEntities } from '../read/entity-query-sql.ts'
import type { AsyncPort, AsyncRuns } from './sql-user.ts'

/** A selection that is described. */
export interface Described {
  readonly dataClass: ClassModel
  /** The entity set of the members before the filters; null for the whole dataclass. */
  readonly setId: string | null
  readonly filter: FilterParts | null
  /** Words that entities must have; null for none. */
  readonly search: string | null
  readonly orderBy: string | null
  /** The attributes to read; null for whole entities. */
  readonly paths: string | null
}

/** What describes all members of a dataclass or of an entity set. */
export const UNFILTERED = { filter: null, search: null, orderBy: null, paths: null } as const

/** The ids of the entity sets that a run needs. */
export const setsOf = ({ setId }: Described): readonly string[] => (setId === null ? [] : [setId])

/** A selection and what reads it. */
export interface Reading {
  readonly runs: AsyncRuns
  readonly described: Described
}

/** The selection over a store in the process. Throws the errors of the paths. */
export function selectionOver(
  access: Access,
  { dataClass, setId, filter, search, orderBy, paths }: Described,
): LocalSelection {
  const projection = paths === null ? null : new LocalProjection(paths, dataClass)
  // The database has no scores.
  const query = { filter, search, isScored: false, orderBy, projection }
  return new LocalSelection(access, dataClass.name, setId, query)
}

/**
 * The selection, or a page of it, as a question to the database. Throws the errors of its texts.
 */
export async function asked(
  { context, filters }: AsyncPort,
  session: Parameters<typeof askedSet>[2],
  described: Described,
  change: Partial<Pick<EntitySetSource, 'clean' | 'combination'>> = {},
  wanted: Parameters<typeof askedSet>[5] = 'whole',
): Promise<AskedSet> {
  const { dataClass, setId, orderBy } = described
  const criteria = { filter: criteriaText(described, filters), orderBy, saved: null }
  if (setId === null) {
    const source = { kind: 'all', dataClass } as const
    const whole = askedEntities(context.model, filters, { source, ...criteria })
    return { asked: whole, entitySetId: null, remade: null }
  }
  const own = { kind: 'entitySet', dataClass, id: setId, clean: false, combination: null } as const
  const source = { ...own, ...change }
  const ask = () => askedSet(context, filters, session, source, { source, ...criteria }, wanted)
  return withPublicErrors(() => repeated(null, ask))
}

/** The text of the filter and the search. Throws `attributeNotApplicable` as `searchText` does. */
export function criteriaText(
  { dataClass, filter, search }: Pick<Described, 'dataClass' | 'filter' | 'search'>,
  { sees }: Pick<AsyncPort['filters'], 'sees'>,
): FilterText | null {
  const text = filterText(filter)
  if (search === null) return text
  const words = searchText(dataClass, sees, search)
  return text === null ? new FilterText(words, null) : text.and(words)
}

export const filterText = (filter: FilterParts | null): FilterText | null =>
  filter === null ? null : new FilterText(textOf(filter), filter.values)
