import { EntiaError } from '../errors.ts'

/** The highest stamp: tables keep stamps in 32 bits. */
export const MAX_STAMP = 2 ** 31 - 1

/** The furthest time from 1970 that a date can hold, in milliseconds, both ways. */
export const MAX_TIMESTAMP = 8.64e15

/** The stamp of the next version. After the highest stamp comes 1, the stamp of a new entity. */
export const nextStamp = (stamp: number): number => (stamp === MAX_STAMP ? 1 : stamp + 1)

/** How many versions after `from` an entity has the stamp `to`. */
export const stampsUntil = (from: number, to: number): number =>
  to >= from ? to - from : to - from + MAX_STAMP

/**
 * The global stamp of the commit after one. Throws `budgetExceeded` beyond the last one that a dump
 * can hold.
 */
export function nextGlobalStamp(globalStamp: number): number {
  if (globalStamp < Number.MAX_SAFE_INTEGER) return globalStamp + 1
  throw new EntiaError('budgetExceeded', {
    what: 'commits of one store',
    limit: Number.MAX_SAFE_INTEGER,
    option: 'none: a limit of the language',
  })
}
