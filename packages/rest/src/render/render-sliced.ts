import {
  ENTITIES_PER_SLICE,
  fitsOneSlice,
  joinSliced,
  MAX_ENTITIES_AT_ONCE,
  type NextSlice,
  type RemoveOutcome,
  type WriteOutcome,
} from '@entia/engine'
import type { Answer } from '../endpoints/context/answer.ts'
import { renderRow } from './dashboard.ts'
import { EntityRenderer, type RenderOptions, showMoreThan } from './entity.ts'
import { memberText, type Prerendered, renderAnswer, type WholeAnswer } from './render.ts'
import { type Reply, refuseTooLong } from './serialize.ts'
import { changeRenderer, renderOutcome } from './written.ts'

/** Additional options for large answers. */
export interface Slicing {
  /** Yields between time slices; its errors end the rendering. */
  readonly nextSlice: NextSlice
  /** The longest answer. A longer one is refused as soon as that is known. */
  readonly maxCharacters: number
  /** Called with the characters that the answer has at least. Its errors end the rendering. */
  readonly grow: (characters: number) => void
}

/** True for an answer with enough entities to be rendered in several time slices. */
export function isLarge(answer: Answer): boolean {
  switch (answer.kind) {
    case 'entity':
      return (
        answer.record !== null &&
        showMoreThan(MAX_ENTITIES_AT_ONCE, [answer.record], answer.projection)
      )
    case 'selection':
      return answer.page.texts === null
        ? showMoreThan(MAX_ENTITIES_AT_ONCE, answer.page.records, answer.projection)
        : !fitsOneSlice(answer.page.texts.length)
    case 'dashboard':
      return !fitsOneSlice(answer.rows.length)
    case 'written':
    case 'removed':
      return !fitsOneSlice(answer.answer.outcomes.length)
    default:
      return false
  }
}

/**
 * The same reply as that of `renderAnswer`, rendered in several time slices. Throws budgetExceeded.
 */
export async function renderSliced(
  answer: WholeAnswer,
  options: RenderOptions,
  slicing: Slicing,
): Promise<Reply> {
  return renderAnswer(answer, options, await makeAhead(answer, options, slicing))
}

async function makeAhead(
  answer: Answer,
  options: RenderOptions,
  slicing: Slicing,
): Promise<Prerendered> {
  switch (answer.kind) {
    case 'entity': {
      const { record, projection } = answer
      const entities = new EntityRenderer(options, answer.globalStamp)
      let rendered = 0
      if (record === null) return {}
      for (const _ of entities.renderInline({ record, projection }, 'read'))
        if (++rendered % ENTITIES_PER_SLICE === 0) await slicing.nextSlice()
      return { entities }
    }
    case 'selection': {
      const { texts } = answer.page
      if (texts === null) return { items: await renderMembers(answer, options, slicing) }
      slicing.grow(texts.reduce((sum, text) => sum + (text?.length ?? 0), 0))
      return { items: await joinSliced(texts, memberText, slicing.nextSlice) }
    }
    case 'dashboard':
      return {
        items: await joinSliced(answer.rows, (row) => renderRow(row, answer), slicing.nextSlice),
      }
    case 'written':
    case 'removed': {
      const { outcomes } = answer.answer
      const entities = changeRenderer(answer, options)
      const write = (each: WriteOutcome | RemoveOutcome) =>
        renderOutcome(each, answer.projection, entities)
      return {
        items: await joinSliced<WriteOutcome | RemoveOutcome>(outcomes, write, slicing.nextSlice),
      }
    }
    default:
      return {}
  }
}

/** Entities after which the length of a page is estimated again. */
const MEMBERS_PER_ESTIMATE = 50

/** The entities of a page, one text per time slice. */
async function renderMembers(
  answer: Extract<Answer, { kind: 'selection' }>,
  options: RenderOptions,
  { nextSlice, maxCharacters, grow }: Slicing,
): Promise<readonly string[]> {
  const { projection, isArray } = answer
  const { records, globalStamp } = answer.page
  const entities = new EntityRenderer(options, globalStamp)
  const form = isArray ? 'plain' : 'read'
  const pieces: string[] = []
  let texts: string[] = []
  let rendered = 0
  let characters = 0
  let shown = 0
  const endSlice = async (): Promise<void> => {
    if (texts.length > 0) pieces.push(texts.join(','))
    texts = []
    await nextSlice()
  }
  for (const record of records) {
    const inline = record === null ? [] : entities.renderInline({ record, projection }, form)
    for (const _ of inline) if (++rendered % ENTITIES_PER_SLICE === 0) await endSlice()
    const text = memberText(record === null ? undefined : entities.render(record, projection, form))
    texts.push(text)
    characters += text.length
    refuseTooLong(characters, maxCharacters)
    // A page of which a part is rendered will need the space of the whole page.
    shown++
    if (shown % MEMBERS_PER_ESTIMATE === 0) grow((characters / shown) * records.length)
    if (++rendered % ENTITIES_PER_SLICE === 0) await endSlice()
  }
  return texts.length > 0 ? [...pieces, texts.join(',')] : pieces
}
