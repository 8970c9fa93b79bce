import { DenseSet } from '../storage/record-set.ts'
import { entryOf } from '../value/entry.ts'

/** Record numbers, or places, in an order. */
export type Slots = Int32Array | readonly number[]

/**
 * Writes memo keys as text. Two texts are equal exactly when the keys are. Predicates, orders and
 * paths are written out. Attributes, dataclasses, functions and other objects with an identity get
 * a number, long lists a name. Lists and sets in a key must not change.
 */
export class MemoKeys {
  readonly #numbers = new WeakMap<object, number>()
  /** The names of long lists, which several keys of a time slice hold: by list, and by content. */
  readonly #lists = new WeakMap<readonly unknown[], string>()
  readonly #names = new Map<string, string>()
  readonly #records: KnownRecords[] = []
  #count = 0

  /** Cost: O(memo key). */
  textOf(memoKey: unknown): string {
    switch (typeof memoKey) {
      case 'string':
        return JSON.stringify(memoKey)
      case 'object':
        return memoKey === null ? 'null' : this.#objectText(memoKey)
      case 'function':
        return this.nameOf(memoKey)
      default:
        return String(memoKey)
    }
  }

  #objectText(memoKey: object): string {
    if (Array.isArray(memoKey))
      return memoKey.length < MAX_WRITTEN_LIST ? this.#listText(memoKey) : this.#longText(memoKey)
    if (this.#numbers.has(memoKey) || !isData(memoKey)) return this.nameOf(memoKey)
    let text = '{'
    for (const name in memoKey)
      text += `${name}:${this.textOf((memoKey as Record<string, unknown>)[name])},`
    return `${text}}`
  }

  #listText(list: readonly unknown[]): string {
    let text = '['
    for (let i = 0; i < list.length; i++) text += `${this.textOf(list[i])},`
    return `${text}]`
  }

  #longText(list: readonly unknown[]): string {
    return entryOf(this.#lists, list, () =>
      entryOf(this.#names, this.#listText(list), () => `~${this.#names.size}`),
    )
  }

  /** The name of a thing with an identity, or of some records. */
  nameOf(thing: object): string {
    return `#${entryOf(this.#numbers, thing, () => this.#numberOfRecords(thing) ?? ++this.#count)}`
  }

  /** The number of earlier records that are the same; null for other things. Cost: O(records). */
  #numberOfRecords(thing: object): number | null {
    const isDense = thing instanceof DenseSet
    const records = isDense ? thing.words : 'slots' in thing ? (thing.slots as Slots) : thing
    if (!Array.isArray(records) && !(records instanceof Int32Array)) return null
    const known = this.#records.find(
      (each) => each.isDense === isDense && isSame(each.records, records),
    )
    if (known !== undefined) return known.number
    const number = ++this.#count
    this.#records.push({ isDense, records, number })
    return number
  }
}

/** Lists or sets of records. Most are made once; one made again in each slice is compared. */
interface KnownRecords {
  readonly isDense: boolean
  readonly records: Slots
  readonly number: number
}

function isSame(a: Slots, b: Slots): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Longer lists are given names. */
const MAX_WRITTEN_LIST = 64

/**
 * False for parts of the model, databases and plans, which reach the whole model, for what a read
 * has made of records, and for instances of a class.
 */
function isData(thing: object): boolean {
  if ('owner' in thing || 'attributes' in thing || 'tableOf' in thing) return false
  if ('dataClass' in thing || 'slots' in thing || 'columns' in thing || 'places' in thing)
    return false
  const prototype = Object.getPrototypeOf(thing)
  return prototype === Object.prototype || prototype === null
}
