/**
 * What each character of the test's alphabet compares as, written out by hand: nothing of the
 * engine and no Unicode function of the language is asked. Characters that are not here must not be
 * in the values.
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
  // Accents count for nothing, in one character or in two.
  ['\u00e9', 'e'],
  ['\u00c9', 'e'],
  ['\u0301', ''],
  ['\u0308', ''],
  ['\u00fc', 'u'],
  ['\u00dc', 'u'],
  ['\u00e5', 'a'],
  ['\u212b', 'a'],
  ['\u212a', 'k'],
  // One letter whose capitals are two, a ligature, and a letter with two small forms.
  ['\u00df', 'ss'],
  ['\u1e9e', 'ss'],
  ['\ufb01', 'fi'],
  ['\u03a3', '\u03c3'],
  ['\u03c3', '\u03c3'],
  ['\u03c2', '\u03c3'],
  ['\u0391', '\u03b1'],
  ['\u03b1', '\u03b1'],
  // No accent but a letter of its own.
  ['\u00f8', '\u00f8'],
  ['\u00d8', '\u00f8'],
  // Beyond and below the surrogates: the order of code units is not that of code points.
  ['\uff5e', '\uff5e'],
  ['\u{1f600}', '\u{1f600}'],
  ['\uffff', '\uffff'],
  ['\u{10ffff}', '\u{10ffff}'],
  // Ends a line in some languages, but not in filters.
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

/** The words of a text, folded, each between blanks: `' o neil '`. */
export function wordsBetweenBlanks(text: string): string {
  const words = Array.from(foldedKey(text), (c) => (WORD_CHARACTERS.has(c) ? c : ' ')).join('')
  return ` ${words
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')} `
}

/**
 * The words that `%` asks for: each with whether more letters may follow, which a sign directly
 * behind it says.
 */
export function askedWords(
  text: string,
): readonly { readonly word: string; readonly isBeginning: boolean }[] {
  const found: { word: string; isBeginning: boolean }[] = []
  let word = ''
  for (const character of [...Array.from(text, folded).join(''), ' ']) {
    if (WORD_CHARACTERS.has(character)) {
      word += character
      continue
    }
    if (word !== '') found.push({ word, isBeginning: character === '@' || character === '*' })
    word = ''
  }
  return found
}

/** Every text inside a JSON value replaced. Names of properties stay. */
export function withTexts(json: unknown, replace: (text: string) => string): unknown {
  if (typeof json === 'string') return replace(json)
  if (Array.isArray(json)) return json.map((element) => withTexts(element, replace))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, withTexts(value, replace)]),
  )
}
