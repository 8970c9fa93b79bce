import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler } from '../../src/index.ts'
import { sendStream } from '../../src/transport/hosts/node-response.ts'
import { createHr } from '../http/models.ts'
import { readEvents, type SentEvent } from './follow.ts'

const nextSlice = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A response that counts writes, and whose client reads on demand. */
class SlowResponse {
  readonly written: string[] = []
  isReading = true
  #drain = (): void => {}

  on(event: string, listener: () => void): void {
    if (event === 'drain') this.#drain = listener
  }
  write(text: string): boolean {
    // Writing on while the client does not read would fill the memory.
    if (!this.isReading) expect(this.#isFull).toBe(false)
    this.#isFull = !this.isReading
    this.written.push(text)
    return this.isReading
  }
  #isFull = false
  read(): void {
    this.isReading = true
    if (!this.#isFull) return
    this.#isFull = false
    this.#drain()
  }
  end(): void {}
}

async function followed() {
  const store = createHr()
  store.Employee.all().remove()
  const rest = createRestHandler(store, { live: true })
  const { stream } = await rest.handle({
    method: 'GET',
    url: '/rest/Employee?$filter="salary>1000"&$live=true',
  })
  const response = new SlowResponse()
  void sendStream(response, stream as AsyncIterable<string>)
  await nextSlice()
  return { store, rest, response }
}

/** The state of a client that applies the received texts. */
async function stateOf(texts: readonly string[]): Promise<ReadonlyMap<unknown, unknown>> {
  const rest = [...texts]
  const rows = new Map<unknown, unknown>()
  let stamp = -1
  type Sent = readonly { readonly __KEY: string; readonly salary: number }[]
  for await (const { name, data } of readEvents(async () =>
    rest.shift(),
  ) as AsyncIterable<SentEvent>) {
    expect(data?.__GlobalStamp as number).toBeGreaterThan(stamp)
    stamp = data?.__GlobalStamp as number
    const put = (list: unknown, isKnown: boolean): void => {
      for (const { __KEY, salary } of list as Sent) {
        expect(rows.has(__KEY)).toBe(isKnown)
        rows.set(__KEY, salary)
      }
    }
    if (name === 'initial') put(data?.__ENTITIES, false)
    else {
      for (const key of (data?.__LEFT ?? []) as readonly string[])
        expect(rows.delete(key)).toBe(true)
      put(data?.__ENTERED, false)
      put(data?.__CHANGED, true)
    }
  }
  return rows
}

test('the commits of one task are sent as one text per client, also for several requests', async () => {
  const { store, response } = await followed()
  expect(response.written.length).toBe(1)
  for (let i = 0; i < 50; i++) {
    store.Employee.insert({ lastName: `Name ${i}`, salary: 2000 + i })
    await Promise.resolve()
  }
  await nextSlice()
  await nextSlice()
  expect(response.written.length).toBe(2)
  expect((await stateOf(response.written)).size).toBe(50)
})

type Step =
  | { readonly kind: 'save'; readonly place: number; readonly salary: number }
  | { readonly kind: 'remove'; readonly place: number }
  | { readonly kind: 'microtask' | 'task' | 'stop reading' | 'read' }
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('save' as const),
      place: fc.nat(6),
      salary: fc.nat(2000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), place: fc.nat(6) }) },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ kind: 'microtask' }, { kind: 'task' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'stop reading' }, { kind: 'read' }) },
)

test('a client that reads all events has the current result, with one text per task', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: '+1' }), async (steps) => {
      const { store, rest, response } = await followed()
      const keys: (number | null)[] = new Array(7).fill(null)
      let writtenBefore = response.written.length
      /**
       * Each task ends with at most one more text; `setImmediate` runs after those scheduled
       * before.
       */
      const endTask = async (): Promise<void> => {
        await nextSlice()
        expect(response.written.length - writtenBefore).toBeLessThanOrEqual(1)
        writtenBefore = response.written.length
      }
      for (const step of steps) {
        if (step.kind === 'save') {
          const key = keys[step.place]
          if (key === null || key === undefined)
            keys[step.place] = store.Employee.insert({ salary: step.salary }).ID
          else store.Employee.update(key, { salary: step.salary })
        } else if (step.kind === 'remove') {
          const key = keys[step.place]
          if (key !== null && key !== undefined) store.Employee.remove(key)
          keys[step.place] = null
        } else if (step.kind === 'microtask') await Promise.resolve()
        else if (step.kind === 'task') await endTask()
        else if (step.kind === 'read') {
          await endTask()
          response.read()
          await endTask()
        } else response.isReading = false
      }
      response.read()
      for (let i = 0; i < 4; i++) await endTask()
      const expected = store.Employee.query('salary > 1000').toArray()
      expect([...(await stateOf(response.written))].sort()).toEqual(
        expected.map(({ key, salary }) => [String(key), salary]).sort(),
      )
      rest.endStreams()
    }),
    runs(60),
  )
})
