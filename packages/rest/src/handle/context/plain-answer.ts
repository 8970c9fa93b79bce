import type { PlainResource } from '../../request/plain-head.ts'
import type { Answer } from './answer.ts'

/** The result of a request of the plain interface. */
export type PlainAnswer =
  | { readonly kind: 'verbs'; readonly allowed: readonly string[] }
  /** All resources, in order. */
  | { readonly kind: 'store'; readonly parts: readonly PlainPart[] }
  | {
      readonly kind: 'part'
      readonly part: PlainPart
      readonly change: 'none' | 'created' | 'saved' | 'removed'
      /** The number and size of the page that `_page` names; null without it. */
      readonly page: { readonly number: number; readonly size: number } | null
      /** The path of the list that a new entity belongs to; null for other requests. */
      readonly listPath: string | null
    }

/** The answer to a request about one resource. */
export interface PlainPart {
  readonly resource: PlainResource
  readonly answer: Extract<Answer, { kind: 'entity' | 'selection' | 'written' | 'removed' }>
}
