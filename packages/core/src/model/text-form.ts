/**
 * How entities are written as text, for adapters: the pieces one after the other, then `end`. Compiled for a store when it is first
 * used: make a form once and keep it. Its functions are pure: what they give is kept.
 */
export interface TextForm {
  readonly pieces: readonly TextPiece[]
  readonly end: string
}

/** `head`, and behind it a value: what `write` makes of it. Values are as entities give them. */
export type TextPiece =
  /** Of a stored attribute; without `write` its JSON. */
  | {
      readonly kind: 'value'
      readonly head: string
      readonly attribute: string
      readonly write?: (value: unknown) => string
    }
  /** Of a stored attribute, or none (then null), for a text in which key, stamp or timestamp take part. */
  | {
      readonly kind: 'marked'
      readonly head: string
      readonly attribute: string | null
      readonly write: (value: unknown, marks: TextMarks) => string
    }
  /** The key that a to-one relation holds; null where that is hidden. */
  | {
      readonly kind: 'relatedKey'
      readonly head: string
      readonly relation: string
      readonly write: (key: string | number | null) => string
    }

/** One entity as text, and what identifies the state that it shows: its life and its stamp. */
export interface EntityText {
  readonly text: string
  /** See `DataClassReader.life`. */
  readonly life: string
  readonly stamp: number
  /** ISO 8601 date-time. */
  readonly timestamp: string
}

/** What an entity has beside its attributes. */
export interface TextMarks {
  readonly key: string | number
  readonly stamp: number
  /** ISO 8601 date-time. */
  readonly timestamp: string
}
