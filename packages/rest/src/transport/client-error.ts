/** What of a socket is used. */
export interface ClientErrorSocket {
  readonly writable: boolean
  /** The answer under way, as node:http keeps it. */
  readonly _httpMessage?: { readonly headersSent: boolean } | null
  end(text: string): unknown
  destroy(): unknown
}
export type ClientErrorHandler = (error: Error & { readonly code?: string }, socket: ClientErrorSocket) => void

interface WireFailure {
  readonly line: string
  readonly message: string
  readonly errCode: number
}

const MALFORMED: WireFailure = { line: '400 Bad Request', message: 'The request is malformed.', errCode: 1806 }
const FAILURES: ReadonlyMap<string, WireFailure> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    {
      line: '431 Request Header Fields Too Large',
      message: 'The address and headers of the request are too long together.',
      errCode: 9104,
    },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { line: '408 Request Timeout', message: 'The request took too long to arrive.', errCode: 9102 },
  ],
])

/**
 * Answers what the host could not even parse: alone, node:http would send an empty body. Where an answer is under way
 * already, the nonsense is the end of the request that it answers, and a second one would stand in the middle of it.
 */
export function answerClientError(error: Error & { readonly code?: string }, socket: ClientErrorSocket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent === true) {
    socket.destroy()
    return
  }
  const { line, message, errCode } = FAILURES.get(error.code ?? '') ?? MALFORMED
  const body = JSON.stringify({
    __ERROR: [{ message, componentSignature: errCode < 9000 ? 'dbmg' : 'entia', errCode }],
  })
  socket.end(
    [
      `HTTP/1.1 ${line}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  )
}
