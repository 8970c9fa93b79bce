import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { readText, root } from './source-files.ts'

// A block marked "ts run" is a piece of one program per page; `expression // → text` says what a line gives. A line of a
// "filter" block is a filter, and the text behind its arrow what the page's own `find` gives for it.
const pages = ['docs/filter-language.md', 'docs/using-core.md']

interface Example {
  readonly line: string
  readonly code: string
  readonly gives: string | null // null for a line that is only run
}

function examplesOf(page: string): readonly Example[] {
  const examples: Example[] = []
  let block: string | null = null
  for (const line of readText(page).split('\n')) {
    if (line.startsWith('```')) block = block === null ? line.slice(3) : null
    else if (block === 'filter') {
      const [filter = '', gives = ''] = line.split('→')
      examples.push({ line, code: `find(${JSON.stringify(filter.trim())})`, gives: gives.trim() })
    } else if (block === 'ts run') {
      const [code = '', gives] = line.split('// →')
      examples.push({ line, code: code.trimEnd(), gives: gives?.trim() ?? null })
    }
  }
  return examples
}

/** The page as a module that exports what lines with an arrow gave, and what was printed. */
function programOf(examples: readonly Example[]): string {
  const lines = examples.map(({ code, gives }) => (gives === null ? code : `;given(() => (${code}))`))
  return `import { inspect } from 'node:util'
export const results: string[] = [], printed: string[] = []
const console = { log: (text: string) => printed.push(text) }
const given = (run: () => unknown) => {
  try {
    const value = run()
    results.push(typeof value === 'string' ? value || '(nothing)' : inspect(value, { breakLength: Infinity, depth: 9 }))
  } catch (error) {
    if (error?.name !== 'EntiaError') throw error
    results.push('refused: ' + error.code)
  }
}
${lines.join('\n')}`
}

test.each(pages)('%s: every example runs, and gives and prints what the page says', async (page) => {
  const examples = examplesOf(page)
  const stdin = { contents: programOf(examples), resolveDir: root, loader: 'ts' as const }
  const conditions = ['entia-source']
  const built = await build({ stdin, bundle: true, format: 'esm', platform: 'node', conditions, write: false })
  const program = encodeURIComponent(built.outputFiles[0]!.text)
  const { results, printed } = await import(`data:text/javascript,${program}`)
  const told = examples.filter(({ gives }) => gives !== null)
  expect(told.length).toBeGreaterThan(30)
  expect(told.map(({ line }, i) => [line, results[i]])).toEqual(told.map(({ line, gives }) => [line, gives]))
  for (const text of printed) expect(readText(page)).toContain(`\`\`\`\n${text}\n\`\`\``)
})

test('the examples compile, and what is marked as an error does not', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'entia-docs-'))
  const files = pages.map((_, i) => `page${i}.mts`)
  const programs = pages.map((page) => examplesOf(page).map(({ code }) => code))
  for (const [i, file] of files.entries()) writeFileSync(join(folder, file), programs[i]!.join('\n'))
  const paths = { '@entia/core': [join(root, 'packages/core/src/index.ts')] }
  const compilerOptions = { paths, typeRoots: [join(root, 'node_modules/@types')], noUnusedLocals: false }
  const config = { extends: join(root, 'tsconfig.test.json'), compilerOptions, include: [], files }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
})
