/**
 * How an adapter writes entities as text: the pieces in order, then `end`. A store compiles a form
 * at its first use, so create a form once and reuse it. Its functions must be pure: their results
 * are cached.
 */
export interface TextForm {
  readonly pieces: readonly TextPiece[]
  readonly end: string
}

/** `head`, followed by the text of a value. `write` gets values as entities show them. */
export type TextPiece =
  /** A stored attribute; JSON without `write`. */
  | {
      readonly kind: 'value'
      readonly head: string
      readonly attribute: string
      readonly write?: (value: unknown) => string
    }
  /** A stored attribute, or null for none, written together with key, stamp or timestamp. */
  | {
      readonly kind: 'marked'
      readonly head: string
      readonly attribute: string | null
      readonly write: (value: unknown, marks: TextMarks) => string
    }
  /** The key of a to-one relation; null if the reader may not see its target. */
  | {
      readonly kind: 'relatedKey'
      readonly head: string
      readonly relation: string
      readonly write: (key: string | number | null) => string
    }

/** One entity as text. `life` and `stamp` identify the state that the text shows. */
export interface EntityText {
  readonly text: string
  /** See `DataClassReader.life`. */
  readonly life: string
  readonly stamp: number
  /** ISO 8601 date-time. */
  readonly timestamp: string
}

/** Key and version of an entity. */
export interface TextMarks {
  readonly key: string | number
  readonly stamp: number
  /** ISO 8601 date-time. */
  readonly timestamp: string
}
