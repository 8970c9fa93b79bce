import type { FieldText } from './field-value.ts'

/** A text; the word null for no value, the word empty for the empty text. */
export function Text({ text }: { text: FieldText }) {
  if (text !== null && text !== '') return <>{text}</>
  return <span class="null">{text === null ? 'null' : 'empty'}</span>
}
