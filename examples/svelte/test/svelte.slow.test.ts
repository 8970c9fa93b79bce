// @vitest-environment happy-dom
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { compile } from 'svelte/compiler'
import { get } from 'svelte/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { liveStore } from '../live.mjs'
import { createStore } from '../store.mjs'

const folder = join(import.meta.dirname, '..')

/** The texts of the items. */
const textOf = (html = ''): string =>
  [...html.matchAll(/<li>([^<]+)</g)].map(([, text]) => text).join(' ')

test('the program renders the list on a server', () => {
  const printed = execFileSync(process.execPath, [join(folder, 'app.mjs')], { encoding: 'utf8' })
  const lists = [...printed.matchAll(/<ul>(.*)<\/ul>/g)].map(([, list]) => textOf(list))
  expect(lists).toEqual(['Read Write', 'Plan Read Write'])
})

test('a store of Svelte follows a selection in order while it has subscribers', () => {
  const store = createStore()
  const tasks = liveStore(store.Task.all().orderBy('rank'))
  const seen: string[] = []
  const end = tasks.subscribe((list) => seen.push(list.map(({ title }) => title).join(' ')))
  const [, write] = get(tasks)
  store.Task.update(3, { rank: 0 })
  store.Task.update(2, { title: 'Read more' })
  expect(get(tasks).at(-1)).toBe(write)
  end()
  store.Task.remove(1)
  expect(seen).toEqual(['Read Write Rest', 'Rest Read Write', 'Rest Read more Write'])
  expect(get(tasks).map(({ title }) => title)).toEqual(['Rest', 'Read more'])
})

// The component and a store in one bundle, as for a page.
const output = mkdtempSync(join(tmpdir(), 'entia-svelte-'))
interface Page {
  readonly createStore: typeof createStore
  readonly Tasks: unknown
  flushSync(): void
  mount(component: unknown, options: { target: Element; props: object }): object
  unmount(component: object): Promise<void>
}
let page: Page
beforeAll(async () => {
  await build({
    stdin: {
      contents: `export { createStore } from './store.mjs'
        export { flushSync, mount, unmount } from 'svelte'
        export { default as Tasks } from './Tasks.svelte'`,
      resolveDir: folder,
    },
    outfile: join(output, 'page.cjs'),
    bundle: true,
    format: 'cjs',
    conditions: ['browser'],
    logLevel: 'error',
    plugins: [
      {
        name: 'svelte',
        setup({ onLoad }) {
          onLoad({ filter: /\.svelte$/ }, ({ path }) => ({
            contents: compile(readFileSync(path, 'utf8'), { generate: 'client' }).js.code,
          }))
        },
      },
    ],
  })
  page = createRequire(import.meta.url)(join(output, 'page.cjs'))
})
afterAll(() => rmSync(output, { recursive: true }))

test('the component shows the list, and a button changes the selection', async () => {
  const store = page.createStore()
  const target = document.createElement('main')
  const component = page.mount(page.Tasks, { target, props: { store } })
  const shown = () => {
    page.flushSync()
    return textOf(target.innerHTML)
  }
  expect(shown()).toBe('Read Write')
  store.Task.insert({ title: 'Plan', rank: 0 })
  store.Task.update(1, { rank: 0.5 })
  expect(shown()).toBe('Plan Write Read')
  target.querySelector('button')?.click()
  expect(shown()).toBe('Rest')
  await page.unmount(component)
})
