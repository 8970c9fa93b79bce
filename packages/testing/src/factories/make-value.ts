import type { StorageAttribute } from '@entia/core'
import { type FakerLike, fakeMatch, fakeText } from './faker.ts'
import type { Random } from './random.ts'

/** The sources of generated values. */
export interface ValueSource {
  readonly random: Random
  readonly faker: FakerLike | null
}

const words =
  'amber birch cedar delta ember fjord grove harbor iris juniper kelp linden maple north opal pine'.split(
    ' ',
  )
const DAY = 86_400_000
const FIRST_DAY = Date.UTC(1970, 0, 1) / DAY
const LAST_DAY = Date.UTC(2029, 11, 31) / DAY

/**
 * A value that the attribute accepts. `serial` numbers the entities from 1 and makes unique values
 * unique. Throws an Error if the model does not determine the form of a value.
 */
export function makeValue(
  attribute: StorageAttribute,
  serial: number,
  source: ValueSource,
): unknown {
  const { random } = source
  const isOnce = attribute.unique || attribute.key
  switch (attribute.type) {
    case 'bool':
      return random.integer(0, 1) === 1
    case 'long':
    case 'long64':
    case 'duration':
      return makeInteger(attribute, isOnce ? serial : null, random)
    case 'number':
      return makeNumber(attribute, isOnce ? serial : null, random)
    case 'date': {
      const day = isOnce ? FIRST_DAY + serial : random.integer(FIRST_DAY, LAST_DAY)
      const moment = day * DAY + (attribute.dateOnly || isOnce ? 0 : random.integer(0, DAY - 1))
      const text = new Date(moment).toISOString()
      return attribute.dateOnly ? text.slice(0, 10) : text
    }
    case 'string':
      return makeText(attribute, isOnce ? serial : null, source)
    case 'uuid':
      return Array.from({ length: 32 }, () => random.integer(0, 15).toString(16)).join('')
    case 'object':
      return {}
    case 'image':
      return { mediaType: 'image/png', bytes: PIXEL.slice() }
    case 'blob':
      return {
        mediaType: 'application/octet-stream',
        bytes: new Uint8Array([random.integer(0, 255)]),
      }
  }
}

/** How far generated numbers reach from the lowest one. */
const REACH = 1000

/** Without `min`, numbers begin at 0, or below a negative `max`. */
const lowest = ({ min, max }: StorageAttribute): number =>
  min ?? (max !== null && max < 0 ? max - REACH : 0)

function makeInteger(attribute: StorageAttribute, serial: number | null, random: Random): number {
  const { type, max } = attribute
  const [least, most] =
    type === 'long'
      ? [-(2 ** 31), 2 ** 31 - 1]
      : [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  const low = Math.max(Math.ceil(lowest(attribute)), least!)
  const high = Math.floor(max ?? most!)
  if (serial !== null) return low + (serial % (high - low + 1))
  return random.integer(low, max === null ? Math.min(low + REACH, high) : high)
}

function makeNumber(attribute: StorageAttribute, serial: number | null, random: Random): number {
  const low = lowest(attribute)
  const high = attribute.max ?? (serial === null ? low + REACH : Number.MAX_VALUE)
  if (serial !== null)
    return low + serial <= high ? low + serial : low + (high - low) * ((serial * GOLDEN) % 1)
  const value = Math.round((low + random.fraction() * (high - low)) * 100) / 100
  return Math.min(Math.max(value, low), high)
}

/** The fractions of its multiples are all different. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

function makeText(
  attribute: StorageAttribute,
  serial: number | null,
  { random, faker }: ValueSource,
): string {
  const { owner, name, pattern, minLength, maxLength } = attribute
  if (pattern !== null) {
    const text = faker === null ? null : fakeMatch(faker, pattern)
    if (text !== null) return text
    throw new Error(
      `A text for ${owner.name}.${name} cannot be generated from its pattern. Give the factory a value for it${faker === null ? ', or @faker-js/faker' : ''}.`,
    )
  }
  const shortest = minLength ?? 0
  const longest = maxLength ?? Number.POSITIVE_INFINITY
  const faked = faker === null ? null : fakeText(faker, owner.name, name)
  if (serial === null) return fitted(faked ?? capitalized(random.pick(words)), shortest, longest)
  // The number precedes an @, and short texts keep it whole.
  const number = serial.toString(36)
  const [local = '', ...domain] = (faked ?? plainText(name, random)).split('@')
  const tail = domain.length === 0 ? '' : `@${domain.join('@')}`
  const space = longest - number.length - tail.length
  // A sign that no number has: after a letter, another number could complete the same text.
  const filled = local
    .slice(0, Math.max(space, 0))
    .padEnd(shortest - number.length - tail.length, '-')
  const text = space >= 0 ? `${filled}${number}${tail}` : number
  return fitted(text, shortest, longest)
}

const plainText = (name: string, random: Random): string =>
  /mail/i.test(name) ? `${random.pick(words)}@example.org` : capitalized(random.pick(words))

const capitalized = (word: string): string => word[0]!.toUpperCase() + word.slice(1)

/** Counts code points, as the model does. */
function fitted(text: string, shortest: number, longest: number): string {
  const characters = [...text]
  if (characters.length > longest) return characters.slice(0, longest).join('')
  return text + 'x'.repeat(Math.max(0, shortest - characters.length))
}

/** A PNG of one transparent pixel. */
const PIXEL = Uint8Array.from(
  atob(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  ),
  (character) => character.charCodeAt(0),
)
