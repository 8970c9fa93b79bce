import type { DataClass } from './model.ts'

const usual = ['name', 'title', 'label', 'fullname', 'lastname', 'displayname', 'subject', 'email']

/**
 * The attribute that names entities for people: the `label` of the model, else a text with a usual
 * name, then a unique one, then an indexed one, then the first. Null if there is no text besides
 * the key.
 */
export function labelAttributeOf({ attributes, label }: DataClass): string | null {
  if (label !== null) return label
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

/** `8 s`, `3 min`, `2 h`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
