import { foldText, inCodePointOrder } from './text-key.ts'

/** One word to look for: its folded comparison key, and whether the word of the text may go on behind it. */
export interface Keyword {
  readonly key: string
  readonly isPrefix: boolean
}

const WORDS = /[\p{L}\p{N}]+/gu
const KEYWORDS = /([\p{L}\p{N}]+)([@*]?)/gu

/** The words of a text as folded comparison keys, in order, repeats included: every run of letters and digits is one. */
export function wordsOf(text: string): string[] {
  return Array.from(foldText(text).matchAll(WORDS), ([word]) => inCodePointOrder(word))
}

/** The words a keyword search asks for; one directly followed by `@` or `*` is a prefix. */
export function parseKeywords(text: string): Keyword[] {
  return Array.from(foldText(text).matchAll(KEYWORDS), ([, word, mark]) => ({
    key: inCodePointOrder(word),
    isPrefix: mark !== '',
  }))
}

/** True when the text holds every one of the words, in any order. Asking for no word finds nothing. */
export function matchesKeyword(words: readonly Keyword[], text: string): boolean {
  if (words.length === 0) return false
  const found = wordsOf(text)
  return words.every(({ key, isPrefix }) => found.some((word) => (isPrefix ? word.startsWith(key) : word === key)))
}
