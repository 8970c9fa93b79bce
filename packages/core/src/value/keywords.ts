import { foldText, inCodePointOrder } from './text-key.ts'

/** One word of a search: its folded comparison key, and whether it is a prefix. */
interface Keyword {
  readonly key: string
  readonly isPrefix: boolean
}

const WORDS = /[\p{L}\p{N}]+/gu
const KEYWORDS = /([\p{L}\p{N}]+)([@*]?)/gu

/**
 * The words of a text as folded comparison keys, in order, with repetitions. Every run of letters
 * and digits is a word.
 */
export function wordsOf(text: string): string[] {
  return Array.from(foldText(text).matchAll(WORDS), ([word]) => inCodePointOrder(word))
}

/**
 * The words of a keyword search. With `wildcards`, a word directly followed by `@` or `*` is a
 * prefix.
 */
export function parseKeywords(text: string, wildcards = true): Keyword[] {
  return Array.from(foldText(text).matchAll(KEYWORDS), ([, word, mark]) => ({
    key: inCodePointOrder(word),
    isPrefix: wildcards && mark !== '',
  }))
}

/** True when the text holds all of the words, in any order. Without a word, nothing matches. */
export function matchesKeyword(words: readonly Keyword[], text: string): boolean {
  if (words.length === 0) return false
  const found = wordsOf(text)
  return words.every(({ key, isPrefix }) =>
    found.some((word) => (isPrefix ? word.startsWith(key) : word === key)),
  )
}
