// Removes from a parser that peggy generated what the filter language does not use. Functions
// inside the parser are out of a bundler's reach, and the parser would make them for each text.
//
// A failed parse reports its offset and what was expected there, as texts: the description of a
// named rule, or a literal in quotes; the empty text for a class of characters. Peggy's places by
// line and column and its messages go.

/** Functions of peggy that no action of the grammar calls. */
const UNUSED = [
  ...['text', 'range', 'location', 'expected', 'error'],
  ...['peg$computePosDetails', 'peg$computeLocation', 'peg$getUnicode', 'peg$buildSimpleError'],
  ...['peg$buildStructuredError', 'peg$throw'],
  ...['literal', 'class', 'any', 'end', 'other'].map((kind) => `peg$${kind}Expectation`),
]

const REMEDY = 'compare what this version of peggy generates with lean-parser.mjs'
const FAIL = /^ *if \(peg\$silentFails === 0\) \{ peg\$fail\(peg\$e\d+\); \}\n/gm
const CONSTANT = /^ {2}(const (peg\$[cre]\d+) = .*)\n/gm

/**
 * @param {string} code the functions that peggy generated, without imports and exports
 * @param {peggy.ast.Grammar} grammar
 * @param {readonly string[]} startRules
 * @returns {string} the function `peg$parse`, which throws `ParserError(expected, offset)`, and the
 *   constants that it reads
 */
export function leanParser(code, grammar, startRules) {
  let parser = code.slice(found(code, 'function peg$parse('))
  for (const name of UNUSED) parser = withoutFunction(parser, name)
  parser = parser
    .replace(/ {2}if \(options\.peg\$library\) \{\n(?: {4}.*\n)+ {2}\}\n/, '')
    .replace(/ {2}const peg\$(?:source|posDetailsCache) = .*\n/g, '')
    .replace('options.peg$currPos | 0', '0')
    .replace('options.peg$silentFails | 0', '0')
    .replace('options.peg$maxFailExpected || []', '[]')
    .replace('peg$throw();', 'throw new ParserError(peg$maxFailExpected, peg$maxFailPos);')
  const heard = heardRules(grammar, startRules)
  for (const { name, expression } of grammar.rules) {
    const from = found(parser, `  function peg$parse${name}() {`)
    const to = found(parser, '\n  }\n', from)
    // The description of a named rule is reported after its body, which is silent.
    const body = expression.type === 'named' ? parser.lastIndexOf('peg$silentFails--', to) : to
    if (!heard.has(name) || body < to)
      parser =
        parser.slice(0, from) + parser.slice(from, body).replace(FAIL, '') + parser.slice(body)
  }
  const constants = [...parser.matchAll(CONSTANT)]
  parser = parser.replace(CONSTANT, '')
  const used = new Set(parser.match(/peg\$[cre]\d+/g))
  const lines = constants.filter(([, , name]) => used.has(name)).map(([, line]) => asText(line))
  for (const rest of ['SyntaxError', 'Expectation', 'options.peg$', 'peg$source', 'peg$compute'])
    if (parser.includes(rest)) throw new Error(`"${rest}" is left: ${REMEDY}`)
  return `${lines.join('\n')}\n\n${parser}`
}

/**
 * The rules whose expectations are reported: those that a start rule reaches outside of named rules
 * and look-aheads.
 */
function heardRules(grammar, startRules) {
  const byName = new Map(grammar.rules.map((rule) => [rule.name, rule.expression]))
  const heard = new Set()
  const visit = (node) => {
    if (['named', 'simple_and', 'simple_not'].includes(node.type)) return
    if (node.type === 'rule_ref' && !heard.has(node.name)) {
      heard.add(node.name)
      visit(byName.get(node.name))
    }
    for (const part of node.elements ?? node.alternatives ?? [node.expression ?? []].flat())
      visit(part)
  }
  for (const name of startRules) visit({ type: 'rule_ref', name })
  return heard
}

/** The line of an expectation with its text in place of peggy's object; other lines as they are. */
function asText(line) {
  const [start, kind, text] = line.split(
    /peg\$(literal|class|any|other)Expectation\(("(?:\\.|[^"\\])*")?/,
  )
  if (kind === undefined) return line
  if (kind === 'other') return `${start}${text};`
  return `${start}${kind === 'literal' ? `'${text}'` : "''"};`
}

function withoutFunction(code, name) {
  const from = found(code, `  function ${name}(`)
  const to = found(code, '\n  }\n', from) + '\n  }\n'.length
  return code.slice(0, from) + code.slice(to).replace(/^\n/, '')
}

function found(code, text, from = 0) {
  const at = code.indexOf(text, from)
  if (at < 0) throw new Error(`"${text.trim()}" is missing: ${REMEDY}`)
  return at
}
