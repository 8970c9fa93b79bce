/** Vitest setup file: after each test file it puts back the classes of the Fetch API. */
import { afterAll } from 'vitest'

const own = ['Request', 'Response', 'Headers', 'fetch', 'WebSocket', 'EventSource'].map((name) => ({
  name,
  descriptor: Object.getOwnPropertyDescriptor(globalThis, name),
}))

afterAll(() => {
  for (const { name, descriptor } of own)
    if (descriptor === undefined) Reflect.deleteProperty(globalThis, name)
    else Object.defineProperty(globalThis, name, descriptor)
})
