import type { RestResponse } from './serialize.ts'
import { NOT_MODIFIED } from './status.ts'

/** The state of an entity: a stamp is unique within a life. */
interface EntityState {
  readonly stamp: number
  readonly life: string
}

/**
 * The ETag of an answer that shows exactly one entity. It starts with the stamp, so that users can
 * write `If-Match` by hand. Stamp and life identify the state of the entity, `print` what is shown
 * and how. Together they identify the bytes of the answer without reading them.
 */
export const entityEtag = ({ stamp, life }: EntityState, print: string): string =>
  `"${stamp}-${life}-${print}"`

/**
 * The ETag of an image or BLOB: its content changes only with the entity, and each format has its
 * own address.
 */
export const mediaEtag = ({ stamp, life }: EntityState): string => `"${stamp}-${life}"`

/** True if one of the client's validators matches the answer's. Reads compare weakly. */
export function matchesAny(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const own = opaqueOf(etag)
  return (ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((given) => opaqueOf(given) === own)
}

function opaqueOf(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

/**
 * The answer to a client that has the content already: without a body and headers that describe
 * one.
 */
export function notModified({ headers }: RestResponse): RestResponse {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('content-'))
  return { status: NOT_MODIFIED, headers: Object.fromEntries(kept), body: '' }
}

/**
 * SHA-256 (FIPS 180-4) for the catalog's identifiers; the platform's implementation is
 * asynchronous. Returns 64 hexadecimal digits. Cost: O(bytes); meant for names, not for data.
 */
export function sha256Hex(text: string): string {
  const state = Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  )
  const bytes = padded(new TextEncoder().encode(text))
  const view = new DataView(bytes.buffer)
  const schedule = new Uint32Array(64)
  for (let offset = 0; offset < bytes.length; offset += 64) {
    fillSchedule(schedule, view, offset)
    compress(state, schedule)
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
}

function padded(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  bytes.set(message)
  bytes[message.length] = 0x80
  // Names are shorter than 2^29 bytes, so the upper half of the bit length is 0.
  new DataView(bytes.buffer).setUint32(bytes.length - 4, message.length * 8)
  return bytes
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

function fillSchedule(schedule: Uint32Array, view: DataView, offset: number): void {
  for (let i = 0; i < 16; i++) schedule[i] = view.getUint32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const a = schedule[i - 15]!
    const b = schedule[i - 2]!
    const first = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
    const second = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
    schedule[i] = schedule[i - 16]! + first + schedule[i - 7]! + second
  }
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const first =
      (h +
        (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
        choice +
        ROUND_CONSTANTS[i]! +
        schedule[i]!) |
      0
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = state[i]! + word
}

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS: readonly number[] = firstPrimes(64).map((prime) =>
  fractionOfCubeRoot(BigInt(prime)),
)

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate++)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  return primes
}

/** floor(cbrt(n) * 2^32) modulo 2^32, exactly: the integer cube root of n * 2^96. */
function fractionOfCubeRoot(n: bigint): number {
  const target = n << 96n
  let low = 0n
  let high = 1n << 36n
  while (low < high) {
    const middle = (low + high + 1n) >> 1n
    if (middle ** 3n <= target) low = middle
    else high = middle - 1n
  }
  return Number(low & 0xffff_ffffn)
}
