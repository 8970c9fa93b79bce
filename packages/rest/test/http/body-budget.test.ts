import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, type RestHandler, toNodeHandler } from '../../src/index.ts'
import { BodyBudget, type BodyHold } from '../../src/transport/body/body-budget.ts'
import { readBody } from '../../src/transport/body/body-reader.ts'
import { createHr } from './models.ts'

const KIB = 1024
const noHeader = () => null
const BOUND = { maxBytes: 100, option: 'limits.maxBodyBytes' }

/** A body whose pieces arrive when the test sends them. */
class Feed {
  readonly stream: ReadableStream<Uint8Array>
  isStopped = false
  #controller!: ReadableStreamDefaultController<Uint8Array>
  constructor() {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.isStopped = true
      },
    })
  }
  piece(size: number): void {
    if (!this.isStopped) this.#controller.enqueue(new Uint8Array(size).fill(65))
  }
  end(): void {
    if (!this.isStopped) this.#controller.close()
  }
  fail(): void {
    if (!this.isStopped) this.#controller.error(new Error('gone'))
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the budget of all bodies', () => {
  type Move =
    | readonly ['begin' | 'end' | 'fail' | 'answered' | 'wait', number]
    | readonly ['piece', number, number]
  const move: fc.Arbitrary<Move> = fc.oneof(
    fc.tuple(fc.constantFrom('begin', 'end', 'fail', 'answered', 'wait'), fc.nat(5)),
    fc.tuple(fc.constant('piece' as const), fc.nat(5), fc.integer({ min: 1, max: 60 })),
  )

  test('is never exceeded, is released after every body, and refuses bodies only if exhausted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 40 }), async (moves) => {
        let now = 0
        const budget = new BodyBudget(150, () => now)
        const bodies: {
          feed: Feed
          hold: BodyHold
          sent: number
          result: unknown
          isOver: boolean
        }[] = []
        for (const [kind, at, size = 0] of moves) {
          const body = bodies[at % Math.max(bodies.length, 1)]
          if (kind === 'wait') now += at * 10_000
          else if (kind === 'begin') {
            const hold = budget.begin()
            const feed = new Feed()
            const begun = { feed, hold, sent: 0, result: null as unknown, isOver: false }
            bodies.push(begun)
            Promise.resolve(readBody(feed.stream, noHeader, BOUND, hold)).then(
              (whole) => {
                begun.result = whole
              },
              (error) => {
                begun.result = error
                hold.end()
              },
            )
          } else if (body !== undefined && !body.isOver) {
            if (kind === 'piece') {
              body.feed.piece(size)
              body.sent += size
            } else if (kind === 'answered') body.isOver = body.result !== null
            else {
              body.isOver = true
              kind === 'end' ? body.feed.end() : body.feed.fail()
            }
            if (body.isOver && kind === 'answered') body.hold.end()
          }
          await settled()
          expect(budget.total).toBeLessThanOrEqual(150)
          const kept = bodies.reduce(
            (sum, { hold, result }) => sum + (isRefused(result) ? 0 : hold.bytes),
            0,
          )
          expect(budget.total).toBeLessThanOrEqual(kept)
        }
        for (const { feed, isOver, hold, result, sent } of bodies) {
          if (!isOver) feed.end()
          await settled()
          if (result !== null && !isRefused(result))
            expect(result).toMatchObject({ bytes: { length: sent } })
          hold.end()
        }
        expect(budget.total).toBe(0)
      }),
      runs(150),
    )
  })

  const isRefused = (result: unknown): boolean => result instanceof Error

  const read = (budget: BodyBudget, feed: Feed, hold = budget.begin()) =>
    Promise.resolve(readBody(feed.stream, noHeader, BOUND, hold)).then(
      () => 'whole',
      (error: { readonly code: string }) => error.code,
    )

  test('refuses the largest arriving body first, and after half a minute the oldest', async () => {
    let now = 0
    const budget = new BodyBudget(100, () => now)
    const [small, large, next, last] = [new Feed(), new Feed(), new Feed(), new Feed()]
    const results = [small, large, next].map((feed) => read(budget, feed))
    small.piece(10)
    large.piece(60)
    await settled()
    next.piece(50)
    await settled()
    expect([await results[1], budget.total, large.isStopped]).toEqual(['serverBusy', 60, true])
    now += 31_000
    const fourth = read(budget, last)
    last.piece(45)
    await settled()
    expect([await results[0], budget.total]).toEqual(['serverBusy', 95])
    next.end()
    last.end()
    expect(await Promise.all([results[2], fourth])).toEqual(['whole', 'whole'])
  })
})

describe('over node:http', () => {
  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  async function listen(rest: RestHandler): Promise<number> {
    const server = createServer(toNodeHandler(rest))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }
  /** A request with the beginning of its body, and what is answered. */
  function begin(
    port: number,
    announced: string,
    sent: number,
  ): { socket: Socket; answer: Promise<string> } {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`POST /rest/Employee HTTP/1.1\r\nHost: x\r\n${announced}\r\n\r\n`)
    if (announced.startsWith('Transfer')) socket.write(`${sent.toString(16)}\r\n`)
    socket.write('x'.repeat(sent))
    const answer = once(socket, 'data').then(
      ([data]) => String(data),
      () => '',
    )
    return { socket, answer }
  }

  test.each([`Content-Length: ${900 * KIB}`, 'Transfer-Encoding: chunked'])(
    'connections that only begin their bodies do not keep others out: %s',
    async (announced) => {
      const reported: unknown[] = []
      const onError = (error: unknown) => void reported.push(error)
      const rest = createRestHandler(createHr(), {
        limits: { maxPendingBodyBytes: 512 * KIB },
        onError,
      })
      const port = await listen(rest)
      const begun = Array.from({ length: 12 }, () => begin(port, announced, 100 * KIB))
      // As many as do not fit are refused while they wait for the rest of their bodies.
      const refused = await Promise.any(begun.map(({ answer }) => answer))
      expect(refused).toMatch(/^HTTP\/1\.1 503 /)
      expect(refused).toMatch(/retry-after: 1\r\n/i)
      expect(refused).toContain('"errCode":9121')
      expect(refused).toContain('limits.maxPendingBodyBytes')
      // Clients that send too much do not fill the log of the host.
      expect(reported).toEqual([])
      const save = () =>
        fetch(`http://127.0.0.1:${port}/rest/Employee`, {
          method: 'POST',
          body: '{"lastName":"Small"}',
        })
      expect((await save()).status).toBe(200)
      for (const { socket } of begun) socket.destroy()
      const large = JSON.stringify({ lastName: 'x'.repeat(400 * KIB) })
      await expect
        .poll(
          async () =>
            (await fetch(`http://127.0.0.1:${port}/rest/Employee`, { method: 'POST', body: large }))
              .status,
        )
        .toBe(200)
    },
  )

  test('a caller without permission is refused before the body is read', async () => {
    const rest = createRestHandler(createHr(), {
      authorize: ({ action, dataClass }) =>
        !(dataClass === 'Employee' && (action === 'create' || action === 'delete')),
    })
    for (const [method, url] of [
      ['POST', '/rest/Employee?$method=insert'],
      ['DELETE', '/rest/Employee'],
      ['POST', '/rest/Nowhere'],
    ] as const) {
      const feed = new Feed()
      const reading = feed.stream.getReader.bind(feed.stream)
      let isRead = false
      const body = {
        getReader: () => {
          isRead = true
          return reading()
        },
      }
      const reply = await rest.handle({ method, url, body })
      expect([url, reply.status, isRead]).toEqual([url, url.includes('Nowhere') ? 404 : 401, false])
    }
  })
})
