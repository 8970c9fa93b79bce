import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { extname } from 'node:path'
import { type Program, parse } from 'acorn'
import { CliError, fileError } from '../cli-error.ts'

const PROGRAM = /^\.[cm]?js$/
const TYPESCRIPT = /^\.[cm]?tsx?$/

/** True for a file of JavaScript or TypeScript, by its name. */
export const isProgram = (path: string): boolean =>
  PROGRAM.test(extname(path)) || TYPESCRIPT.test(extname(path))

/** The syntax tree of a file. Throws `CliError` if it cannot be read as JavaScript. */
export function parseFile(path: string): Program {
  refuseTypeScript(path)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw fileError(path, 'read', error)
  }
  const source = TYPESCRIPT.test(extname(path)) ? withoutTypes(path, text) : text
  const options = { ecmaVersion: 'latest', locations: true } as const
  try {
    return parse(source, { ...options, sourceType: 'module' })
  } catch (error) {
    try {
      return parse(source, { ...options, sourceType: 'commonjs' })
    } catch {
      throw new CliError(`${path} is not JavaScript: ${messageOf(error)}`)
    }
  }
}

/** Throws `CliError` for TypeScript that this Node cannot load, with what to do instead. */
export function refuseTypeScript(path: string): void {
  const extension = extname(path)
  if (!TYPESCRIPT.test(extension)) return
  if (extension.endsWith('x')) throw new CliError(`${path} has JSX. ${compileRemedy(path)}`)
  if (!canLoadTypes())
    throw new CliError(
      `${path} is TypeScript, which Node ${process.versions.node} cannot load: use Node 22.18 or newer. ${compileRemedy(path)}`,
    )
}

/** Imports of packages stay, so that the result finds them as the source does. */
const compileRemedy = (path: string): string =>
  `Or compile it with the files that it imports, and check the result: npx esbuild ${path} --bundle --packages=external --platform=node --format=esm --outfile=checked.mjs`

/** Blanks out the types, so that every place stays where it is. */
function withoutTypes(path: string, text: string): string {
  // Not in the types of Node 20.
  const strip: unknown = Reflect.get(nodeModule, 'stripTypeScriptTypes')
  if (typeof strip !== 'function') throw new CliError(`${path} is TypeScript.`)
  try {
    return String(strip(text))
  } catch (error) {
    throw new CliError(
      `${path} cannot be read by Node: ${messageOf(error)}. ${compileRemedy(path)}`,
    )
  }
}

/** True if Node loads TypeScript without a flag, so that the module can be loaded too. */
const canLoadTypes = (): boolean =>
  'stripTypeScriptTypes' in nodeModule && Boolean(Reflect.get(process.features, 'typescript'))

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
