// @vitest-environment happy-dom
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRestHandler } from '@entia/rest'
import { build } from 'esbuild'
import { compile, compileModule } from 'svelte/compiler'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStore } from '../store.mjs'
import type { createTasks } from '../tasks.mjs'

const folder = join(import.meta.dirname, '..')

// The component and the collection in one bundle, as for a page.
const output = mkdtempSync(join(tmpdir(), 'entia-tanstack-svelte-'))
interface Page {
  readonly createTasks: typeof createTasks
  readonly Tasks: unknown
  mount(component: unknown, options: { target: Element; props: object }): object
  unmount(component: object): Promise<void>
}
let page: Page
beforeAll(async () => {
  await build({
    stdin: {
      contents: `export { mount, unmount } from 'svelte'
        export { createTasks } from './tasks.mjs'
        export { default as Tasks } from './Tasks.svelte'`,
      resolveDir: folder,
    },
    outfile: join(output, 'page.cjs'),
    bundle: true,
    format: 'cjs',
    conditions: ['browser', 'svelte'],
    logLevel: 'error',
    plugins: [
      {
        name: 'svelte',
        setup({ onLoad }) {
          onLoad({ filter: /\.svelte$/ }, ({ path }) => ({
            contents: compile(readFileSync(path, 'utf8'), { generate: 'client' }).js.code,
          }))
          onLoad({ filter: /\.svelte\.js$/ }, ({ path }) => ({
            contents: compileModule(readFileSync(path, 'utf8'), { generate: 'client' }).js.code,
          }))
        },
      },
    ],
  })
  page = createRequire(import.meta.url)(join(output, 'page.cjs'))
})
afterAll(() => rmSync(output, { recursive: true }))

test('the list follows the server, and a click changes it at once', async () => {
  const store = createStore()
  const rest = createRestHandler(store, { live: true })
  const tasks = page.createTasks('http://tasks.test/rest', { fetch: rest.fetch })
  const target = document.createElement('main')
  const component = page.mount(page.Tasks, { target, props: { tasks } })
  const items = () => [...target.querySelectorAll<HTMLElement>('li button')]
  const shown = () => items().map(({ textContent }) => textContent)
  await expect.poll(shown).toEqual(['Read', 'Write'])
  store.Task.insert({ title: 'Plan', rank: 0 })
  await expect.poll(shown).toEqual(['Plan', 'Read', 'Write'])
  items()[1]?.click()
  await expect.poll(shown).toEqual(['Plan', 'Write'])
  await expect.poll(() => store.Task.get(2)?.done).toBe(true)
  target.querySelector('button')?.click()
  await expect.poll(shown).toEqual(['Read', 'Rest'])
  await page.unmount(component)
})
