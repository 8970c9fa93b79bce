import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { BodyBudget } from '../../src/transport/body/body-budget.ts'
import { BodyPieces } from '../../src/transport/body/body-pieces.ts'
import { readBody } from '../../src/transport/body/body-reader.ts'
import { NodeBody } from '../../src/transport/body/node-body.ts'

/** A body of one-byte pieces; `onLast` is called before it ends. */
async function* bytewise(count: number, onLast: () => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield Uint8Array.of(at % 256)
  onLast()
}

/** Bytes in use after a full collection. */
function used(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const COUNT = 200_000
const expected = Uint8Array.from({ length: COUNT }, (_, at) => at % 256)

describe('pieces of a body', () => {
  test('are joined in order, whatever their sizes', () => {
    const size = fc.oneof(fc.constantFrom(0, 1, 2, 16_383, 16_384, 16_385, 40_000), fc.nat(300))
    fc.assert(
      fc.property(fc.array(size, { maxLength: 60 }), (sizes) => {
        const pieces = new BodyPieces()
        const all: number[] = []
        for (const [at, length] of sizes.entries()) {
          const piece = new Uint8Array(length).fill(at + 1)
          pieces.add(piece)
          all.push(...piece)
        }
        expect(pieces.size).toBe(all.length)
        expect(Buffer.compare(pieces.joined(), Uint8Array.from(all))).toBe(0)
      }),
      runs(60),
    )
  })

  test('take little more memory than their bytes, even if they are small', async () => {
    const bound = { maxBytes: COUNT, option: 'limits.maxBodyBytes' }
    const before = used()
    let between = 0
    const stream = bytewise(COUNT, () => {
      between = used()
    })
    const hold = new BodyBudget(COUNT, () => 0).begin()
    const body = await readBody(stream, () => null, bound, hold)
    expect(between - before).toBeLessThan(8 * COUNT)
    expect(body.kind === 'bytes' && Buffer.compare(body.bytes, expected)).toBe(0)
  })

  test('take little memory in a request of node:http, too', async () => {
    const listeners = new Map<string, (piece?: unknown) => void>()
    const request = {
      on: (event: string, listener: () => void) => listeners.set(event, listener),
      off: () => undefined,
      pause: () => undefined,
    }
    const before = used()
    const whole = new NodeBody(request).read(COUNT, () => new Error())
    for (const byte of expected) listeners.get('data')?.(Uint8Array.of(byte))
    expect(used() - before).toBeLessThan(8 * COUNT)
    listeners.get('end')?.()
    expect(Buffer.compare(await whole, expected)).toBe(0)
  })
})
