import { connect } from '@entia/client'
import { createRestHandler, type RestOptions } from '@entia/rest'
import { type CompanyStore, createCompany } from './company.ts'

/** A store behind a server without a socket. */
export function openServer(options: RestOptions = { live: true }, store = createCompany()) {
  const rest = createRestHandler(store, options)
  const requests: string[] = []
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let isDown = false
  let delay = 0
  let most = 0
  let isGone = false
  let opened = 0

  /** A stream that the test can break, and whose client reconnects at once. */
  function breakable(body: ReadableStream<Uint8Array>, signal: AbortSignal) {
    const reader = body.getReader()
    let controller: ReadableStreamDefaultController<Uint8Array>
    const end = () => {
      streams.delete(controller)
      return reader.cancel()
    }
    signal.addEventListener('abort', () => void end())
    return new ReadableStream<Uint8Array>({
      start(given) {
        controller = given
        opened++
        streams.add(controller)
        most = Math.max(most, streams.size)
      },
      async pull() {
        const { value } = await reader.read()
        if (value === undefined || !streams.has(controller)) return
        const text = new TextDecoder().decode(value).replace('retry: 2000', 'retry: 1')
        controller.enqueue(new TextEncoder().encode(text))
      },
      cancel: end,
    })
  }
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(decodeURIComponent(request.url.slice('http://x.example/rest/'.length)))
    if (delay > 0 && request.url.includes('$live')) await passed(delay, request.signal)
    if (isDown) throw new Error('the server is down')
    if (isGone)
      return new Response('{"__ERROR":[{"message":"not here any more"}]}', { status: 404 })
    const response = await rest.fetch(request)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || response.body === null) return response
    return new Response(breakable(response.body, request.signal), response)
  }
  return {
    store,
    rest,
    requests,
    db: connect<CompanyStore>('http://x.example/rest', { fetch }),
    /** Streams that are open, and that were ever opened. */
    streams: () => ({ open: streams.size, opened }),
    /** The largest number of streams that were open at once. */
    mostStreams: () => most,
    /** Every first answer of a stream takes this long, in milliseconds. */
    slowDown(milliseconds: number) {
      delay = milliseconds
    },
    stop() {
      isDown = true
      for (const controller of streams) controller.close()
      streams.clear()
    },
    start() {
      isDown = false
    },
    /** Ends the streams and refuses every request. */
    refuse() {
      isGone = true
      this.stop()
      isDown = false
    },
  }
}

/** Resolves after a time; rejects when the signal aborts. */
const passed = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
