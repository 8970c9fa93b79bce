/** A state of an entity: its stamp is given once in each of its lives. */
interface EntityState {
  readonly stamp: number
  readonly life: string
}

/**
 * The ETag of an answer that shows one entity, and nothing but that entity. It begins with the stamp, so that `If-Match` can be
 * written by hand. With the life it names a state of the entity; `print` names what is shown of it, and how. So it vouches for
 * exactly the bytes that are sent, without a look at them.
 */
export const entityEtag = ({ stamp, life }: EntityState, print: string): string => `"${stamp}-${life}-${print}"`

/** The ETag of an image or BLOB: its content changes only with the entity, and each format has an address of its own. */
export const mediaEtag = ({ stamp, life }: EntityState): string => `"${stamp}-${life}"`
