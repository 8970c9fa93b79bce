// Renders the list on a server; test/vue.slow.test.ts mounts it in a page.
import { createSSRApp } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { createStore } from './store.mjs'
import { Tasks } from './tasks.mjs'

const store = createStore()
const show = async () => console.log(await renderToString(createSSRApp(Tasks(store))))

await show()
store.Task.insert({ title: 'Plan', rank: 0 })
await show()
