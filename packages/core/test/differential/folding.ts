/**
 * The comparison key of each character of the alphabet, written by hand, without the engine and
 * without Unicode functions of the language. Values must not contain other characters.
 */
const FOLDED: ReadonlyMap<string, string> = new Map([
  ...Array.from('abcdefghijklmnopqrstuvwxyz', (c): [string, string] => [c, c]),
  ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (c, i): [string, string] => [
    c,
    'abcdefghijklmnopqrstuvwxyz'[i],
  ]),
  ...Array.from('0123456789 !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~\t\n', (c): [string, string] => [
    c,
    c,
  ]),
  // Accents are ignored, in one character or in two.
  ['\u00e9', 'e'],
  ['\u00c9', 'e'],
  ['\u0301', ''],
  ['\u0308', ''],
  ['\u00fc', 'u'],
  ['\u00dc', 'u'],
  ['\u00e5', 'a'],
  ['\u212b', 'a'],
  ['\u212a', 'k'],
  // One letter with a two-letter capital, a ligature, and a letter with two small forms.
  ['\u00df', 'ss'],
  ['\u1e9e', 'ss'],
  ['\ufb01', 'fi'],
  ['\u03a3', '\u03c3'],
  ['\u03c3', '\u03c3'],
  ['\u03c2', '\u03c3'],
  ['\u0391', '\u03b1'],
  ['\u03b1', '\u03b1'],
  // Not an accent, but a separate letter.
  ['\u00f8', '\u00f8'],
  ['\u00d8', '\u00f8'],
  // Above and below the surrogates, the orders of code units and code points differ.
  ['\uff5e', '\uff5e'],
  ['\u{1f600}', '\u{1f600}'],
  ['\uffff', '\uffff'],
  ['\u{10ffff}', '\u{10ffff}'],
  // A line break in some languages, but not in filters.
  ['\u2028', '\u2028'],
])

const WORD_CHARACTERS = new Set('abcdefghijklmnopqrstuvwxyz0123456789\u03c3\u03b1\u00f8')

/** The key of a text that is compared folded. */
export function foldedKey(text: string): string {
  return Array.from(text, folded).join('')
}

function folded(character: string): string {
  const found = FOLDED.get(character)
  if (found === undefined)
    throw new Error(`U+${character.codePointAt(0)?.toString(16)} is not in the alphabet`)
  return found
}

/** Exact texts have the letters and digits that folded texts do not. */
const isOfWord = (character: string, isExact: boolean): boolean =>
  isExact ? /^[\p{L}\p{N}]$/u.test(character) : WORD_CHARACTERS.has(character)

/** The words of a text, each between spaces: `' o neil '`. */
export function wordsBetweenBlanks(text: string, isExact = false): string {
  const words = Array.from(isExact ? text : foldedKey(text), (c) =>
    isOfWord(c, isExact) ? c : ' ',
  ).join('')
  return ` ${words
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')} `
}

/**
 * The words of a `%` comparison, each with whether more letters may follow (a sign directly behind
 * it).
 */
export function askedWords(
  text: string,
  isExact: boolean,
): readonly { readonly word: string; readonly isBeginning: boolean }[] {
  const found: { word: string; isBeginning: boolean }[] = []
  let word = ''
  for (const character of [...(isExact ? text : Array.from(text, folded).join('')), ' ']) {
    if (isOfWord(character, isExact)) {
      word += character
      continue
    }
    if (word !== '') found.push({ word, isBeginning: character === '@' || character === '*' })
    word = ''
  }
  return found
}

/** Replaces every text inside a JSON value. Names of properties stay. */
export function withTexts(json: unknown, replace: (text: string) => string): unknown {
  if (typeof json === 'string') return replace(json)
  if (Array.isArray(json)) return json.map((element) => withTexts(element, replace))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, withTexts(value, replace)]),
  )
}
