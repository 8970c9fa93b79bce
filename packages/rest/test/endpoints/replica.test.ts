import { attribute, createDataStore, defineDataClass, stampOf, timestampOf } from '@entia/core'
import { type BatchOutcome, BUCKET_PARTS, BucketMarks, HINT_LENGTH } from '@entia/core/internal'
import { createLocalEngine } from '@entia/engine'
import { expect, test, vi } from 'vitest'
import { createRestHandler, ReplicaState, type RestOptions } from '../../src/index.ts'
import { createHandlerOf } from '../../src/transport/handler/rest-handler.ts'

const Note = defineDataClass('Note', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  text: attribute.string({ maxLength: 5 }),
  secret: attribute.string({ exposed: false }),
  long: attribute.computed('long', {
    get: (note: { readonly text: string | null }) => note.text?.length ?? 0,
  }),
})
const REPLICA = 'abcdefghijklmnopqrstuvwxyz'

function served(options: Partial<RestOptions> = {}, dataClasses = [Note, ReplicaState]) {
  const store = createDataStore({ name: 'notes', dataClasses: dataClasses as [typeof Note] })
  const rest = createRestHandler(store, { replicas: true, ...options })
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const request = new Request(`http://notes.test/rest/${path}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const response = await rest.fetch(request)
    return { status: response.status, text: await response.text() }
  }
  return { store, rest, post }
}
const shapes = { Note: true }
/** A request with marks of two buckets, or what is given. */
const marks = (given: object): object => ({
  replica: REPLICA,
  shapes,
  marks: {
    Note: Array.isArray(given)
      ? given
      : { columns: ['ID'], count: 2, divided: [], text: 'A'.repeat(14), ...given },
  },
})

test('the address exists only with the option', async () => {
  const { post } = served({ replicas: false })
  const body = { replica: REPLICA, shapes, wait: 0 }
  expect((await post('$replica', body)).status).toBe(404)
  expect((await served().post('$replica', body)).status).toBe(200)
})

test('with wait 0 the answer ends at the first complete moment, and hidden attributes are not in it', async () => {
  const { store, post } = served()
  store.Note.insert({ text: 'a', secret: 'hidden' })
  const { text } = await post('$replica', { replica: REPLICA, shapes, wait: 0 })
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0].classes).toEqual([['Note', ['ID', 'text']]])
  expect(lines.at(-1)).toEqual(['=', store.globalStamp])
  expect(text).not.toContain('hidden')
  const [{ instance, fingerprint }] = lines
  const at = [instance, store.globalStamp, fingerprint]
  const again = await post('$replica', { replica: REPLICA, shapes, wait: 0, at })
  expect(again.text.split('\n').slice(1, -1)).toEqual([`["=",${store.globalStamp}]`])
})

test('a replica with other contents gets hints for its marks, and is sent the parts that differ', async () => {
  const { store, post } = served()
  for (let at = 0; at < 100; at++) store.Note.insert({ text: `t${at}` })
  const read = async (more: object): Promise<unknown[]> => {
    const { text } = await post('$replica', { replica: REPLICA, shapes, wait: 0, seed: 5, ...more })
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
  }
  const at = ['0'.repeat(32), 1, 'x']
  const asked = await read({ at })
  const hints = (asked[1] as [string, number, string])[2]
  expect(asked).toEqual([expect.objectContaining({ mode: 'marks' }), ['~', 0, hints]])
  const count = hints.length / HINT_LENGTH
  expect(count).toBe(3)
  const [marks, own] = [new BucketMarks(count, 5), new BucketMarks(count, 5)]
  const [first, ...others] = [...store.Note.all()]
  for (const note of others) {
    const [stamp, timestamp] = [stampOf(note), Date.parse(timestampOf(note))]
    marks.add(note.ID, stamp, timestamp, [note.ID, note.text])
    own.add(note.ID, stamp, timestamp, [])
  }
  const part = marks.partOf(first!.ID)
  const bucket = Math.floor(part / BUCKET_PARTS)
  expect(own.unlike(hints)).toEqual([bucket])
  const send = (divided: readonly number[], columns = ['ID', 'text']) => ({
    at,
    marks: { Note: { columns, count, divided, text: marks.text(divided) } },
  })
  const all = Array.from({ length: BUCKET_PARTS }, (_, index) => bucket * BUCKET_PARTS + index)
  for (const [divided, sent] of [
    [[bucket], [part]],
    [[0, 1, 2], [part]],
    [[], all],
  ] as const) {
    const compared = await read(send(divided))
    expect(compared[0]).toMatchObject({ mode: 'compare' })
    expect(compared[1]).toEqual(['~', 0, sent])
    const within = [...store.Note.all()].filter(({ ID }) =>
      (sent as readonly number[]).includes(marks.partOf(ID)),
    )
    expect((compared[2] as [number, [string[]]])[1][0]).toEqual(within.map(({ ID }) => ID))
    expect(compared[3]).toEqual(['=', store.globalStamp])
  }
  // Marks of other columns say nothing.
  const whole = await read(send([], ['ID']))
  expect((whole[1] as [number, [string[]]])[1][0]).toHaveLength(100)
})

test.each([
  ['no JSON', '{'],
  ['a list', []],
  ['a seed of more than 32 bits', { replica: REPLICA, shapes, seed: 2 ** 32 }],
  ['marks that are a list', marks([])],
  ['marks of no text', marks({ text: null })],
  ['an unknown member of marks', marks({ seed: 1 })],
  ['marks of another length', marks({ text: 'A'.repeat(7) })],
  ['no buckets', marks({ count: 0, text: '' })],
  ['a bucket that is divided twice', marks({ divided: [0, 0], text: 'A'.repeat(7 * 64) })],
  ['a bucket that does not exist', marks({ divided: [2], text: 'A'.repeat(7 * 33) })],
  ['more marks than entities may be', marks({ count: 4169, text: 'A'.repeat(7 * 4169) })],
  ['no id', { shapes }],
  ['a short id', { replica: 'x', shapes }],
  ['an unknown member', { replica: REPLICA, shapes, other: 1 }],
  ['an unknown member of a shape', { replica: REPLICA, shapes: { Note: { filtre: '' } } }],
  ['a shape that is false', { replica: REPLICA, shapes: { Note: false } }],
  ['a filter that is a number', { replica: REPLICA, shapes: { Note: { filter: 1 } } }],
  ['a filter that is malformed', { replica: REPLICA, shapes: { Note: { filter: 'text =' } } }],
  ['a hidden attribute', { replica: REPLICA, shapes: { Note: { filter: 'secret = x' } } }],
  ['a computed attribute', { replica: REPLICA, shapes: { Note: { filter: 'long = 1' } } }],
  ['an unknown dataclass', { replica: REPLICA, shapes: { Other: true } }],
  ['the state of replicas', { replica: REPLICA, shapes: { ReplicaState: true } }],
  ['a path that is no relation', { replica: REPLICA, shapes: { Note: { with: ['text'] } } }],
  ['a position that is a text', { replica: REPLICA, shapes, at: 'x' }],
  ['a wait of a second', { replica: REPLICA, shapes, wait: 1 }],
])('a stream is refused for %s', async (_, body) => {
  const { status, text } = await served().post('$replica', body)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(JSON.parse(text).__ERROR[0].message.length).toBeGreaterThan(10)
})

const aCall = { dataClass: 'Note', key: null, name: 'f', args: [] }
const bodyOf = (more: object) => ({
  replica: REPLICA,
  batches: [{ number: 1, call: { ...aCall, ...more } }],
})
const insert = { kind: 'insert', dataClass: 'Note', key: '7'.repeat(32), values: { text: 'a' } }
test.each([
  ['no batches', { replica: REPLICA }],
  ['a batch without a number', { replica: REPLICA, batches: [{ items: [] }] }],
  [
    'numbers that fall',
    { replica: REPLICA, batches: [2, 1].map((number) => ({ number, items: [] })) },
  ],
  [
    'an item of no kind',
    { replica: REPLICA, batches: [{ number: 1, items: [{ dataClass: 'Note', key: 1 }] }] },
  ],
  [
    'values that are a list',
    { replica: REPLICA, batches: [{ number: 1, items: [{ ...insert, values: [] }] }] },
  ],
  [
    'a lease of too many keys',
    { replica: REPLICA, batches: [], lease: { Note: { size: 10_001, lowest: 0, last: 0 } } },
  ],
  [
    'a call with items',
    { replica: REPLICA, batches: [{ number: 1, items: [insert], call: aCall }] },
  ],
  ['a call without a name', bodyOf({ name: undefined })],
  ['a call of a dataclass that is a number', bodyOf({ dataClass: 7 })],
  ['a call with a key that is a list', bodyOf({ key: [] })],
  ['a call with arguments that are no list', bodyOf({ args: 'x' })],
  ['a call with an unknown member', bodyOf({ session: 'x' })],
  [
    'a lease without the last key',
    { replica: REPLICA, batches: [], lease: { Note: { size: 1, lowest: 0 } } },
  ],
  [
    'an update without a stamp',
    {
      replica: REPLICA,
      batches: [{ number: 1, items: [{ ...insert, kind: 'update', before: {} }] }],
    },
  ],
])('batches are refused for %s', async (_, body) => {
  const { store, post } = served()
  expect((await post('$replica/batches', body)).status).toBe(400)
  expect(store.Note.all().count).toBe(0)
})

const outcomes = async (answer: Promise<{ readonly text: string }>) =>
  JSON.parse((await answer).text).outcomes

test('a batch that breaks a rule or names what is hidden is refused as a whole, and its number is used up', async () => {
  const { store, post } = served()
  const send = (number: number, ...items: unknown[]) =>
    outcomes(post('$replica/batches', { replica: REPLICA, batches: [{ number, items }] }))
  const other = { ...insert, key: '8'.repeat(32) }
  for (const [at, bad] of [
    { ...other, values: { text: 'too long' } },
    { ...other, values: { text: 7 } },
    { ...other, values: { secret: 'x' } },
    { ...other, values: { unknown: 'x' } },
    { ...other, dataClass: 'ReplicaState', key: 'x' },
    { ...other, key: insert.key },
  ].entries()) {
    const [outcome] = await send(at + 1, insert, bad)
    expect(outcome).toMatchObject({ kind: 'refused', number: at + 1 })
    expect(outcome.refusal.errors.length).toBeGreaterThan(0)
    expect(store.Note.all().count).toBe(0)
    expect((await send(at + 1, insert))[0]).toEqual(outcome)
  }
  expect(await send(7, insert)).toMatchObject([{ kind: 'applied', number: 7 }])
  expect(await send(7, insert)).toMatchObject([{ kind: 'applied', number: 7 }])
  expect(store.Note.all().count).toBe(1)
})

test.each([
  ['transactions', { items: [{ ...insert, values: { unknown: 'x' } }] }],
  ['calls', { call: aCall }],
])(
  'a client that never says which outcomes of %s have arrived is refused by name, and loses none',
  async (_, refused) => {
    const { store, post } = served()
    const send = async (
      received: number,
      first: number,
      count: number,
      batch: object = refused,
    ) => {
      const batches = Array.from({ length: count }, (_, at) => ({ number: first + at, ...batch }))
      const { text } = await post('$replica/batches', { replica: REPLICA, received, batches })
      const { outcomes, __ERROR } = JSON.parse(text)
      return outcomes?.map(({ kind }: BatchOutcome) => kind) ?? __ERROR[0].message
    }
    const kept = () => {
      const [state, ...others]: readonly unknown[] = store
        .dataClass('ReplicaState' as never)
        .all()
        .toArray()
      expect(others).toEqual([])
      return Object.keys((state as { readonly outcomes: object }).outcomes)
    }
    const all = (kind: string, count: number) => Array.from({ length: count }, () => kind)
    for (let first = 1; first <= 10_000; first += 80)
      expect(await send(0, first, 80)).toEqual(
        first < 200
          ? all('refused', Math.min(80, 201 - first))
          : expect.stringMatching(/"received".* above 200/),
      )
    expect(kept()).toHaveLength(200)
    // It was cut off, and sends again what it has no outcomes of.
    expect(await send(0, 161, 40)).toEqual(all('refused', 40))
    expect(await send(0, 1, 80)).toEqual(all('refused', 80))
    for (let first = 201; first <= 1001; first += 100)
      expect(await send(first - 1, first, 100)).toEqual(all('refused', 100))
    expect(kept()).toHaveLength(100)
    expect(await send(1100, 1101, 1, { items: [insert] })).toEqual(['applied'])
    expect(await send(1100, 1101, 1, { items: [insert] })).toEqual(['applied'])
    expect(store.Note.all().count).toBe(1)
  },
)

/** Each replica has the characters of its kept outcomes noted. */
function expectCounted(store: ReturnType<typeof served>['store']): void {
  for (const state of store.dataClass('ReplicaState' as never).all()) {
    const { outcomes, characters } = state as object as {
      readonly outcomes: object
      readonly characters: number
    }
    const lengths = Object.values(outcomes).map((outcome) => JSON.stringify(outcome).length)
    expect(characters).toBe(lengths.reduce((sum, length) => sum + length, 0))
  }
}

test('replicas of which every batch was refused take a bounded part of the store', async () => {
  const { store, post } = served()
  const send = async (replica: string, number: number, batch: object): Promise<BatchOutcome[]> => {
    const batches = [{ number, ...batch }]
    const { text } = await post('$replica/batches', { replica, received: number - 1, batches })
    return JSON.parse(text).outcomes
  }
  const idOf = (at: number) => String(at).padStart(22, 'a')
  const refused = { items: [{ ...insert, values: { unknown: 'x' } }] }
  const last = idOf(1000)
  for (let at = 1; at <= 1000; at++)
    expect(await send(idOf(at), 1, refused)).toMatchObject([{ kind: 'refused', number: 1 }])
  const states = store.dataClass('ReplicaState' as never)
  expect(states.all().count).toBeLessThanOrEqual(256)
  // The last one has the notes that it shares: what was refused stays refused.
  expect(await send(last, 1, { items: [insert] })).toMatchObject([{ kind: 'refused', number: 1 }])
  expect(await send(last, 2, { items: [insert] })).toMatchObject([{ kind: 'applied', number: 2 }])
  // Another one takes the shared entity, not the notes of a replica that has written.
  for (let at = 4000; at <= 4400; at++) await send(idOf(at), 1, refused)
  expect(await send(last, 2, { items: [insert] })).toMatchObject([{ kind: 'applied', number: 2 }])
  expect(states.all().count).toBeLessThanOrEqual(257)
  expect(store.Note.all().count).toBe(1)
  expectCounted(store)
})

/** A store with a long value, and a change of it that is refused with the value. */
function servedLong() {
  const Article = defineDataClass('Article', {
    ID: attribute.long({ key: true }),
    body: attribute.string(),
  })
  const site = served({}, [Article, ReplicaState] as object as [typeof Note])
  site.store.dataClass('Article' as never).insert({ ID: 1, body: 'long '.repeat(8000) } as never)
  const items = [
    {
      kind: 'update',
      dataClass: 'Article',
      key: 1,
      stamp: 0,
      before: { body: 'other' },
      values: { body: 'mine' },
    },
  ]
  return { ...site, items }
}

test('refusals with long values are answered in parts, and none is lost', async () => {
  const { store, post, items } = servedLong()
  let received = 0
  let requests = 0
  while (received < 100) {
    const batches = Array.from({ length: 100 - received }, (_, at) => ({
      number: received + at + 1,
      items,
    }))
    const answer = await post('$replica/batches', { replica: REPLICA, received, batches })
    const { outcomes } = JSON.parse(answer.text) as { readonly outcomes: BatchOutcome[] }
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ kind: 'refused', number: ++received })
    expect(JSON.stringify(outcomes).length).toBeLessThan(300_000)
    requests++
    expectCounted(store)
  }
  expect(requests).toBe(15)
})

test('a batch that is applied does not write the kept refusals again', async () => {
  const { store, post, items } = servedLong()
  const send = (batches: readonly object[]) =>
    post('$replica/batches', { replica: REPLICA, received: 0, batches })
  const insertions = Array.from({ length: 90 }, (_, at) => ({
    number: at + 7,
    items: [{ kind: 'insert', dataClass: 'Article', key: at + 2, values: {} }],
  }))
  await send(insertions.slice(0, 1).map((batch) => ({ ...batch, number: 1 })))
  await send([2, 3, 4, 5, 6].map((number) => ({ number, items })))
  const written = vi.spyOn(JSON, 'stringify')
  const { text } = await send(insertions.slice(1))
  const lengths = written.mock.results.map(({ value }) => String(value).length)
  written.mockRestore()
  const { outcomes } = JSON.parse(text) as { readonly outcomes: BatchOutcome[] }
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 89 }, () => 'applied'))
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(200_000)
  expectCounted(store)
})

test('a large commit is sent in pieces, between which others have their turn, as one moment', async () => {
  const { store, rest } = served()
  const idOf = (at: number): string => String(at).padStart(32, '0')
  const count = 10_000
  store.transact(() => {
    for (let at = 0; at < count; at++) store.Note.insert({ ID: idOf(at), text: 'old' })
  })
  const body = JSON.stringify({ replica: REPLICA, shapes })
  const request = new Request('http://notes.test/rest/$replica', { method: 'POST', body })
  const reader = (await rest.fetch(request)).body!.getReader()
  const shown = new Map<string, unknown>()
  /** Reads up to the next complete moment; `between` is called after each piece of it. */
  const moment = async (between: (pieces: number) => void): Promise<number> => {
    for (let pieces = 1; ; pieces++) {
      const text = new TextDecoder().decode((await reader.read()).value)
      for (const line of text.split('\n').filter((each) => each.startsWith('['))) {
        const [number, keys, , , values, columns] = JSON.parse(line)
        if (number === '=') return pieces
        if (Array.isArray(keys)) for (const key of keys[0]) shown.set(key, 'old')
        else if (values === undefined) shown.delete(keys)
        else shown.set(keys, values[columns === undefined ? 1 : columns.indexOf(1)])
      }
      between(pieces)
    }
  }
  await moment(() => {})
  expect(shown.size).toBe(count)
  store.transact(() => {
    for (let at = 0; at < count; at++) store.Note.update(idOf(at), { text: 'new' })
  })
  let turns = 0
  const turn = (): void => {
    turns++
    if (turns < 100) setImmediate(turn)
  }
  turn()
  const pieces = await moment((piece) => {
    // Of what was sent, and of what was not.
    for (const at of [piece, count - piece]) store.Note.update(idOf(at), { text: `p ${piece}` })
    for (const at of [10 + piece, count - 10 - piece]) store.Note.remove(idOf(at))
    store.Note.insert({ ID: idOf(count + piece), text: 'more' })
  })
  expect(pieces).toBe(3)
  expect(turns).toBeGreaterThanOrEqual(pieces)
  expect(shown).toEqual(new Map([...store.Note.all()].map(({ ID, text }) => [ID, text])))
  await reader.cancel()
})

test('a stream whose permissions are not known by the second heartbeat ends, and is sent nothing before', async () => {
  const store = createDataStore({ name: 'notes', dataClasses: [Note, ReplicaState] })
  const ticks = new Set<() => void>()
  const every = (_: number, tick: () => void) => {
    ticks.add(tick)
    return () => void ticks.delete(tick)
  }
  let answer = Promise.resolve(true)
  const rest = createHandlerOf(
    createLocalEngine(store),
    { replicas: true, authorize: () => answer },
    { host: { every } },
  )
  const body = JSON.stringify({ replica: REPLICA, shapes })
  const request = new Request('http://notes.test/rest/$replica', { method: 'POST', body })
  const reader = (await rest.fetch(request)).body!.getReader()
  let text = ''
  let isOver = false
  const reading = (async () => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      text += new TextDecoder().decode(value)
    }
    isOver = true
  })()
  const beat = async () => {
    for (const tick of ticks) tick()
    await settled()
  }
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20))
  for (let times = 0; times < 4; times++) await beat()
  expect(text).toMatch(/^\{.*\}\n+\["=",0\]\n\n+$/)
  // It is asked with the next heartbeat, and does not answer.
  answer = new Promise(() => {})
  await beat()
  const before = text
  store.Note.insert({ text: 'new' })
  await settled()
  expect([text, isOver]).toEqual([before, false])
  await beat()
  await reading
  expect(text).not.toContain('new')
  expect(ticks.size).toBe(0)
})

test('only the user who began a replica sends its batches', async () => {
  const { store, post } = served({
    identify: ({ header }) => ({ ID: String(header('user')), userName: 'x', fullName: 'x' }),
  })
  const send = async (number: number, user: string | null, caller: string): Promise<number> => {
    const body = { replica: REPLICA, user, batches: [{ number, items: [] }] }
    return (await post('$replica/batches', body, { user: caller })).status
  }
  // Batches of another user than the caller, from before a logout.
  expect(await send(1, null, 'bob')).toBe(403)
  expect(await send(1, 'ann', 'bob')).toBe(403)
  expect(store.dataClass('ReplicaState' as never).all().count).toBe(0)
  expect(await send(1, 'ann', 'ann')).toBe(200)
  expect(await send(2, 'bob', 'bob')).toBe(403)
  expect(await send(2, 'ann', 'ann')).toBe(200)
  expect(store.dataClass('ReplicaState' as never).all().count).toBe(1)
})

test('a store without ReplicaState is replicated, and refuses batches by name', async () => {
  const { post } = served({}, [Note] as never)
  expect((await post('$replica', { replica: REPLICA, shapes, wait: 0 })).status).toBe(200)
  const { status, text } = await post('$replica/batches', {
    replica: REPLICA,
    batches: [{ number: 1, items: [] }],
  })
  expect(status).toBeGreaterThanOrEqual(400)
  expect(text).toContain('ReplicaState')
})
