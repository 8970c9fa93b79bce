import type { StoredValue } from '@entia/core/internal'
import type { FeedQuery } from '../interface/replicas.ts'
import type { KeyValue } from '../interface/selection-source.ts'

/** The first line of a feed. */
export interface FeedHeading {
  readonly version: 1
  readonly instance: string
  readonly fingerprint: string
  /** It changes whenever notes of replicas are removed. */
  readonly era: string
  /** The ID of the user whose permissions the feed has; null for a guest. */
  readonly user: string | null
  /**
   * `continue`: changes of what the replica has. `whole`: everything; the rest is dropped.
   * `marks`: hints follow, and the stream ends; the replica opens another one with marks of what it
   * has. `compare`: the parts of buckets of entities whose marks differ.
   */
  readonly mode: 'continue' | 'whole' | 'marks' | 'compare'
  /** Name and columns of each dataclass, by the number that other lines use. The key is first. */
  readonly classes: readonly (readonly [name: string, columns: readonly string[]])[]
}

/**
 * How a replica gets contents that are not those of its position. One that has some is asked for
 * marks of them first.
 */
export function modeOf({ since, marks }: Pick<FeedQuery, 'since' | 'marks'>): FeedHeading['mode'] {
  if (marks !== null) return 'compare'
  return since === null ? 'whole' : 'marks'
}

/** The longest list of texts whose repeated words are found. */
const MIN_REPEATED = 16

/** The values of one column. Texts that repeat are written once: `{"w":[words],"c":[codes]}`. */
function columnOf(values: readonly StoredValue[]): unknown {
  return values.some((value) => typeof value === 'string') ? encoded(values) : values
}

/** The words and their codes, if that is shorter. */
function encoded(values: readonly StoredValue[]): unknown {
  if (values.length < MIN_REPEATED) return values
  const codes = new Map<StoredValue, number>()
  const each = new Array<number>(values.length)
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!
    if (typeof value === 'object' && value !== null) return values
    let code = codes.get(value)
    if (code === undefined) codes.set(value, (code = codes.size))
    each[at] = code
    if (codes.size * 2 > values.length) return values
  }
  return { w: [...codes.keys()], c: each }
}

/** Entities of one dataclass, column by column. */
export const contentsLine = (
  dataClass: number,
  columns: readonly (readonly StoredValue[])[],
  stamps: readonly number[],
  timestamps: readonly number[],
): string => lineOf([dataClass, columns.map(columnOf), stamps, encoded(timestamps)])

/** An entity as it is: all values, or those of some columns. */
export const entityLine = (
  dataClass: number,
  key: KeyValue,
  stamp: number,
  timestamp: number,
  values: readonly StoredValue[],
  columns: readonly number[] | null,
): string =>
  lineOf(
    columns === null
      ? [dataClass, key, stamp, timestamp, values]
      : [dataClass, key, stamp, timestamp, values, columns],
  )

export const lineOf = (line: unknown): string => `${JSON.stringify(line)}\n`
