// Compiles components that Node imports, as the plugin of a bundler does for a page.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compile } from 'svelte/compiler'

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.endsWith('.svelte')) return next(url, context)
  const text = await readFile(fileURLToPath(url), 'utf8')
  const source = compile(text, { generate: 'server' }).js.code
  return { format: 'module', source, shortCircuit: true }
}
