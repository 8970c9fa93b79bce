import { EntiaError } from '../errors.ts'
import { both } from '../filter/draft.ts'
import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import { rewrite } from '../plan/rewrite.ts'
import type { Provenance } from '../selection/provenance.ts'

/** What a live query asks. */
export interface LiveSource {
  readonly dataClass: ClassModel
  /** With the row rules of the caller. */
  readonly predicate: Predicate
  readonly orderBy: OrderBy | null
  /** Not null for a page of it. */
  readonly page: { readonly skip: number; readonly top: number } | null
}

/** What has to be asked again to have a selection again. Throws `argumentInvalid` where it was no query that made it. */
export function liveSource(
  dataClass: ClassModel,
  provenance: Provenance | null,
  page: { readonly skip: number; readonly top: number } | null,
): LiveSource {
  const asked = questionOf(provenance)
  if (asked !== null) return { dataClass, predicate: rewrite(asked.predicate), orderBy: asked.orderBy, page }
  throw new EntiaError('argumentInvalid', {
    argument: 'A selection that is to be live',
    expected: 'what one filter asks of a dataclass or of a relation, in an order or not, or a page of that',
    found:
      provenance === null
        ? 'one of keys, of an entity set, or combined of several: say it in one filter'
        : 'one made of a page: take the page last',
  })
}

interface Question {
  readonly predicate: Predicate
  readonly orderBy: OrderBy | null
}

/** A query within another asks for both; its order is the inner one's, else the outer one's. */
function questionOf(provenance: Provenance | null): Question | null {
  if (provenance === null || provenance.isPart === true) return null
  const { predicate, orderBy, within, outer } = provenance
  if (within === undefined) return { predicate, orderBy }
  const around = questionOf(outer ?? null)
  if (around === null) return null
  return { predicate: both([around.predicate, predicate]), orderBy: orderBy ?? around.orderBy }
}
