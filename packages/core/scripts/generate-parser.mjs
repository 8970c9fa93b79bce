// Generates src/filter/parser.generated.ts from src/filter/filter.peggy.
//
//   node packages/core/scripts/generate-parser.mjs            writes the file
//   node packages/core/scripts/generate-parser.mjs --check    exits 1 when the file is not what the grammar gives
//
// Peggy is needed here only: at run time it would build code from text.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import peggy from 'peggy'

const room = new URL('../src/filter/', import.meta.url)
const grammarFile = fileURLToPath(new URL('filter.peggy', room))
const parserFile = fileURLToPath(new URL('parser.generated.ts', room))

const HEAD = `// @ts-nocheck generated from filter.peggy by scripts/generate-parser.mjs; do not edit.
import type { ParseState } from './grammar-actions.ts'
import type { ConditionSyntax, FilterSyntax, OrderBySyntax, PathSyntax } from './syntax.ts'
`

const DOOR = `
/** Thrown for a text that the grammar does not know. */
export const ParserError: new (...parts: never[]) => ParserError = peg$SyntaxError;
export interface ParserError extends SyntaxError {
  readonly expected: readonly (
    | { readonly type: 'other'; readonly description: string }
    | { readonly type: 'literal'; readonly text: string }
    | { readonly type: 'class' | 'any' | 'end' }
  )[];
  readonly location: { readonly start: { readonly offset: number } };
}

/** Reads a whole text as one rule of the grammar. */
export const parse: <Rule extends keyof ParsedRules>(text: string, options: ParserOptions<Rule>) => ParsedRules[Rule] =
  peg$parse;
export interface ParsedRules {
  readonly Filter: FilterSyntax;
  readonly OrderBy: OrderBySyntax;
  readonly AttributePath: PathSyntax;
  readonly QuotedCondition: ConditionSyntax;
}
export interface ParserOptions<Rule> extends ParseState {
  readonly startRule: Rule;
}
`

// Peggy's own words for what is wrong, and its drawing of the place: the filter room has its own,
// and they are a kilobyte gzipped.
const ERROR_TEXTS = { from: '\n  format(sources) {', to: '\n}\n\nfunction peg$parse(' }
const MESSAGE = 'peg$SyntaxError.buildMessage(expected, found)'

function withoutErrorTexts(code) {
  const from = code.indexOf(ERROR_TEXTS.from)
  const to = code.indexOf(ERROR_TEXTS.to)
  if (from < 0 || to < from || code.split(MESSAGE).length !== 2) {
    throw new Error(
      'peggy no longer writes its texts of errors where it did: look at what it generates',
    )
  }
  return (code.slice(0, from).trimEnd() + code.slice(to)).replace(MESSAGE, "''")
}

function generateParser() {
  const code = peggy.generate(readFileSync(grammarFile, 'utf8'), {
    output: 'source',
    format: 'es',
    allowedStartRules: ['Filter', 'OrderBy', 'AttributePath', 'QuotedCondition'],
  })
  const exports = code.indexOf('\nconst peg$allowedStartRules')
  if (exports < 0)
    throw new Error('peggy no longer ends its code with its exports: look at what it generates')
  return HEAD + withoutErrorTexts(code.slice(0, exports)) + DOOR
}

const generated = generateParser()
if (process.argv.includes('--check')) {
  if (readFileSync(parserFile, 'utf8') !== generated) {
    console.error('parser.generated.ts is stale: run "npm run generate"')
    process.exitCode = 1
  }
} else {
  writeFileSync(parserFile, generated)
}
