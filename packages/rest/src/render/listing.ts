import {
  ENTITIES_PER_SLICE,
  type EntityRecord,
  fitsOneSlice,
  joinSliced,
  MAX_ENTITIES_AT_ONCE,
  type NextSlice,
  type Projection,
  type RemoveOutcome,
  type WriteOutcome,
} from '@entia/engine'
import { errorsOf } from '../endpoints/context/answer.ts'
import { renderRow } from './dashboard.ts'
import { EntityRenderer, type RenderOptions, showMoreThan } from './entity.ts'
import type { EntityForm } from './layout.ts'
import type { WholeAnswer } from './render.ts'
import { refuseTooLong } from './serialize.ts'
import { renderOutcome } from './written.ts'

/** What an answer lists: entities, the rows of a dashboard, or the outcomes of a change. */
interface Listing {
  readonly items: readonly unknown[]
  readonly textOf: (item: unknown) => string
  /** How records are shown, which may show others inline; null for other items. */
  readonly shown: Shown | null
}
interface Shown {
  readonly renderer: EntityRenderer
  readonly projection: Projection
  readonly form: EntityForm
}

const listing = <T>(
  items: readonly T[],
  textOf: (item: T) => string,
  shown: Shown | null = null,
): Listing => ({ items, textOf: textOf as Listing['textOf'], shown })

/** A member that was deleted since keeps its position, without content. */
const memberText = (text: string | undefined): string => text ?? '{"__STAMP":0}'

/** Null for an answer that lists nothing. */
export function listingOf(answer: WholeAnswer, options: RenderOptions): Listing | null {
  switch (answer.kind) {
    case 'entity': {
      const { record, projection, globalStamp } = answer
      if (record === null) return null
      const renderer = new EntityRenderer(options, globalStamp)
      const textOf = (one: EntityRecord): string => renderer.renderSingle(one, projection)
      return listing([record], textOf, { renderer, projection, form: 'read' })
    }
    case 'selection': {
      const { page, projection, isArray } = answer
      if (page.texts !== null) return listing(page.texts, memberText)
      const form = isArray ? 'plain' : 'read'
      const renderer = new EntityRenderer(options, page.globalStamp)
      const textOf = (record: EntityRecord | null): string =>
        memberText(record === null ? undefined : renderer.render(record, projection, form))
      return listing(page.records, textOf, { renderer, projection, form })
    }
    case 'dashboard':
      return listing(answer.rows, (row) => renderRow(row, answer))
    case 'written':
    case 'removed': {
      const { projection } = answer
      const { outcomes, globalStamp } = answer.answer
      // Nothing to say about each.
      if (answer.kind === 'removed' && errorsOf(outcomes).length === 0) return null
      const isIso = answer.kind === 'written' && answer.isoTimestamps
      const renderer = new EntityRenderer(options, globalStamp, isIso)
      return listing<WriteOutcome | RemoveOutcome>(outcomes, (outcome) =>
        renderOutcome(outcome, projection, renderer),
      )
    }
    default:
      return null
  }
}

/** True for a listing with enough entities to be written in several time slices. */
export const isLarge = ({ items, shown }: Listing): boolean =>
  shown === null
    ? !fitsOneSlice(items.length)
    : showMoreThan(MAX_ENTITIES_AT_ONCE, items as readonly EntityRecord[], shown.projection)

/** Additional options for large answers. */
export interface Slicing {
  /** Yields between time slices; its errors end the rendering. */
  readonly nextSlice: NextSlice
  /** The longest answer. A longer one is refused as soon as that is known. */
  readonly maxCharacters: number
  /** Called with the characters that the answer has at least. Its errors end the rendering. */
  readonly grow: (characters: number) => void
}

/** Entities after which the length of a page is estimated again. */
const MEMBERS_PER_ESTIMATE = 50

/** The texts of a listing, several to one, written in time slices. Throws budgetExceeded. */
export async function textsInSlices(
  answer: WholeAnswer,
  { items, textOf, shown }: Listing,
  { nextSlice, maxCharacters, grow }: Slicing,
): Promise<readonly string[]> {
  const isPage = answer.kind === 'selection'
  if (shown === null) {
    if (isPage) grow(answer.page.texts?.reduce((sum, text) => sum + (text?.length ?? 0), 0) ?? 0)
    return joinSliced(items, textOf, nextSlice)
  }
  const { renderer, projection, form } = shown
  const pieces: string[] = []
  let texts: string[] = []
  let rendered = 0
  let characters = 0
  const endSlice = async (): Promise<void> => {
    if (texts.length > 0) pieces.push(texts.join(','))
    texts = []
    await nextSlice()
  }
  for (const [at, record] of (items as readonly (EntityRecord | null)[]).entries()) {
    if (record !== null)
      for (const _ of renderer.renderInline({ record, projection }, form))
        if (++rendered % ENTITIES_PER_SLICE === 0) await endSlice()
    const text = textOf(record)
    texts.push(text)
    characters += text.length
    if (isPage) refuseTooLong(characters, maxCharacters)
    // A page of which a part is rendered will need the space of the whole page.
    const shown = at + 1
    if (shown % MEMBERS_PER_ESTIMATE === 0) grow((characters / shown) * items.length)
    if (++rendered % ENTITIES_PER_SLICE === 0) await endSlice()
  }
  return texts.length > 0 ? [...pieces, texts.join(',')] : pieces
}
