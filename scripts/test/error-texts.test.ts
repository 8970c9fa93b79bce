import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { forBrowsers } from '../bundle-size.mjs'
import { root } from './source-files.ts'

/** A program in a browser bundle. */
async function bundleOf(contents: string): Promise<string> {
  const { outputFiles } = await build({
    ...forBrowsers,
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
  })
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
  const programs = {
    errors: "export { EntiaError, isEntiaError } from '@entia/core'",
    kernel: "export { attribute, createStore, defineDataClass } from '@entia/core/kernel'",
    kernelWithViews:
      "export { attribute, createStore, defineDataClass, views } from '@entia/core/kernel'",
    everything: "export * from '@entia/core'",
  }
  const found = Object.entries(programs).map(async ([name, program]) => [
    name,
    textsIn(await bundleOf(program)),
  ])
  expect(Object.fromEntries(await Promise.all(found))).toEqual({
    errors: [],
    kernel: ['transaction', 'filter'],
    kernelWithViews: ['transaction', 'filter', 'past'],
    everything: ['transaction', 'filter', 'server-state', 'server-state', 'past', 'dump'],
  })
})
