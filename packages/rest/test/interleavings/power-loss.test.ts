import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { openJournal } from '@entia/core/node'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fraction } from '../../../core/test/fraction.ts'
import { MemoryFiles } from '../../../core/test/node/memory-files.ts'
import { patience, runs } from '../../../core/test/runs.ts'
import { createRestHandler, type RestHandler } from '../../src/index.ts'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  value: attribute.long({ indexed: true }),
})
const newStore = () => createDataStore({ name: 'notes', dataClasses: [Note] })
type Store = ReturnType<typeof newStore>

/** Two lives of one folder, before and after the loss of power. */
const openOver = (store: Store, files: MemoryFiles, startedAt: number) => {
  const process = {
    pid: 1,
    startedAt,
    isAlive: () => true,
    birthOf: () => null,
    hasOpen: () => null,
    unique: () => `${++values}`,
    pause: async () => undefined,
  }
  const byHand = { flushMilliseconds: null, compactAboveBytes: 600, onError: () => undefined }
  return openJournal(store, 'data', byHand, {
    files,
    process,
    later: () => () => undefined,
    dumpPieceLength: 100,
    journalFileBytes: 1500,
  })
}

/** The values that clients were shown, by key and stamp of the entity. */
type Shown = Map<string, unknown>
interface Entity {
  readonly __KEY: string
  readonly __STAMP: number
  readonly value: unknown
}

function note(shown: Shown, entity: Entity): void {
  const id = `${entity.__KEY} at stamp ${entity.__STAMP}`
  if (shown.has(id)) expect([id, entity.value]).toEqual([id, shown.get(id)])
  shown.set(id, entity.value)
}

/** Remembers every entity in a JSON text, wherever it is. */
function noteAll(shown: Shown, text: string): void {
  if (text !== '')
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'object' && value !== null && '__STAMP' in value && 'value' in value)
        note(shown, value as Entity)
      return value
    })
}

const act = fc.record({
  kind: fc.constantFrom(
    'insert',
    'update',
    'update',
    'stale',
    'remove',
    'read',
    'page',
    'held',
    'inProcess',
  ),
  at: fc.nat(3),
})
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

let values = 0

/** One request; what it shows is remembered when its answer has come. */
async function carryOut(
  rest: RestHandler,
  store: Store,
  shown: Shown,
  { kind, at }: Act,
): Promise<void> {
  const keys = store.Note.all().keys()
  const key = keys[at % Math.max(1, keys.length)] ?? 1
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const input = {
      method,
      url: `/rest/${path}`,
      headers: { host: 'localhost', ...headers },
      ...text,
    }
    const answer = await rest.handle(input)
    noteAll(shown, String(answer.body))
    return answer
  }
  const value = ++values
  if (kind === 'insert') await ask('POST', 'Note', { value })
  else if (kind === 'update') await ask('POST', 'Note', { __KEY: String(key), value })
  else if (kind === 'stale') await ask('POST', 'Note', { __KEY: String(key), __STAMP: 99, value })
  else if (kind === 'remove') await ask('DELETE', `Note(${key})?$filter="value > ${value - 4}"`)
  else if (kind === 'read') await ask('GET', `Note(${key})`)
  else if (kind === 'page') await ask('GET', 'Note?$top=10')
  else if (kind === 'held') {
    const entity = store.Note.get(key as never)
    const { status } = await ask('GET', `Note(${key})`, undefined, {
      'if-none-match': `"${entity?.stamp ?? 0}"`,
    })
    // It confirms that the value of that stamp is unchanged.
    if (status === 304 && entity !== undefined)
      note(shown, { __KEY: String(key), __STAMP: entity.stamp, value: entity.value })
  } else if (store.Note.has(key as never)) store.Note.update(key as never, { value })
}

/** Follows all notes; what the events show is remembered. */
async function follow(rest: RestHandler, shown: Shown): Promise<void> {
  const { stream } = await rest.handle({
    method: 'GET',
    url: '/rest/Note?$live=true',
    headers: { host: 'localhost' },
  })
  if (stream === undefined) return
  for await (const text of stream)
    for (const line of text.split('\n'))
      if (line.startsWith('data: {')) noteAll(shown, line.slice('data: '.length))
}

test(
  'a power loss removes nothing that a reader was shown, and no stamp is used for another value',
  patience,
  async () => {
    let losses = 0
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 12,
          size: 'max',
        }),
        fc.oneof(fc.integer({ min: 6, max: 30 }), fc.integer({ min: 6, max: 90 })),
        fc.infiniteStream(fraction),
        async (rounds, at, stream) => {
          const files = new MemoryFiles()
          const store = newStore()
          const journal = await openOver(store, files, 1)
          files.stepsLeft = at
          const shown: Shown = new Map()
          const rest = createRestHandler(store, { durable: () => journal.flush(), live: true })
          const following = follow(rest, shown)
          // Requests of one round meet: each begins while the others wait for the disk.
          for (const round of rounds)
            await Promise.all(round.map((one) => carryOut(rest, store, shown, one)))
          const before = new Map(shown)
          rest.endStreams()
          await following
          if (files.stepsLeft <= 0) losses++

          const found = files.afterPowerLoss(() => stream.next().value)
          const again = newStore()
          const second = await openOver(again, found, 2)
          const restAgain = createRestHandler(again, { durable: () => second.flush(), live: true })
          for (const [id, value] of before) {
            const [key, stamp] = id.split(' at stamp ').map(Number)
            const entity = again.Note.get(key!)
            // A commit in progress may have removed or changed it.
            if (entity === undefined || entity.stamp > stamp!) continue
            compared++
            expect([id, entity.stamp, entity.value]).toEqual([id, stamp, value])
          }
          // Each entity changes further: a stamp that was shown must not get another value.
          for (let i = 0; i < 3; i++)
            for (const key of again.Note.all().keys())
              await carryOut(restAgain, again, shown, {
                kind: 'update',
                at: again.Note.all().keys().indexOf(key),
              })
          await second.close()
        },
      ),
      runs(160, 160),
    )
    expect(losses).toBeGreaterThan(10)
    expect(compared).toBeGreaterThan(50)
  },
)
