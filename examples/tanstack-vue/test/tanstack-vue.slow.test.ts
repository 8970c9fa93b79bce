// @vitest-environment happy-dom
import { connect } from '@entia/client'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { createApp } from 'vue'
import { createStore } from '../store.mjs'
import { Tasks } from '../tasks.mjs'

test('the list follows the server, and a click changes it at once', async () => {
  const store = createStore()
  const rest = createRestHandler(store, { live: true })
  const app = createApp(Tasks(connect('http://tasks.test/rest', { fetch: rest.fetch })))
  const page = document.createElement('main')
  app.mount(page)
  const items = () => [...page.querySelectorAll('li')]
  const shown = () => items().map(({ textContent }) => textContent)
  await expect.poll(shown).toEqual(['Read', 'Write'])
  store.Task.insert({ title: 'Plan', rank: 0 })
  await expect.poll(shown).toEqual(['Plan', 'Read', 'Write'])
  items()[1]?.click()
  await expect.poll(shown).toEqual(['Plan', 'Write'])
  await expect.poll(() => store.Task.get(2)?.done).toBe(true)
  page.querySelector('button')?.click()
  await expect.poll(shown).toEqual(['Read', 'Rest'])
  app.unmount()
})
