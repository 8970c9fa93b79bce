import { randomNumbers } from '../data.js'
import { scrambled } from './draws.js'

export const fieldNames = Array.from({ length: 10 }, (_, index) => `field${index}`)
const fieldLength = 100
const seed = 20240602

/** The key of a record number, from 0: consecutive numbers get distant keys. */
export const recordKey = (number) => `user${String(scrambled(number)).padStart(10, '0')}`

/** One hundred printable characters as a separate string in memory. @param {() => number} random */
export function fieldText(random) {
  const bytes = Buffer.allocUnsafe(fieldLength)
  for (let i = 0; i < fieldLength; i += 5) {
    let bits = Math.floor(random() * 0x40000000)
    for (let place = i; place < i + 5; place++) {
      bytes[place] = 48 + (bits & 63)
      bits >>>= 6
    }
  }
  return bytes.toString('latin1')
}

/**
 * A record of YCSB: a key and ten fields of 100 characters.
 * @param {number} number
 * @param {() => number} random
 */
export function makeRecord(number, random) {
  const record = { key: recordKey(number) }
  for (const name of fieldNames) record[name] = fieldText(random)
  return record
}

/** The records with the numbers 0 to `count - 1`. */
export function makeRecords(count) {
  const random = randomNumbers(seed)
  return {
    records: Array.from({ length: count }, (_, number) => makeRecord(number, random)),
    count,
  }
}
