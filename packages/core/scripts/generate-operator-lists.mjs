// Generates the lists of operators of packages that do not load core, from src/filter/operators.ts.
//
//   node packages/core/scripts/generate-operator-lists.mjs            writes the files
//   node packages/core/scripts/generate-operator-lists.mjs --check    exits 1 when a file is stale

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'

const source = new URL('../src/filter/operators.ts', import.meta.url)
const { code } = await transform(readFileSync(source, 'utf8'), { loader: 'ts' })
const { OPERATORS, OPERATOR_HELP, takesList } =
  /** @type {typeof import('../src/filter/operators.ts')} */ (
    await import(`data:text/javascript,${encodeURIComponent(code)}`)
  )

const HEAD = `// generated from core's operators.ts by core/scripts/generate-operator-lists.mjs; do not edit.\n`
const names = /** @type {(keyof typeof OPERATORS)[]} */ (Object.keys(OPERATOR_HELP))

const completions = names.map((name) => ({
  spelling: OPERATORS[name].spellings[0],
  meaning: OPERATOR_HELP[name].meaning,
  isTextOnly: OPERATORS[name].test === null,
  takesList: takesList(name),
}))
const guide = names.flatMap((name) => {
  const [operators, meaning] = OPERATOR_HELP[name].guide ?? []
  return operators === undefined ? [] : [`  ${operators.padEnd(16)}${meaning}\n`]
})

const files = {
  '../../explorer/src/page/operators.generated.ts': `${HEAD}
export const OPERATORS = ${JSON.stringify(completions, null, 2)}
`,
  '../../mcp/src/operators.generated.ts': `${HEAD}
/** A line for each group of operators. */
export const OPERATOR_LINES = ${JSON.stringify(guide.join(''))}
`,
}

for (const [name, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(name, import.meta.url))
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is stale: run "npm run generate"`)
    process.exitCode = 1
  }
}
