import { createRestHandler } from '@entia/rest'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { createStore } from './store.mjs'

/**
 * Answers what this process asks of http://store.example with `fetch` or node:http; no port is opened.
 * @param {import('@entia/rest').RestHandler} rest
 */
export async function serve(rest) {
  const url = 'http://store.example'
  // A pattern like '*/rest/*' does too, but fails at an address that cannot be decoded.
  const server = setupServer(
    http.all(
      ({ request }) => request.url.startsWith(url + rest.basePath),
      ({ request }) => rest.fetch(request),
    ),
  )
  server.listen({ onUnhandledRequest: 'bypass' })
  return { url, close: async () => server.close() }
}

if (process.argv[1] === import.meta.filename) {
  const { url, close } = await serve(createRestHandler(createStore()))
  const response = await fetch(`${url}/rest/Employee?$attributes=lastName`)
  console.log(await response.text())
  await close()
}
