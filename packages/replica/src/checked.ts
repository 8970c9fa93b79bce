import {
  type BatchOutcome,
  type BatchRefusal,
  isWellFormed,
  type Lease,
  MAX_STAMP,
  MAX_TIMESTAMP,
} from '@entia/core/internal'

// What a server sends is kept and sent back later: a wrong value that were taken would stay.

type Members = { readonly [name: string]: unknown }

/** The first line of a stream. */
export interface Heading {
  readonly version: number
  readonly instance: string
  readonly fingerprint: string
  readonly era: string
  readonly user: string | null
  readonly mode: 'continue' | 'whole' | 'marks' | 'compare'
  readonly classes: readonly (readonly [name: string, columns: readonly string[]])[]
}

/** The answer to a request with batches. */
export interface BatchesAnswer {
  readonly instance: string
  readonly era: string
  readonly outcomes: readonly BatchOutcome[]
  readonly lease?: { readonly [dataClass: string]: Lease }
}

/** A text that can be kept. */
const isText = (value: unknown): value is string => typeof value === 'string' && isWellFormed(value)
const membersOf = (value: unknown): Members | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null
export const isList = <T>(
  value: unknown,
  isItem: ((item: unknown) => item is T) | ((item: unknown) => boolean),
): value is readonly T[] => Array.isArray(value) && value.every((each) => isItem(each))

/** A position, a number of a batch, or a place in a list. */
export const isWhole = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0
export const isStamp = (value: unknown): value is number =>
  isWhole(value) && value > 0 && value <= MAX_STAMP
export const isTimestamp = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(value as number) <= MAX_TIMESTAMP

export function isHeading(line: unknown): line is Heading {
  const { instance, fingerprint, era, user, mode, classes } = membersOf(line) ?? {}
  return (
    isText(instance) &&
    isText(fingerprint) &&
    isText(era) &&
    (user === null || isText(user)) &&
    ['continue', 'whole', 'marks', 'compare'].includes(mode as string) &&
    isList(classes, (each) => {
      const [name, columns] = Array.isArray(each) ? each : []
      return isText(name) && isList(columns, isText)
    })
  )
}

export function isOutcome(given: unknown): given is BatchOutcome {
  const { number, kind, globalStamp, refusal, stamps = [] } = membersOf(given) ?? {}
  if (!isWhole(number)) return false
  if (kind !== 'applied') return kind === 'refused' && isRefusal(refusal)
  return isWhole(globalStamp) && isList(stamps, (each) => each === null || isStamp(each))
}

function isRefusal(given: unknown): given is BatchRefusal {
  const { conflicts, errors } = membersOf(given) ?? {}
  return isErrors(errors) && isList(conflicts, isConflict)
}

const isErrors = (given: unknown): boolean =>
  isList(given, (each) => isText(membersOf(each)?.message))

function isConflict(given: unknown): boolean {
  const { dataClass, key, base, mine, theirs, stamp } = membersOf(given) ?? {}
  const isValues = (values: unknown): boolean => values === null || membersOf(values) !== null
  const isKey = isText(key) || typeof key === 'number'
  return isText(dataClass) && isKey && [base, mine, theirs].every(isValues) && isWhole(stamp)
}

/** `first`: the number of the first batch that was sent, which every answer decides. */
export function isBatchesAnswer(given: unknown, first: number | null): given is BatchesAnswer {
  const { instance, era, outcomes, lease = {} } = membersOf(given) ?? {}
  const leases = membersOf(lease)
  return (
    isText(instance) &&
    isText(era) &&
    isList(outcomes, isOutcome) &&
    (first === null || (outcomes as BatchOutcome[]).some(({ number }) => number === first)) &&
    leases !== null &&
    Object.values(leases).every(isLease)
  )
}

function isLease(given: unknown): boolean {
  const { blocks, errors } = membersOf(given) ?? {}
  if (blocks === undefined) return isErrors(errors)
  return isList(blocks, (block) => {
    const [first, last] = Array.isArray(block) ? block : []
    return isWhole(first) && isWhole(last) && first <= last
  })
}
