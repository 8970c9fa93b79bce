import type { Chance } from './chance.ts'

/**
 * Texts that often break parsers: partial escapes and characters, names on prototypes, extreme
 * numbers.
 */
export const HOSTILE: readonly string[] = [
  ...[
    '\ud800',
    '\udfff',
    '\u0000',
    '\u200b',
    '\ufeff',
    '\u2028',
    '😀',
    'e\u0301',
    '\\u0027',
    '\\u00',
    '\\',
    '%',
    '%2',
    '%00',
  ],
  ...[
    '%27',
    '%22',
    '%E0%A4',
    '%ud800',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'null',
    'undefined',
    'NaN',
  ],
  ...[
    '1e999',
    '-0',
    '9007199254740993',
    '0x10',
    "'",
    '"',
    '`',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '&',
    '&$',
    '?',
    '=',
    '#',
  ],
  ...[
    ':',
    ':1',
    ':-1',
    '::',
    '$',
    '$$',
    ';',
    ',',
    ',,',
    '.',
    '..',
    '/',
    '//',
    '*',
    '@',
    '!',
    '!!',
    '^',
    '|',
    '+',
    ' ',
    '\t',
    '\r\n',
  ],
  ...[
    ' and ',
    ' or ',
    ' not ',
    ' except ',
    ' order by ',
    ' desc',
    ' in ',
    ' is ',
    ' begin ',
    '{1}',
    '{999}',
    '[a]',
    '[]',
    '[A]',
  ],
]

const TOKEN = /[\p{L}\p{N}_$]+|\s+|./gsu

/** One to five changes of a text: of its tokens, of code units, or with parts of another text. */
export function mutate(chance: Chance, text: string, other: () => string): string {
  let mutated = text
  for (let left = 1 + chance.below(5); left > 0; left--)
    mutated = mutateOnce(chance, mutated, other)
  return mutated
}

function mutateOnce(chance: Chance, text: string, other: () => string): string {
  const at = chance.below(text.length + 1)
  switch (chance.below(8)) {
    case 0:
      return changeTokens(chance, text)
    case 1:
      return changeTokens(chance, text)
    case 2:
      return flip(text, at, 1 << chance.below(chance.holds(0.8) ? 7 : 16))
    case 3:
      return text.slice(0, at) + chance.oneOf(HOSTILE) + text.slice(at)
    case 4:
      return text.slice(0, at) + chance.oneOf(HOSTILE) + text.slice(at + chance.below(4))
    case 5:
      return text.slice(0, at) + text.slice(at + 1 + chance.below(8))
    case 6: {
      const piece = text.slice(at, at + 1 + chance.below(6))
      return text.slice(0, at) + piece.repeat(chance.oneOf([2, 3, 17, 65, 300])) + text.slice(at)
    }
    default: {
      const others = other()
      const from = chance.below(others.length + 1)
      return text.slice(0, at) + others.slice(from)
    }
  }
}

function changeTokens(chance: Chance, text: string): string {
  const tokens = text.match(TOKEN) ?? []
  if (tokens.length === 0) return text
  const at = chance.below(tokens.length)
  const to = chance.below(tokens.length)
  switch (chance.below(3)) {
    case 0:
      tokens.splice(at, 1)
      break
    case 1:
      tokens.splice(to, 0, tokens[at] as string)
      break
    default:
      ;[tokens[at], tokens[to]] = [tokens[to] as string, tokens[at] as string]
  }
  return tokens.join('')
}

const flip = (text: string, at: number, bit: number): string =>
  at >= text.length
    ? text
    : text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bit) + text.slice(at + 1)
