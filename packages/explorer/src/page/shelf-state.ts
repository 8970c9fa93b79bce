/** The page's record of an entity set; the server holds the entities. */
export interface KeptSet {
  readonly id: string
  readonly dataClass: string
  readonly label: string
  readonly count: number
  /** Milliseconds since 1970 of the last use. Every use restarts the lifetime. */
  readonly usedAt: number
  /** The server reported that the set no longer exists. */
  readonly isGone: boolean
}

/** Seconds that a set lives without being used. */
export const lifetime = 7200

export type SetOperator = 'AND' | 'OR' | 'EXCEPT' | 'INTERSECT'

export const setOperators: readonly (readonly [SetOperator, string])[] = [
  ['AND', 'in both'],
  ['OR', 'in either'],
  ['EXCEPT', 'in the first only'],
  ['INTERSECT', 'do they share any?'],
]

/** The remaining seconds of a set; 0 after it has expired. */
export function secondsLeft(set: KeptSet, now: number): number {
  return set.isGone ? 0 : Math.max(0, Math.ceil(lifetime - (now - set.usedAt) / 1000))
}

/** `1:59:58`, `4:05`, `gone`. */
export function countdownText(seconds: number): string {
  if (seconds <= 0) return 'gone'
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`
}

/** The id of the set in an address that restarts its lifetime: `Flight/$entityset/8F0E…`. */
export function setIdIn(path: string): string | null {
  return /\/\$entityset\/([A-Za-z0-9]+)/.exec(path)?.[1] ?? null
}

/** `late ∩ far`; names of combinations are put in parentheses. */
export function labelOf(one: string, operator: SetOperator, other: string): string {
  const sign = { AND: '∩', OR: '∪', EXCEPT: '∖', INTERSECT: '∩' }[operator]
  const inParentheses = (label: string) => (/ [∩∪∖] /.test(label) ? `(${label})` : label)
  return `${inParentheses(one)} ${sign} ${inParentheses(other)}`
}

/** Reads stored sets. Skips invalid entries. */
export function setsFrom(text: string | null): readonly KeptSet[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(stored) ? stored.filter(isKeptSet) : []
  } catch {
    return []
  }
}

function isKeptSet(value: unknown): value is KeptSet {
  if (typeof value !== 'object' || value === null) return false
  const set = value as Partial<Record<keyof KeptSet, unknown>>
  const areTexts = [set.id, set.dataClass, set.label].every((one) => typeof one === 'string')
  return (
    areTexts &&
    typeof set.count === 'number' &&
    typeof set.usedAt === 'number' &&
    typeof set.isGone === 'boolean'
  )
}
