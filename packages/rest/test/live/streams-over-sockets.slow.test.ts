import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import {
  type AuthorizeQuestion,
  createRestHandler,
  ReplicaState,
  type RestOptions,
  toNodeHandler,
} from '../../src/index.ts'

// Streams over a server of node:http, whose clients are sockets that read when a test says so.

const Folder = defineDataClass('Folder', {
  ID: attribute.string({ key: true }),
  notes: attribute.relatedEntities('Note', 'folder'),
  members: attribute.relatedEntities('Member', 'folder'),
})
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  isPublic: attribute.bool({ notNull: true, default: false }),
  text: attribute.string(),
  folder: attribute.relatedEntity('Folder'),
})
const Member = defineDataClass('Member', {
  ID: attribute.string({ key: true }),
  user: attribute.string(),
  folder: attribute.relatedEntity('Folder'),
})

/** More than the buffers of a connection hold. */
const LONG = 'x'.repeat(16_000_000)
const REPLICA = 'abcdefghijklmnopqrstuvwxyz'

async function serve(options: RestOptions) {
  const store = createDataStore({
    name: 'notes',
    dataClasses: [Note, Folder, Member, ReplicaState],
  })
  const rest = createRestHandler(store, { live: true, replicas: true, ...options })
  const server = createServer(toNodeHandler(rest))
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    rest.endStreams()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const post = async (path: string, body: unknown) =>
    (
      await fetch(`http://127.0.0.1:${port}/rest/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    ).json()
  /** Opens a stream. Resolves with the client and the server's side of its connection. */
  const open = async (request: string) => {
    const client = new Client(port, request)
    await until(() => sockets.some(({ remotePort }) => remotePort === client.port))
    const socket = sockets.find(({ remotePort }) => remotePort === client.port)!
    return { client, socket }
  }
  return { store, rest, post, open }
}

/** A connection with one request. */
class Client {
  readonly #socket: Socket
  /** What has arrived, with one letter in place of the long text. */
  text = ''

  constructor(port: number, request: string) {
    this.#socket = connect(port, '127.0.0.1', () => this.#socket.write(request))
    this.#socket.setEncoding('utf8')
    this.#socket.on('data', (piece: string) => {
      this.text += piece.replace(/x{9,}/g, 'x')
    })
    this.#socket.on('error', () => {})
    onTestFinished(() => void this.#socket.destroy())
  }

  get port(): number | undefined {
    return this.#socket.localPort
  }
  pause(): void {
    this.#socket.pause()
  }
  resume(): void {
    this.#socket.resume()
  }
}

const streamOf = (shapes: object, replica = REPLICA): string => {
  const body = JSON.stringify({ replica, shapes, wait: null })
  return [
    'POST /rest/$replica HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}
const liveOf = (address: string): string =>
  `GET /rest/${address}?$live=true HTTP/1.1\r\nHost: localhost\r\n\r\n`

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await turn()
}
/** The end of a complete moment. */
const moment = ({ globalStamp }: { readonly globalStamp: number }): string => `["=",${globalStamp}]`

/** A client that has stopped to read, while more waits for it than its connection holds. */
async function unread(office: Awaited<ReturnType<typeof serve>>, request: string, first: string) {
  const { store, open } = office
  const note = store.Note.insert({ text: 'a', isPublic: true })
  const { client, socket } = await open(request)
  await until(() => client.text.includes(first))
  client.pause()
  store.Note.update(note.ID, { text: LONG })
  await until(() => socket.writableLength > 1_000_000)
  return { client, socket, note }
}

test('what waits for a replica that does not read is bounded, and the stream ends with the reason', async () => {
  const office = await serve({ replicas: { maxEntities: 50 } })
  const { store, open } = office
  const { client } = await unread(office, streamOf({ Note: true }), '["="')
  const other = await open(streamOf({ Note: true }, REPLICA.replace('a', 'b')))
  await until(() => other.client.text.includes(moment(store)))
  // None of them is in the contents for long, and each would be a line.
  for (let at = 0; at < 40; at++) store.Note.remove(store.Note.insert({ text: 'b' }).ID)
  await until(() => other.client.text.includes(moment(store)))
  for (let at = 0; at < 40; at++) store.Note.remove(store.Note.insert({ text: 'b' }).ID)
  await until(() => other.client.text.includes(moment(store)))
  const { globalStamp } = store
  client.resume()
  await until(() => client.text.endsWith('\r\n0\r\n\r\n'))
  expect(client.text).toContain('["!","budgetExceeded"]')
  expect(client.text).not.toContain(moment({ globalStamp }))
  expect(other.client.text).not.toContain('"!"')
})

test.each([
  ['arrived', true],
  ['not arrived', false],
])('outcomes that have %s are kept for a stream that is not read: %s', async (_, hasArrived) => {
  const office = await serve({ replicas: { maxEntities: 5 } })
  const { store, post } = office
  const { client } = await unread(office, streamOf({ Note: true }), '["="')
  for (let number = 1; number <= 20; number++) {
    const received = hasArrived ? number - 1 : 0
    const items = [{ kind: 'insert', dataClass: 'Note', key: 7, values: { nothing: 1 } }]
    const body = { replica: REPLICA, received, batches: [{ number, items }] }
    const { outcomes } = (await post('$replica/batches', body)) as { readonly outcomes: unknown[] }
    expect(outcomes).toMatchObject([{ kind: 'refused', number }])
  }
  client.resume()
  await until(() => /\["!"|"number":20/.test(client.text))
  expect(client.text.includes('["!","budgetExceeded"]')).toBe(!hasArrived)
  expect(client.text.includes(moment(store))).toBe(hasArrived)
  expect(client.text.match(/\["b"/g)?.length ?? 0).toBe(hasArrived ? 1 : 0)
})

test.each([
  ['a replica', streamOf({ Note: true }), '["="'],
  ['a live query', liveOf('Note'), 'initial'],
])(
  '%s that does not read is disconnected soon after the server has ended its stream',
  async (_, request, first) => {
    const office = await serve({})
    const { socket } = await unread(office, request, first)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    office.rest.endStreams()
    await turn()
    vi.advanceTimersByTime(1900)
    await turn()
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(200)
    await until(() => socket.destroyed)
  },
)

test('a slow client reads the rest of a stream that the server has ended', async () => {
  const office = await serve({})
  const { client } = await unread(office, streamOf({ Note: true }), '["="')
  office.rest.endStreams()
  await turn()
  client.resume()
  await until(() => client.text.endsWith('\r\n0\r\n\r\n'))
  expect(client.text).toContain(moment(office.store))
})

/** Permissions as the test says, which are asked until it goes on. */
function slowPermissions() {
  let rows: true | string = true
  let waiting: (() => void)[] = []
  let isSlow = false
  return {
    authorize: async ({ dataClass, action, attribute }: AuthorizeQuestion) => {
      const answer = rows
      if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve))
      return attribute !== undefined || action !== 'read' || dataClass !== 'Note' ? true : answer
    },
    change(now: true | string) {
      rows = now
    },
    slow() {
      isSlow = true
    },
    get isAsked() {
      return waiting.length > 0
    },
    goOn() {
      isSlow = false
      for (const go of waiting) go()
      waiting = []
    },
  }
}

test('a stream shows nothing while permissions are asked again, and ends with other ones', async () => {
  const permissions = slowPermissions()
  const { store, rest, open } = await serve({ authorize: permissions.authorize })
  store.Note.insert({ text: 'a' })
  const { client } = await open(streamOf({ Note: true }))
  await until(() => client.text.includes(moment(store)))
  permissions.slow()
  rest.permissionsChanged()
  await until(() => permissions.isAsked)
  store.Note.insert({ text: 'still permitted' })
  for (let at = 0; at < 20; at++) await turn()
  expect(client.text).not.toContain('still permitted')
  permissions.goOn()
  await until(() => client.text.includes('still permitted'))
  permissions.slow()
  permissions.change('isPublic = true')
  rest.permissionsChanged()
  store.Note.insert({ text: 'secret' })
  await until(() => permissions.isAsked)
  for (let at = 0; at < 20; at++) await turn()
  permissions.goOn()
  await until(() => client.text.endsWith('\r\n0\r\n\r\n'))
  expect(client.text).not.toContain('secret')
})

test('permissions that change while they are asked again are asked once more, and the stream goes on', async () => {
  const permissions = slowPermissions()
  let asked = 0
  const authorize: RestOptions['authorize'] = (question) => {
    if (question.action === 'describe' && question.dataClass === 'Note') asked++
    return permissions.authorize(question)
  }
  const { store, rest, open } = await serve({ authorize })
  store.Note.insert({ text: 'a' })
  const { client } = await open(streamOf({ Note: true }))
  const { client: live } = await open(liveOf('Note'))
  await until(() => client.text.includes(moment(store)) && live.text.includes('initial'))
  const before = asked
  rest.permissionsChanged()
  for (let at = 0; at < 20; at++) await turn()
  const once = asked - before
  expect(once).toBeGreaterThan(0)
  permissions.slow()
  for (let at = 0; at < 3; at++) rest.permissionsChanged()
  await until(() => permissions.isAsked)
  rest.permissionsChanged()
  store.Note.insert({ text: 'still permitted' })
  await until(() => live.text.includes('still permitted'))
  expect(client.text).not.toContain('still permitted')
  permissions.goOn()
  await until(() => client.text.includes('still permitted'))
  expect(asked).toBe(before + 3 * once)
  // The second answer counts.
  permissions.slow()
  rest.permissionsChanged()
  await until(() => permissions.isAsked)
  permissions.change('isPublic = true')
  rest.permissionsChanged()
  store.Note.insert({ text: 'secret' })
  permissions.goOn()
  await until(() => client.text.endsWith('\r\n0\r\n\r\n'))
  expect(client.text).not.toContain('secret')
  store.Note.insert({ text: 'the end' })
  await until(() => live.text.includes('the end'))
})

test('permissions that change while a stream is being opened count', async () => {
  const permissions = slowPermissions()
  const { store, rest, open } = await serve({ authorize: permissions.authorize })
  store.Note.insert({ text: 'secret' })
  permissions.slow()
  const { client } = await open(streamOf({ Note: true }))
  await until(() => permissions.isAsked)
  permissions.change('isPublic = true')
  rest.permissionsChanged()
  permissions.goOn()
  await until(() => client.text.endsWith('\r\n0\r\n\r\n'))
  expect(client.text).not.toContain('secret')
})

/** Rows that Ann may read: public notes, and what is in the folders of which she is a member. */
const byMembership: RestOptions['authorize'] = ({ dataClass, action, attribute }) => {
  if (action !== 'read' || attribute !== undefined) return true
  if (dataClass === 'Note') return 'isPublic = true or folder.members.user = ann'
  return dataClass === 'Folder' ? 'members.user = ann' : false
}

test('the folder of a public note is sent while its reader is a member, also to one that was not reading', async () => {
  const office = await serve({ authorize: byMembership })
  const { store } = office
  store.Folder.insert({ ID: 'hidden' })
  const shown = store.Note.insert({ isPublic: true, text: 'shown', folder: 'hidden' })
  const { client } = await unread(office, streamOf({ Note: true }), '["="')
  store.Member.insert({ ID: 'm', user: 'ann', folder: 'hidden' })
  store.Note.update(shown.ID, { text: 'permitted' })
  await turn()
  store.Member.remove('m')
  store.Note.update(shown.ID, { text: 'no longer' })
  await turn()
  client.resume()
  await until(() => client.text.includes(moment(store)))
  expect(client.text).toContain('no longer')
  expect(client.text).not.toMatch(/hidden|permitted/)
  store.Member.insert({ ID: 'm', user: 'ann', folder: 'hidden' })
  await until(() => client.text.includes('hidden'))
  const before = client.text.length
  store.transact((tx) => {
    tx.Member.remove('m')
    tx.Note.update(shown.ID, { text: 'again' })
  })
  await until(() => client.text.includes(moment(store)))
  expect(client.text.slice(before)).toContain('again')
  expect(client.text.slice(before)).not.toContain('hidden')
})

const STEPS = ['grant', 'revoke', 'edit', 'move', 'insert', 'remove', 'turn'] as const
type Step = readonly [does: (typeof STEPS)[number], which: number]
const steps = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(5)), {
  maxLength: 40,
  size: 'max',
})

test(
  'no line shows what its reader may not read at that moment, read at once or later',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, steps, async (before, unread, after) => {
        const { store, open } = await serve({ authorize: byMembership })
        const folders = ['f0', 'f1', 'f2']
        for (const ID of folders) store.Folder.insert({ ID })
        let edits = 0
        const textIn = (folder: string | undefined): string =>
          `${folder === undefined || store.Member.has(folder) ? 'open' : 'secret'} ${++edits}`
        const take = async ([does, which]: Step): Promise<void> => {
          if (does === 'turn') return turn()
          const folder = folders[which % 3]!
          const keys = store.Note.query('isPublic = false').keys()
          const key = keys[which % keys.length]
          store.transact((tx) => {
            if (does === 'insert') tx.Note.insert({ text: textIn(folder), folder })
            else if (does === 'grant' || does === 'revoke') {
              if (store.Member.has(folder)) tx.Member.remove(folder)
              if (does === 'grant') tx.Member.insert({ ID: folder, user: 'ann', folder })
              for (const ID of tx.Note.query('folder.ID = :1', [folder]).keys())
                tx.Note.update(ID, { text: textIn(folder) })
            } else if (key === undefined) return
            else if (does === 'remove') tx.Note.remove(key)
            else if (does === 'move') tx.Note.update(key, { folder, text: textIn(folder) })
            else tx.Note.update(key, { text: textIn(tx.Note.get(key)?.folder?.ID) })
          })
        }
        for (const at of [0, 1, 2]) await take(['insert', at])
        await take(['grant', 0])
        const shown = store.Note.insert({ isPublic: true, text: 'a' })
        const opened = [
          await open(streamOf({ Note: { with: ['folder'] } })),
          await open(liveOf('Note')),
        ]
        for (const { client } of opened) await until(() => /"="|initial/.test(client.text))
        for (const step of before) await take(step)
        for (const { client } of opened) client.pause()
        store.Note.update(shown.ID, { text: LONG })
        for (const { socket } of opened) await until(() => socket.writableLength > 1_000_000)
        for (const step of unread) await take(step)
        store.Note.update(shown.ID, { text: 'read again' })
        for (const { client } of opened) client.resume()
        for (const step of after) await take(step)
        store.Note.update(shown.ID, { text: 'the end' })
        for (const { client, socket } of opened) {
          await until(() => client.text.includes('the end'))
          expect(client.text).not.toContain('secret')
          socket.destroy()
        }
      }),
      runs(40, 4),
    )
  },
)
