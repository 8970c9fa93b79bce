import { cellText } from './field-value.ts'
import { attributeOf, type DataClass, isScalar } from './model.ts'

const usual = ['name', 'title', 'label', 'fullname', 'lastname', 'displayname', 'subject', 'email']

/**
 * The attribute that names entities for people: the `label` of the model, else a text with a usual
 * name, then a unique one, then an indexed one, then the first. Null if there is no text besides
 * the key.
 */
export function labelAttributeOf(dataClass: DataClass): string | null {
  const { attributes, label } = dataClass
  const chosen = label === null ? undefined : attributeOf(dataClass, label)
  if (chosen !== undefined && isScalar(chosen)) return chosen.name
  const texts = attributes.filter(
    ({ kind, type, isKey }) => kind === 'storage' && type === 'string' && !isKey,
  )
  const named = usual
    .map((name) => texts.find((one) => one.name.toLowerCase() === name))
    .find((one) => one !== undefined)
  const best =
    named ?? texts.find(({ unique }) => unique) ?? texts.find(({ indexed }) => indexed) ?? texts[0]
  return best?.name ?? null
}

/** What names an entity besides its key, as the grid shows it; empty if nothing does. */
export function labelText(
  dataClass: DataClass,
  members: Readonly<Record<string, unknown>>,
): string {
  const label = labelAttributeOf(dataClass)
  if (label === null || label === dataClass.key) return ''
  return cellText(members[label], attributeOf(dataClass, label))
}

/** `8 s`, `3 min`, `2 h`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
