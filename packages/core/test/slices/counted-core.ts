import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type typescript from 'typescript-5'
import type * as Core from '../../src/index.ts'

const ts: typeof typescript = createRequire(import.meta.url)('typescript-5')
const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url))
/** More functions and loops than core has. */
const MAX_PLACES = 1 << 14

/** Core, whose functions and loops count how often they run. */
export interface CountedCore {
  readonly core: typeof Core
  /** How often functions were called and bodies of loops were run, in all. */
  steps(): number
  /** Sets the mark from which `busiest` counts. */
  mark(): void
  /** The places with the most steps since the mark, for the message of a failure. */
  busiest(count: number): readonly string[]
}

/**
 * Builds core with a counter in every function and every body of a loop. Counts are exact and the
 * same on every machine, unlike times. Loops within functions of the language are not counted,
 * unless they call back.
 */
export async function countedCore(): Promise<CountedCore> {
  const places: string[] = []
  const folder = await mkdtemp(join(tmpdir(), 'entia-counted-'))
  try {
    const outfile = join(folder, 'core.mjs')
    await build({
      stdin: {
        contents: `export * from './index.ts'; export * from '$count'`,
        resolveDir: SOURCES,
        loader: 'ts',
      },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      nodePaths: [fileURLToPath(new URL('../../../../node_modules', import.meta.url))],
      plugins: [
        {
          name: 'count steps',
          setup(build) {
            build.onResolve({ filter: /^\$count$/ }, ({ path }) => ({ path, namespace: 'count' }))
            build.onLoad({ filter: /./, namespace: 'count' }, () => ({
              contents: `export const $count = new Float64Array(${MAX_PLACES})`,
            }))
            build.onLoad({ filter: /[\\/]core[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
              contents: counted(path, places),
              loader: 'ts',
            }))
          },
        },
      ],
      logLevel: 'error',
    })
    const { $count, ...core } = await import(/* @vite-ignore */ pathToFileURL(outfile).href)
    const before = new Float64Array(places.length)
    return {
      core,
      steps() {
        let all = 0
        for (let at = 0; at < places.length; at++) all += $count[at]
        return all
      },
      mark: () => before.set($count.subarray(0, places.length)),
      busiest(count) {
        const since = before.map((steps, at) => $count[at] - steps)
        return Array.from(since.keys())
          .sort((a, b) => since[b] - since[a])
          .slice(0, count)
          .map((at) => `${since[at]} ${places[at]}`)
      },
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Piece {
  readonly at: number
  readonly text: string
}

/** The text of a source file with its counters; adds its places to the list. */
function counted(path: string, places: string[]): string {
  const text = readFileSync(path, 'utf8')
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext)
  const opened: Piece[] = []
  const closed: Piece[] = []
  const counter = (node: typescript.Node): string => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
    places.push(`${path.slice(SOURCES.length)}:${line + 1}`)
    return `$count[${places.length - 1}]++`
  }
  const count = (body: typescript.Node): void => {
    if (ts.isBlock(body)) opened.push({ at: body.getStart(file) + 1, text: `${counter(body)};` })
    else {
      const [open, close] = ts.isStatement(body)
        ? [`{${counter(body)};`, '}']
        : [`(${counter(body)},`, ')']
      opened.push({ at: body.getStart(file), text: open })
      closed.push({ at: body.end, text: close })
    }
  }
  const visit = (node: typescript.Node): void => {
    if (ts.isIterationStatement(node, false)) count(node.statement)
    else if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
      count(node.body as typescript.Node)
    ts.forEachChild(node, visit)
  }
  visit(file)
  if (opened.length === 0) return text
  // At one place closings come first, the inner one before the outer one.
  const added = [...closed.reverse(), ...opened].sort((a, b) => a.at - b.at)
  let out = ''
  let from = 0
  for (const { at, text: piece } of added) {
    out += text.slice(from, at) + piece
    from = at
  }
  out += text.slice(from)
  return `import { $count } from '$count'\n${out}`
}
