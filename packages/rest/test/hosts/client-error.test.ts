import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createClientErrorHandler } from '../../src/transport/handler/client-error.ts'

// ../http/pipelining.test.ts tests the same over real connections.

class FakeSocket {
  writable = true
  writableEnded = false
  destroyed = false
  text: string | null = null
  _httpMessage: FakeAnswer | null = null
  end(text: string): void {
    this.text = text
    this.writable = false
    this.writableEnded = true
  }
  destroy(): void {
    this.destroyed = true
    this.writable = false
  }
}

class FakeAnswer extends EventEmitter {
  headersSent = false
  shouldKeepAlive = true
  req: FakeRequest
  constructor(complete: boolean) {
    super()
    this.req = Object.assign(new FakeRequest(), { complete })
  }
}
class FakeRequest extends EventEmitter {
  complete = true
  aborted = false
}

const failure = (code: string): Error & { readonly code: string } =>
  Object.assign(new Error('wire'), { code })
const NONSENSE = failure('HPE_INVALID_METHOD')
const TIMEOUT = failure('ERR_HTTP_REQUEST_TIMEOUT')

test('malformed bytes behind an open request get one answer after it, however often they are reported', () => {
  const [socket, handler, answer] = [
    new FakeSocket(),
    createClientErrorHandler(),
    new FakeAnswer(true),
  ]
  socket._httpMessage = answer
  for (let n = 0; n < 20; n++) handler(NONSENSE, socket)
  expect([socket.text, socket.destroyed, answer.listenerCount('close')]).toEqual([null, false, 1])
  socket._httpMessage = null
  answer.emit('close')
  expect(socket.text).toMatch(/^HTTP\/1\.1 400 /)
})

test('a timeout closes a connection whose malformed bytes still wait for an answer', () => {
  const [socket, handler] = [new FakeSocket(), createClientErrorHandler()]
  socket._httpMessage = new FakeAnswer(true)
  handler(NONSENSE, socket)
  handler(TIMEOUT, socket)
  expect([socket.text, socket.destroyed]).toEqual([null, true])
})

test('a connection that has ended gets no further answer', () => {
  const [socket, handler, answer] = [
    new FakeSocket(),
    createClientErrorHandler(),
    new FakeAnswer(true),
  ]
  socket._httpMessage = answer
  handler(NONSENSE, socket)
  Object.assign(socket, { writable: false, writableEnded: true, _httpMessage: null })
  answer.emit('close')
  expect([socket.text, socket.destroyed]).toEqual([null, false])
})

test('a request whose body is broken is answered by the handler that reads it', () => {
  const [socket, handler, answer] = [
    new FakeSocket(),
    createClientErrorHandler(),
    new FakeAnswer(false),
  ]
  const reported: unknown[] = []
  answer.req.on('aborted', (reason) => reported.push(reason))
  socket._httpMessage = answer
  handler(TIMEOUT, socket)
  expect([socket.text, answer.shouldKeepAlive, reported]).toEqual([
    null,
    false,
    [expect.objectContaining({ code: 'requestTimeout' })],
  ])
  answer.emit('close')
  expect(socket.text).toBe('')
})

test('a broken body of a route of another handler gets a 400', () => {
  const [socket, handler, answer] = [
    new FakeSocket(),
    createClientErrorHandler(),
    new FakeAnswer(false),
  ]
  answer.req.on('data', () => undefined)
  socket._httpMessage = answer
  handler(NONSENSE, socket)
  expect(socket.text).toMatch(/^HTTP\/1\.1 400 /)
})

test('nothing is written in the middle of another answer or after a reset', () => {
  const cases: readonly [Error & { readonly code: string }, Partial<FakeSocket>][] = [
    [NONSENSE, { _httpMessage: Object.assign(new FakeAnswer(false), { headersSent: true }) }],
    [failure('ECONNRESET'), {}],
    [NONSENSE, { writable: false }],
  ]
  for (const [error, state] of cases) {
    const socket = Object.assign(new FakeSocket(), state)
    createClientErrorHandler()(error, socket)
    expect([socket.text, socket.destroyed]).toEqual([null, true])
  }
})
