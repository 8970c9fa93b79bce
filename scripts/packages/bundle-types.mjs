/**
 * The declarations of a packed package: one file per export and chunks for shared ones, in `types`.
 * Without it core packs a file per module, most of which no program can name.
 *
 * The bundler needs the compiler API, which TypeScript 7 does not have: it runs with the TypeScript
 * 6 of this folder's lock file.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from '../prepare.mjs'

/** @typedef {{ code: string, isEntry: boolean, exports: readonly string[] }} DeclarationFile */

/** The folder of the declarations. */
const TYPES = 'types'

/**
 * `Disposable` and `Symbol.dispose` are in no default library of TypeScript, and `@types/node` has
 * them only for programs that name it in `types`.
 */
const withDisposable = {
  name: 'with-disposable',
  /** @param {unknown} _ @param {Record<string, DeclarationFile>} files */
  generateBundle: (_, files) => {
    for (const file of Object.values(files))
      if (/\b(?:Async)?Disposable\b|Symbol\.(?:d|asyncD)ispose\b/.test(file.code))
        file.code = `/// <reference lib="esnext.disposable" />\n${file.code}`
  },
}

/** @param {{ name?: unknown }} manifest */
export const hasBundledTypes = ({ name }) => name === '@entia/core'

/**
 * Only the other packages of Entia import `internal`, and the classes that no other entry exports;
 * their editors read the sources.
 */
const withoutInternalComments = {
  name: 'without-internal-comments',
  /** @param {unknown} _ @param {Record<string, DeclarationFile>} files */
  generateBundle: (_, files) => {
    const entries = Object.entries(files).filter(([, { isEntry }]) => isEntry)
    const published = new Set(
      entries.flatMap(([name, { exports }]) => (name === INTERNAL ? [] : exports)),
    )
    for (const [fileName, file] of Object.entries(files))
      file.code =
        fileName === INTERNAL
          ? withoutComments(file.code)
          : file.code.replaceAll(/^declare (?:abstract )?class (\w+).*?^}/gms, (text, name) =>
              published.has(name) ? text : withoutComments(text),
            )
  },
}
const INTERNAL = 'internal.d.ts'

const withoutComments = (/** @type {string} */ code) => code.replaceAll(/\/\*\*.*?\*\/\s*/gs, '')

/** One blank for each level in place of four: a twentieth of the declarations is indentation. */
const withNarrowIndents = {
  name: 'with-narrow-indents',
  /** @param {unknown} _ @param {Record<string, DeclarationFile>} files */
  generateBundle: (_, files) => {
    for (const file of Object.values(files))
      file.code = file.code.replaceAll(/^(?: {4})+/gm, ({ length }) => ' '.repeat(length / 4))
  },
}

/**
 * Writes the declarations of a built package.
 * @param {string} folder of the package
 */
export async function bundleTypes(folder) {
  const path = join(folder, 'package.json')
  const manifest = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  if (!hasBundledTypes(manifest)) return
  ensureInstalled('scripts/packages')
  // Untyped, because the packages are installed on demand.
  const { rollup } = await import(/** @type {string} */ ('rollup'))
  const { dts } = await import(/** @type {string} */ ('rollup-plugin-dts'))
  const bundle = await rollup({
    input: Object.fromEntries(
      Object.values(manifest.exports)
        .filter((target) => typeof target !== 'string')
        .map(({ types }) => [types.replace(/^\.\/dist\/|\.d\.ts$/g, ''), join(folder, types)]),
    ),
    plugins: [dts(), withoutInternalComments, withNarrowIndents, withDisposable],
    external: (/** @type {string} */ name) => !/^[./]/.test(name),
    // Shared types that no entry exports: a program names them through the types that use them.
    onwarn: () => {},
  })
  // Chunks of an earlier state have other names, and would be packed too.
  rmSync(join(folder, TYPES), { recursive: true, force: true })
  await bundle.write({
    dir: join(folder, TYPES),
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name]-[hash].d.ts',
  })
  await bundle.close()
}

/**
 * The manifest of a package with bundled declarations: it packs these and the JavaScript, and not
 * the sources.
 * @param {Record<string, any>} manifest
 * @returns {Record<string, any>}
 */
export function withBundledTypes(manifest) {
  const exports = Object.entries(manifest.exports).map(([entry, target]) => [
    entry,
    typeof target === 'string'
      ? target
      : { ...target, types: target.types.replace('./dist/', `./${TYPES}/`) },
  ])
  return {
    ...manifest,
    files: ['dist/**/*.js', TYPES],
    exports: Object.fromEntries(exports),
  }
}
