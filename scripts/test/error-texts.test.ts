import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { forBrowsers } from '../bundle-size.mjs'
import { root } from './source-files.ts'

/** A program in a browser bundle. */
async function bundleOf(contents: string): Promise<string> {
  const { outputFiles } = await build({ ...forBrowsers, stdin: { contents, resolveDir: root }, absWorkingDir: root })
  return outputFiles.map(({ text }) => text).join('')
}

/** A piece of an error's text -> the module that throws it. */
const TEXTS = {
  'cannot be less than': 'transaction',
  'wrong comparison operator': 'filter',
  'such sessions already': 'server-state',
  'is locked by another session': 'server-state',
  'which can only be read': 'past',
  'cannot be opened': 'dump',
  'cannot be written to': 'node',
  'lacks a closing': '@entia/rest',
}
const textsIn = (bundle: string) =>
  Object.entries(TEXTS).flatMap(([text, module]) => (bundle.includes(text) ? [module] : []))

test('a bundle carries the texts of errors that its modules throw, and no others', async () => {
  const reading = await bundleOf("export * from './packages/core/src/read/reader.ts'")
  const writing = await bundleOf("export * from './packages/core/src/write/writer.ts'")
  const errors = await bundleOf("export { EntiaError, isEntiaError } from '@entia/core'")
  const all = await bundleOf("export * from '@entia/core'")
  expect([reading, writing, errors, all].map(textsIn)).toEqual([
    ['filter'],
    ['transaction'],
    [],
    ['transaction', 'filter', 'server-state', 'server-state', 'past', 'dump'],
  ])
})
