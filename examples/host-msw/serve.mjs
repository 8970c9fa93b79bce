import { createRestHandler } from '@entia/rest'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { createStore } from './store.mjs'

/**
 * Answers requests of this process to http://store.example, from `fetch` or node:http, without a
 * port.
 * @param {import('@entia/rest').RestHandler} rest
 */
export async function serve(rest) {
  const url = 'http://store.example'
  // A pattern such as '*/rest/*' also works, but fails for addresses that cannot be decoded.
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
