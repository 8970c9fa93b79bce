import { beforeAll, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { BAD_INPUTS, type Input, ODD_ADDRESSES } from './bad-inputs.ts'
import { createHr } from './models.ts'
import { send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
let state: Buffer
beforeAll(() => {
  store = createHr()
  rest = createRestHandler(store)
  state = Buffer.from(store.dump())
})

/** Refused with 4xx and `__ERROR`; nothing about the store has changed, and it still answers. */
async function expectRefused([method, url, body, headers]: Input): Promise<void> {
  const reply = await send(rest, method, url, body, headers)
  expect(reply.status).toBeGreaterThanOrEqual(400)
  expect(reply.status).toBeLessThan(500)
  expect(reply.body.__ERROR.length).toBeGreaterThan(0)
  for (const { message, componentSignature, errCode } of reply.body.__ERROR) {
    expect([typeof message, typeof componentSignature, typeof errCode]).toEqual([
      'string',
      'string',
      'number',
    ])
    expect(message).not.toMatch(/\n\s+at |\/src\/|node_modules/)
  }
  // A batch answers every item; anything else is short.
  if (!Array.isArray(body)) expect(reply.text.length).toBeLessThan(65_536)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(Buffer.compare(Buffer.from(store.dump()), state)).toBe(0)
  expect((await send(rest, 'GET', '/rest/Company(1)')).status).toBe(200)
}

for (const [name, inputs] of BAD_INPUTS) {
  describe(name, () => {
    test.each(
      inputs.map(
        (input) => [`${input[0]} ${input[1]} ${input[2] ?? ''}`.slice(0, 90), input] as const,
      ),
    )('%s', async (_title, input) => expectRefused(input))
  })
}

describe('unusual but valid', () => {
  test.each(ODD_ADDRESSES)('%s', async (url) => {
    const reply = await send(rest, 'GET', url)
    expect(reply.status).toBe(200)
    if (url.includes('$filter') && !url.includes('or')) expect(reply.body.__COUNT).toBeLessThan(4)
  })
})
