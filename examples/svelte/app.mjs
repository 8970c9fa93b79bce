// Renders the list on a server; test/svelte.slow.test.ts mounts it in a page.
import { register } from 'node:module'
import { render } from 'svelte/server'
import { createStore } from './store.mjs'

register('./svelte-files.mjs', import.meta.url)
const { default: Tasks } = await import('./Tasks.svelte')

const store = createStore()
const show = () => console.log(render(Tasks, { props: { store } }).body)

show()
store.Task.insert({ title: 'Plan', rank: 0 })
show()
