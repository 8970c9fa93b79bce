import { createRestHandler } from '@entia/rest'
import { createStore } from './store.mjs'

// A Worker loads its modules once and then serves many requests, so the store lives in the module.
const rest = createRestHandler(createStore())

export default { fetch: rest.fetch }
