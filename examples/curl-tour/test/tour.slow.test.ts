import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFlights, rest as options } from '../../flights/flights.mjs'

const script = fileURLToPath(new URL('../tour.sh', import.meta.url))
const store = createFlights()
const server = createServer(toNodeHandler(createRestHandler(store, options)))
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

test('every step of the tour gets its expected status, and the tour restores the data', async () => {
  const before = [store.Airport.count, store.Flight.count]
  const { port } = server.address() as AddressInfo
  const { code, output } = await run(`http://127.0.0.1:${port}/rest`)
  expect(output.slice(-1500)).toMatch(/\d\d steps, all as expected/)
  expect(code).toBe(0)
  expect([store.Airport.count, store.Flight.count]).toEqual(before)
})

/** Runs the tour asynchronously: the server is in this process and must answer meanwhile. */
function run(base: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn('bash', [script, base])
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    output += String(chunk)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}
