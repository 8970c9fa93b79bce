/** The state of an entity: a stamp is unique within a life. */
interface EntityState {
  readonly stamp: number
  readonly life: string
}

/**
 * The ETag of an answer that shows exactly one entity. It starts with the stamp, so that users can
 * write `If-Match` by hand. Stamp and life identify the state of the entity, `print` what is shown
 * and how. Together they identify the bytes of the answer without reading them.
 */
export const entityEtag = ({ stamp, life }: EntityState, print: string): string => `"${stamp}-${life}-${print}"`

/**
 * The ETag of an image or BLOB: its content changes only with the entity, and each format has its
 * own address.
 */
export const mediaEtag = ({ stamp, life }: EntityState): string => `"${stamp}-${life}"`
