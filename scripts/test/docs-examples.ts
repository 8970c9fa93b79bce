import { PGlite } from '@electric-sql/pglite'
import { build, type Loader, type Plugin } from 'esbuild'
import { filesBelow, readText, root } from './source-files.ts'

// The blocks of a page marked "ts run" form one program; `expression // → text` states the value of
// a line. A line of a "filter" block is a filter, and the text after its arrow is the result of the
// page's `find`. A block marked "ts run before" is another store's solution of the task in the
// heading.

export interface Example {
  readonly line: string
  readonly code: string
  /** Null for a line without a stated value. */
  readonly gives: string | null
  /** The heading above it. */
  readonly task: string
  readonly isBefore: boolean
}

export interface Block {
  /** The text after the backticks. */
  readonly info: string
  readonly text: string
}

/** All pages for users. */
export const pages: readonly string[] = [
  'README.md',
  'llms.txt',
  ...filesBelow('docs')
    .filter((file) => file.endsWith('.md') && !file.startsWith('site/'))
    .map((file) => `docs/${file}`),
  ...filesBelow('packages')
    .filter((file) => /^[^/]*\/README\.md$/.test(file))
    .map((file) => `packages/${file}`),
]

/** All fenced blocks of a page, in order. */
export function blocksOf(page: string): readonly Block[] {
  const blocks = readText(page).matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)
  return [...blocks].map(([, info, text]) => ({ info: info ?? '', text: text ?? '' }))
}

/** True for a page with components of React. */
export const isTsx = (page: string): boolean =>
  blocksOf(page).some(({ info }) => /^tsx\b/.test(info))

export const isRun = ({ info }: Block): boolean => /^(tsx?|js) run\b/.test(info)

/** TypeScript and JavaScript blocks that are neither run nor files of a program. */
export const fragmentsOf = (page: string): readonly Block[] =>
  blocksOf(page).filter(
    (block) => /^(tsx?|js)\b/.test(block.info) && !isRun(block) && !block.info.includes('file='),
  )

/** The text of the fragment with this start; empty if there is none. */
export const fragmentText = (page: string, first: string): string =>
  fragmentsOf(page).find(({ text }) => text.startsWith(first))?.text ?? ''

export function examplesOf(page: string): readonly Example[] {
  const examples: Example[] = []
  let info: string | null = null
  let task = ''
  for (const line of readText(page).split('\n')) {
    if (line.startsWith('```')) info = info === null ? line.slice(3) : null
    else if (info === null) task = /^#+ (.*)/.exec(line)?.[1] ?? task
    else if (info === 'filter') {
      const [filter = '', gives = ''] = line.split('→')
      const code = `find(${JSON.stringify(filter.trim())})`
      examples.push({ line, code, gives: gives.trim(), task, isBefore: false })
    } else if (/^(tsx?|js) run\b/.test(info)) {
      const [code = '', gives] = line.split('// →')
      const isBefore = info.endsWith('before')
      examples.push({ line, code: code.trimEnd(), gives: gives?.trim() ?? null, task, isBefore })
    }
  }
  return examples
}

/**
 * The pages as programs, in order. Each prints JSON: the values of lines with an arrow, and the
 * printed text. They are bundled together, because each contains the same sources.
 */
export const programsOf = (chosen: readonly string[]): Promise<readonly string[]> =>
  bundledAll(
    chosen.map((page) => [examplesOf(page).map(runnable).join('\n'), isTsx(page) ? 'tsx' : 'ts']),
  )

/** The code of a line; a stated value is compared when the program runs. */
export function runnable({ code, gives }: Pick<Example, 'code' | 'gives'>): string {
  if (gives === null) return code
  return /\bawait /.test(code)
    ? `;await givenLater(async () => (${code}))`
    : `;given(() => (${code}))`
}

/** Lines as a program that prints JSON: the values of `given`, and the printed text. */
export async function bundled(lines: string, loader: Loader): Promise<string> {
  const [program = ''] = await bundledAll([[lines, loader]])
  return program
}

const programText = (lines: string): string => `import { inspect } from 'node:util'
const results: string[] = [], printed: string[] = []
const console = { log: (text: unknown) => printed.push(typeof text === 'string' ? text : inspect(text)) }
const keep = (value: unknown) => {
  results.push(typeof value === 'string' ? value || '(nothing)' : inspect(value, { breakLength: Infinity, depth: 9 }))
}
const refuse = (error: unknown) => {
  if (error?.name !== 'EntiaError') throw error
  results.push('refused: ' + error.code)
}
const given = (run: () => unknown) => {
  try {
    keep(run())
  } catch (error) {
    refuse(error)
  }
}
const givenLater = (run: () => Promise<unknown>) => run().then(keep, refuse)
${lines}
// A page may leave a server or a timer behind.
process.stdout.write(JSON.stringify({ results, printed }), () => process.exit())`

const DATABASE = 'empty-database.tar'

/** PGlite of the programs: each database starts as a copy of an empty one, in less time. */
const PGLITE = `import { readFileSync } from 'node:fs'
import { PGlite as Started } from '@electric-sql/pglite'

export class PGlite extends Started {
  constructor(dataDir = 'memory://') {
    if (dataDir !== 'memory://') throw new Error('only databases in memory are copied')
    super(dataDir, { loadDataDir: new Blob([readFileSync(new URL('${DATABASE}', import.meta.url))]) })
  }
}`

let emptyDatabase: Promise<Uint8Array> | undefined

async function dumpEmptyDatabase(): Promise<Uint8Array> {
  await using database = await PGlite.create()
  const dump = await database.dumpDataDir('none')
  return new Uint8Array(await dump.arrayBuffer())
}

/** The files that a bundled program reads. */
export async function filesFor(program: string): Promise<Readonly<Record<string, Uint8Array>>> {
  if (!program.includes(DATABASE)) return {}
  emptyDatabase ??= dumpEmptyDatabase()
  return { [DATABASE]: await emptyDatabase }
}

async function bundledAll(
  programs: readonly (readonly [lines: string, loader: Loader])[],
): Promise<readonly string[]> {
  const given: Plugin = {
    name: 'given',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^program \d+$/ }, ({ path }) => ({ path, namespace: 'given' }))
      onResolve({ filter: /^@electric-sql\/pglite$/ }, ({ path, importer }) =>
        importer === path ? { path, external: true } : { path, namespace: 'given' },
      )
      onLoad({ filter: /^/, namespace: 'given' }, ({ path }) => {
        const [lines, loader] = programs[Number(path.slice('program '.length))] ?? []
        const contents = lines === undefined ? PGLITE : programText(lines)
        return { contents, loader: loader ?? 'js', resolveDir: root }
      })
    },
  }
  const { outputFiles } = await build({
    entryPoints: programs.map((_, at) => ({ in: `program ${at}`, out: String(at) })),
    outdir: root,
    plugins: [given],
    bundle: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    conditions: ['entia-source'],
    external: [
      ...['lokijs', '@seald-io/nedb', 'react', 'react-dom', 'pg'],
      ...['express', 'fastify', 'hono', '@hono/node-server', 'koa'],
    ],
    write: false,
  })
  return outputFiles.map(({ text }) => text)
}
