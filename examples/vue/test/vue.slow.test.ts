// @vitest-environment happy-dom
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, effectScope, nextTick } from 'vue'
import { createStore } from '../store.mjs'
import { Tasks } from '../tasks.mjs'
import { useLive } from '../use-live.mjs'

/** The texts of the items. */
const textOf = (html = ''): string =>
  [...html.matchAll(/>([^<]+)</g)].map(([, text]) => text).join(' ')

test('the program renders the list on a server, without a live query', () => {
  const program = join(import.meta.dirname, '../app.mjs')
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' })
  const lists = [...printed.matchAll(/<ul>(.*)<\/ul>/g)].map(([, list]) => textOf(list))
  expect(lists).toEqual(['Read Write', 'Plan Read Write'])
})

test('the list follows its selection in order, and a button changes the selection', async () => {
  const store = createStore()
  const app = createApp(Tasks(store))
  const page = document.createElement('main')
  app.mount(page)
  const shown = async () => {
    await nextTick()
    return textOf(page.querySelector('ul')?.innerHTML)
  }
  expect(await shown()).toBe('Read Write')
  store.Task.update(1, { rank: 0 })
  store.Task.insert({ title: 'Plan', rank: 0.5 })
  expect(await shown()).toBe('Write Plan Read')
  store.transact(() => {
    store.Task.update(1, { title: 'Write more' })
    store.Task.remove(2)
  })
  expect(await shown()).toBe('Write more Plan')
  page.querySelector('button')?.click()
  expect(await shown()).toBe('Rest')
  app.unmount()
})

test('entities that did not change stay the same objects, and the end stops the live query', () => {
  const store = createStore()
  const scope = effectScope()
  const rows = scope.run(() => useLive(() => store.Task.all().orderBy('rank')))!
  const [, write, rest] = rows.value
  store.Task.update(2, { title: 'Read more' })
  expect(rows.value.map(({ title }) => title)).toEqual(['Read more', 'Write', 'Rest'])
  expect(rows.value.slice(1)).toEqual([write, rest])
  expect(rows.value[1]).toBe(write)
  scope.stop()
  store.Task.remove(2)
  expect(rows.value).toHaveLength(3)
})
