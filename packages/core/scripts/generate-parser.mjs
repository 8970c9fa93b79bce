// Generates src/filter/parser.generated.ts from src/filter/filter.peggy.
//
//   node packages/core/scripts/generate-parser.mjs            writes the file
//   node packages/core/scripts/generate-parser.mjs --check    exits 1 when the file is not what the grammar gives
//
// Peggy is a development dependency: at run time it would build code from text.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import peggy from 'peggy'
import { leanParser } from './lean-parser.mjs'

const folder = new URL('../src/filter/', import.meta.url)
const grammarFile = fileURLToPath(new URL('filter.peggy', folder))
const parserFile = fileURLToPath(new URL('parser.generated.ts', folder))

const HEAD = `// @ts-nocheck generated from filter.peggy by scripts/generate-parser.mjs; do not edit.
import type { ConditionSyntax, FilterSyntax, OrderBySyntax, ParseState, PathSyntax } from './syntax.ts'
`

const INTERFACE = `
/** Thrown for a text that is not in the grammar. */
export class ParserError {
  /**
   * Descriptions of named rules, and literals in quotes; an empty text for a class of characters.
   */
  readonly expected: readonly string[];
  readonly offset: number;
  constructor(expected: readonly string[], offset: number) {
    this.expected = expected;
    this.offset = offset;
  }
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

function generateParser() {
  const grammar = readFileSync(grammarFile, 'utf8')
  const options = { allowedStartRules: ['Filter', 'OrderBy', 'AttributePath', 'QuotedCondition'] }
  const code = peggy.generate(grammar, { ...options, output: 'source', format: 'es' })
  const imports = code.slice(code.indexOf('import {'), code.indexOf('class peg$SyntaxError'))
  const parser = leanParser(
    code.slice(0, code.indexOf('\nconst peg$allowedStartRules')),
    peggy.generate(grammar, { ...options, output: 'ast' }),
    options.allowedStartRules,
  )
  return `${HEAD}${imports.trimEnd()}\n${INTERFACE}\n${parser}`
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
