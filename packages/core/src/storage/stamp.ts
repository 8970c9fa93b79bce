/** The highest stamp: tables keep stamps in 32 bits. */
export const MAX_STAMP = 2 ** 31 - 1

/** The furthest time from 1970 that a date can hold, in milliseconds, both ways. */
export const MAX_TIMESTAMP = 8.64e15

/** The stamp of the next version. After the highest stamp comes 1, the stamp of a new entity. */
export const nextStamp = (stamp: number): number => (stamp === MAX_STAMP ? 1 : stamp + 1)

/** How many versions after `from` an entity has the stamp `to`. */
export const stampsUntil = (from: number, to: number): number =>
  to >= from ? to - from : to - from + MAX_STAMP
