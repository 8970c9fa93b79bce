import type { AnySelection, TextForm } from '@entia/core'
import type { PageAnswer } from '../engine/engine.ts'
import type { StoredEntity } from './stored-entity.ts'

export type Shown = Pick<PageAnswer, 'records' | 'texts'>

/** Member by member: spreading the two objects takes longer than finding the page. */
export function pageAnswer(
  {
    globalStamp,
    count,
    condition,
    trace,
    explain,
  }: Omit<PageAnswer, 'records' | 'texts' | 'entitySetId'>,
  { records, texts }: Shown,
  entitySetId: string | null,
): PageAnswer {
  return { globalStamp, entitySetId, count, records, texts, condition, trace, explain }
}

/** The members of a page, or their texts, or a selection of their keys in page order. */
export type ShownPage =
  | { readonly kind: 'members'; readonly members: readonly (StoredEntity | undefined)[] }
  | { readonly kind: 'texts'; readonly texts: readonly (string | undefined)[] }
  | {
      readonly kind: 'list'
      readonly form: TextForm
      readonly count: number
      readonly list: AnySelection
    }
