import { EntiaError } from '../errors.ts'
import { both } from '../filter/draft.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { rewrite } from '../plan/rewrite.ts'
import type { Provenance } from '../selection/provenance.ts'
import type { Shown } from './live-shown.ts'

/** What a live query asks. */
export interface LiveSource {
  readonly dataClass: ClassModel
  /** With the row rules of the caller. */
  readonly predicate: Predicate
  readonly orderBy: OrderBy | null
  /** Not null for a page of it. */
  readonly page: { readonly skip: number; readonly top: number } | null
  /** What the caller shows of related entities. */
  readonly shown: readonly Shown[]
}

/**
 * The query that repeats a selection. Throws `argumentInvalid` if the selection was not created by
 * a query.
 */
export function liveSource(
  dataClass: ClassModel,
  provenance: Provenance | null,
  page: { readonly skip: number; readonly top: number } | null,
  shown: readonly Shown[],
): LiveSource {
  const query = queryOf(provenance)
  if (query !== null)
    return { dataClass, predicate: rewrite(query.predicate), orderBy: query.orderBy, page, shown }
  throw new EntiaError('argumentInvalid', {
    argument: 'A live selection',
    expected:
      'the result of one filter on a dataclass or a relation, ordered or not, or a page of it',
    found:
      provenance === null
        ? 'a selection from keys or an entity set, or a combination of selections: use one filter instead'
        : 'a selection derived from a page: take the page last',
  })
}

/**
 * Equal for sources of one reader exactly if dataclass, predicate, order and page are equal. Cost:
 * O(predicate).
 */
export function textOfSource({ dataClass, predicate, orderBy, page }: LiveSource): string {
  const terms = orderBy?.map(({ steps, attribute, properties, descending }) => [
    [...steps, attribute].map(({ name }) => name),
    properties,
    descending,
  ])
  return JSON.stringify([dataClass.name, predicate, terms, page], nameOfModel)
}

/** Predicates hold attributes of the model under these names; a name says which one it is. */
const nameOfModel = (member: string, value: unknown): unknown =>
  member === 'attribute' || member === 'relation' ? (value as { name: string }).name : value

interface Query {
  readonly predicate: Predicate
  readonly orderBy: OrderBy | null
}

/**
 * A query within a selection satisfies both filters. Its own order replaces that of the selection.
 */
function queryOf(provenance: Provenance | null): Query | null {
  if (provenance === null || provenance.isPart === true) return null
  const { predicate, orderBy, within, outer } = provenance
  if (within === undefined) return { predicate, orderBy }
  const around = queryOf(outer ?? null)
  if (around === null) return null
  return { predicate: both([around.predicate, predicate]), orderBy: orderBy ?? around.orderBy }
}
