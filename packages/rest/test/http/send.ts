import { expect } from 'vitest'
import type { RestHandler } from '../../src/index.ts'

export interface Reply {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON, looked into by expectations only
  readonly body: any
  readonly text: string
}

/** Sends one request through `handle`, without a host, and parses the answer. */
export async function send(
  rest: RestHandler,
  method: string,
  url: string,
  body?: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<Reply> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await rest.handle({
    method,
    url,
    headers,
    ...(text === undefined ? {} : { body: text }),
  })
  const answered =
    typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body)
  const isJson = answered !== '' && reply.headers['content-type']?.startsWith('application/json')
  return {
    status: reply.status,
    headers: reply.headers,
    text: answered,
    body: isJson ? JSON.parse(answered) : null,
  }
}

export function get(rest: RestHandler, url: string): Promise<Reply> {
  return send(rest, 'GET', url)
}

export function post(rest: RestHandler, url: string, body?: unknown): Promise<Reply> {
  return send(rest, 'POST', url, body)
}

/** The codes of `__ERROR`, deepest cause first. */
export function errCodes(reply: {
  readonly body: { readonly __ERROR?: readonly { readonly errCode: number }[] }
}): readonly number[] {
  return (reply.body.__ERROR ?? []).map((entry) => entry.errCode)
}

/** Expects a refusal in the form of all refusals. */
export function expectError(reply: Reply, status: number, ...codes: readonly number[]): void {
  expect([reply.status, errCodes(reply)]).toEqual([status, codes])
  for (const entry of reply.body.__ERROR)
    expect(entry).toEqual({
      message: expect.any(String),
      componentSignature: expect.any(String),
      errCode: expect.any(Number),
    })
  expect(reply.headers['x-content-type-options']).toBe('nosniff')
  expect(reply.headers['cache-control']).toBe('no-store')
}

/** The parsed body of a web response. */
// biome-ignore lint/suspicious/noExplicitAny: parsed JSON, looked into by expectations only
export function json(response: Response): Promise<any> {
  return response.json()
}

/** The result of a function: the only member of its answer. */
export async function result(answer: Promise<Reply>): Promise<unknown> {
  const { status, body } = await answer
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['result'])
  return body.result
}

/** The keys of the entities of a page, in order. */
export function keys({ body }: Reply): readonly string[] {
  return body.__ENTITIES.map(({ __KEY }: { __KEY: string }) => __KEY)
}
