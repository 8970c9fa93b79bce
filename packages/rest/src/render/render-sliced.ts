import { ENTITIES_PER_TURN, FEW, isFew, joinInTurns, type NextTurn } from '../engine/time-slices.ts'
import type { Answer } from '../handle/context/answer.ts'
import { renderRow } from './dashboard.ts'
import { EntityRenderer, type RenderOptions } from './entity.ts'
import { showMoreThan } from './inline-records.ts'
import { type MadeAhead, memberText, type Reply, renderAnswer, type WholeAnswer } from './render.ts'
import { refuseTooLong } from './serialize.ts'
import { renderOutcome, renderRemoveOutcome } from './written.ts'

/** What a large answer is rendered with beside what every one is. */
export interface Turning {
  /** Waited for between turns; what it throws ends the rendering. */
  readonly turn: NextTurn
  /** The longest answer; it is refused as soon as it is known to be longer. */
  readonly maxCharacters: number
}

/** True for an answer of so many entities that it is better rendered in several turns. */
export function isLarge(answer: Answer): boolean {
  switch (answer.kind) {
    case 'entity':
      return answer.record !== null && showMoreThan(FEW, [answer.record], answer.projection)
    case 'selection':
      return answer.texts === null ? showMoreThan(FEW, answer.records, answer.projection) : !isFew(answer.texts.length)
    case 'dashboard':
      return !isFew(answer.rows.length)
    case 'written':
    case 'removed':
      return !isFew(answer.answer.outcomes.length)
    default:
      return false
  }
}

/** The same reply as `renderAnswer` gives, made in several turns of the event loop. Throws budgetExceeded. */
export async function renderInTurns(answer: WholeAnswer, options: RenderOptions, turning: Turning): Promise<Reply> {
  return renderAnswer(answer, options, await makeAhead(answer, options, turning))
}

async function makeAhead(answer: Answer, options: RenderOptions, turning: Turning): Promise<MadeAhead> {
  switch (answer.kind) {
    case 'entity': {
      const { record, projection } = answer
      const entities = new EntityRenderer(options, answer.globalStamp)
      let rendered = 0
      if (record === null) return {}
      for (const _ of entities.renderInline({ record, projection }, 'read'))
        if (++rendered % ENTITIES_PER_TURN === 0) await turning.turn()
      return { entities }
    }
    case 'selection': {
      const { texts } = answer
      if (texts === null) return { items: await renderMembers(answer, options, turning) }
      return { items: await joinInTurns(texts, memberText, turning.turn) }
    }
    case 'dashboard':
      return { items: await joinInTurns(answer.rows, (row) => renderRow(row, answer), turning.turn) }
    case 'written':
    case 'removed': {
      const { projection } = answer
      const entities = new EntityRenderer(options, answer.globalStamp)
      const items =
        answer.kind === 'written'
          ? joinInTurns(answer.answer.outcomes, (each) => renderOutcome(each, projection, entities), turning.turn)
          : joinInTurns(answer.answer.outcomes, (each) => renderRemoveOutcome(each, projection, entities), turning.turn)
      return { items: await items }
    }
    default:
      return {}
  }
}

/** The entities of a page, those of one turn in one text. */
async function renderMembers(
  answer: Extract<Answer, { kind: 'selection' }>,
  options: RenderOptions,
  { turn, maxCharacters }: Turning,
): Promise<readonly string[]> {
  const { projection, records, globalStamp, isArray } = answer
  const entities = new EntityRenderer(options, globalStamp)
  const form = isArray ? 'plain' : 'read'
  const pieces: string[] = []
  let texts: string[] = []
  let rendered = 0
  let characters = 0
  const endTurn = async (): Promise<void> => {
    if (texts.length > 0) pieces.push(texts.join(','))
    texts = []
    await turn()
  }
  for (const record of records) {
    const inline = record === null ? [] : entities.renderInline({ record, projection }, form)
    for (const _ of inline) if (++rendered % ENTITIES_PER_TURN === 0) await endTurn()
    const text = memberText(record === null ? undefined : entities.render(record, projection, form))
    texts.push(text)
    characters += text.length
    refuseTooLong(characters, maxCharacters)
    if (++rendered % ENTITIES_PER_TURN === 0) await endTurn()
  }
  return texts.length > 0 ? [...pieces, texts.join(',')] : pieces
}
