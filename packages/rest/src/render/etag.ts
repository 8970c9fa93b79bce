import { fingerprint } from '../door/fingerprint.ts'

/** A state of an entity: its stamp is given once in each of its lives. */
interface EntityState {
  readonly stamp: number
  readonly life: string
}

/**
 * The ETag of an answer that shows one entity. It begins with the stamp, so that `If-Match` can be written by hand; the life and the text make it
 * vouch for exactly the bytes that are sent, whatever attributes were asked for.
 */
export const entityEtag = ({ stamp, life }: EntityState, body: string): string =>
  `"${stamp}-${life}-${fingerprint(body)}"`

/** The ETag of an image or BLOB: its content changes only with the entity, and each format has an address of its own. */
export const mediaEtag = ({ stamp, life }: EntityState): string => `"${stamp}-${life}"`
