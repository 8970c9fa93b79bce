/** Where a reader of JSON is: what it takes next. */
type Expected = 'value' | 'valueOrEnd' | 'name' | 'nameOrEnd' | 'colon' | 'next'

const BLANKS = /[ \t\n\r]*/y
/** Characters of a string that stand for themselves. */
const PLAIN = /[ !#-[\]-\uffff]*/y
// The next two match as much of a text as can begin an escape or a number.
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{0,4})?/y
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?/y
const WORDS = ['true', 'false', 'null'] as const

/**
 * Where text stops being JSON, with the character there: `line 2, column 7 ("}")`. Lines and
 * columns count from 1. For text that `JSON.parse` refuses. Cost O(length).
 */
export function placeOfProblem(text: string): string {
  const at = firstProblem(text)
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line++
    start = end + 1
  }
  const found = text.codePointAt(at)
  const what = found === undefined ? 'its end' : JSON.stringify(String.fromCodePoint(found))
  return `line ${line}, column ${at - start + 1} (${what})`
}

/** The offset of the first character that JSON cannot have there; the length for a missing rest. */
function firstProblem(text: string): number {
  const open: ('}' | ']')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = endOf(BLANKS, text, at)
    const sign = text[at]
    if (sign === undefined) return at
    if (sign === open.at(-1) && (expected === 'next' || expected.endsWith('OrEnd'))) {
      open.pop()
      expected = 'next'
      at++
    } else if (expected === 'next' || expected === 'colon') {
      if (open.length === 0 || sign !== (expected === 'colon' ? ':' : ',')) return at
      expected = expected === 'next' && open.at(-1) === '}' ? 'name' : 'value'
      at++
    } else if (expected.startsWith('value') && (sign === '{' || sign === '[')) {
      open.push(sign === '{' ? '}' : ']')
      expected = sign === '{' ? 'nameOrEnd' : 'valueOrEnd'
      at++
    } else {
      const isName = expected.startsWith('name')
      if (isName && sign !== '"') return at
      const { end, isWhole } = sign === '"' ? endOfString(text, at) : endOfWord(text, at)
      if (!isWhole) return end
      at = end
      expected = isName ? 'colon' : 'next'
    }
  }
}

/** How far a value reaches. If it is not whole, the problem is there. */
interface End {
  readonly end: number
  readonly isWhole: boolean
}

function endOfString(text: string, from: number): End {
  let at = from + 1
  for (;;) {
    at = endOf(PLAIN, text, at)
    if (text[at] === '"') return { end: at + 1, isWhole: true }
    const end = endOf(ESCAPE, text, at)
    if (end - at !== (text[at + 1] === 'u' ? 6 : 2)) return { end, isWhole: false }
    at = end
  }
}

function endOfWord(text: string, at: number): End {
  const word = WORDS.find((each) => each[0] === text[at])
  if (word === undefined) {
    const end = endOf(NUMBER, text, at)
    return { end, isWhole: end > at && /\d/.test(text[end - 1]!) }
  }
  let length = 1
  while (length < word.length && text[at + length] === word[length]) length++
  return { end: at + length, isWhole: length === word.length }
}

/** The end of what a sticky pattern matches from a place on. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
