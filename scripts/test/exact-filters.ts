/** A comparison that reads `@` and `*` in its value as wildcards. */
export interface PatternComparison {
  readonly line: number
  /** For example `city = :1`. */
  readonly comparison: string
}

/** A text of code or of a shell command, or code within prose. */
const QUOTED = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g
const PATH = String.raw`(?<![\w.\[\]$:<>=!#?&{-])(?!as\b)[A-Za-z_][\w.\[\]]*`
/** A placeholder, a value of a template, or a quoted text that is not itself a pattern. */
const VALUE = String.raw`(?::\w+|\$\{[^}@*]*\}|\\?(?:'[^'@*\\]*'|"[^"@*\\]*")`
const OPERATOR = String.raw`(?:\s*(?:==?|!=|#)\s*| in )`
/** A word that is not a number or another value; plain in a filter, unsafe to guess elsewhere. */
const WORD = String.raw`|(?!(?:true|false|null|not)\b)[\p{L}][\p{L}\p{N}]*(?![\p{L}\p{N}@*(-])`
const IN_FILTER = new RegExp(`${PATH}${OPERATOR}${VALUE}${WORD})`, 'giu')
const IN_TEXT = new RegExp(`${PATH}${OPERATOR}${VALUE})`, 'g')
/** A filter of an address or of a call is one for certain. */
const FILTER_PLACE =
  /(?:\b(?:query|explain|trace|find|refusal)\(|\bfilter(?: =|:|=\\?) ?|--filter )$/

/**
 * The comparisons of a page or program that a value with `@` or `*` turns into patterns. Finds
 * filters by their form: in `filter` blocks of pages, in quoted texts, and in prose as code.
 */
export function patternComparisons(text: string): readonly PatternComparison[] {
  let isFilter = false
  return text.split('\n').flatMap((line, at) => {
    if (line.startsWith('```')) isFilter = line.startsWith('```filter')
    const found = isFilter
      ? [...(line.split('→')[0] ?? '').matchAll(IN_FILTER)]
      : [...line.matchAll(QUOTED)].flatMap((quoted) => {
          const isCertain =
            FILTER_PLACE.test(line.slice(0, quoted.index)) || quoted[0].includes('$filter=')
          return [...quoted[0].slice(1, -1).matchAll(isCertain ? IN_FILTER : IN_TEXT)]
        })
    return found.map(([comparison]) => ({ line: at + 1, comparison: comparison.trim() }))
  })
}

/** Comments of a program, so that its own texts are not read as filters. */
export const commentsOf = (program: string): string =>
  program
    .split('\n')
    .map((line) => (/^\s*(?:\/?\*|\/\/)/.test(line) ? line : ''))
    .join('\n')
