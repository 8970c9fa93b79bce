import { wireText } from '../connect/wire-values.ts'
import type { Sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'

const MAX_KEY_LENGTH = 4096

/** What a process found lately, by key: the least recently used is the first to be dropped. */
export class RecentAnswers<V> {
  readonly #known = new Map<string, V>()
  readonly #size: number

  constructor(size: number) {
    this.#size = size
  }

  get(key: string): V | undefined {
    const value = this.#known.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.#known.delete(key)
    this.#known.set(key, value)
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.#size && oldest !== undefined) this.#known.delete(oldest)
  }

  delete(key: string): void {
    this.#known.delete(key)
  }
}

/**
 * What an answer is remembered by: the name of a text, or a text that has none, and its values.
 * Null if that is too long.
 */
export function keyOf(select: Sql): string | null {
  const { name, text, values } = statementOf(select)
  let key = name === '' ? text : name
  for (const value of values) {
    if (key.length > MAX_KEY_LENGTH) return null
    const shown = `${wireText(value)}`
    key += `\n${typeof value} ${shown.length} ${shown}`
  }
  return key.length > MAX_KEY_LENGTH ? null : key
}
