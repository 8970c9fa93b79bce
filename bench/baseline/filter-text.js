const blank = 32
const quote = 39

/**
 * Splits `attribute operator literal AND attribute operator literal …` into its terms, in one pass.
 * It accepts only the texts of the benchmark: it is a lower bound for real parsers.
 * @param {string} text
 * @returns {{ attribute: string, operator: string, value: string | number | boolean }[]}
 */
export function parseFilterText(text) {
  const terms = []
  const end = text.length
  let at = 0
  for (;;) {
    at = skipBlanks(text, at)
    let start = at
    at = endOfWord(text, at)
    const attribute = text.slice(start, at)

    at = skipBlanks(text, at)
    start = at
    at = endOfWord(text, at)
    const operator = text.slice(start, at)

    at = skipBlanks(text, at)
    let value
    if (text.charCodeAt(at) === quote) {
      start = ++at
      while (at < end && text.charCodeAt(at) !== quote) at++
      value = text.slice(start, at++)
    } else {
      start = at
      at = endOfWord(text, at)
      value = valueOfWord(text.slice(start, at))
    }
    terms.push({ attribute, operator, value })

    at = skipBlanks(text, at)
    if (at >= end) return terms
    at += 'AND'.length
  }
}

function skipBlanks(text, at) {
  while (at < text.length && text.charCodeAt(at) === blank) at++
  return at
}

function endOfWord(text, at) {
  while (at < text.length && text.charCodeAt(at) !== blank) at++
  return at
}

function valueOfWord(word) {
  if (word === 'true') return true
  if (word === 'false') return false
  return +word
}
