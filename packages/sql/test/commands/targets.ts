import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyDataStore, Untyped } from '@entia/core'
import { asyncOf } from '@entia/core/async'
import type { Served } from '@entia/engine'
import { createRestHandler, type RestOptions } from '@entia/rest'
import { openPlain } from '../../../cli/src/plain/open-plain.ts'
import { SavedFile } from '../../../cli/src/plain/save-file.ts'
import { servedLater } from '../../../rest/test/async-engine/async-engine.ts'
import type { Step } from '../../../testing/src/conformance/case.ts'
import type { HostReply, HostRequest } from '../../../testing/src/conformance/host.ts'
import type { Ports } from '../../../testing/src/conformance/ports.ts'
import { growingRecords } from '../growing-records.ts'
import type { Tables } from './club-callers.ts'
import { type Identity, PLAIN } from './club-options.ts'
import type { ClubPorts } from './club-ports.ts'
import { createClub } from './model.ts'

// What the command machine drives: each target opens what serves the club, and the store in memory
// that it is compared with.

/** A request as it reaches a handler. */
export interface Received extends HostRequest {
  readonly remoteAddress?: string
}

/** A process that serves the club too. */
export interface OtherProcess {
  /** `isAlone`: false for one of several requests at a time, which take ids of their own. */
  handle(request: Received, isAlone: boolean): Promise<HostReply>
}

/** What serves a club. */
export interface Opened {
  /** Several stores are those of several processes: requests go to one after the other. */
  readonly stores: readonly (AnyDataStore | Served)[]
  readonly processes?: readonly OtherProcess[]
  /** What a program in the process uses in place of a client, for each user: the whole store. */
  readonly program?: () => Tables
  readonly options?: Pick<RestOptions, 'plain' | 'durable'>
  /** Ends what serves, and opens it again from what was kept, which is returned as text. */
  restart?(): Promise<{ readonly kept: string; readonly opened: Opened }>
  close(): unknown
}

export interface Target {
  /** True if what it serves can be ended and opened again. */
  readonly restarts?: boolean
  /** The store in memory, which answers each request at once. */
  reference(ports: Ports): Promise<Opened>
  /** Targets have two forms, which take turns: `form` is 0 or 1. */
  open(club: ClubPorts, form: number, serving: Serving): Promise<Opened>
}

/** How a list of commands is served. */
export interface Serving {
  readonly identity: Identity
  onFailure(error: unknown): void
}

export async function inMemory(ports: Ports): Promise<Opened> {
  const store = createClub(ports)
  store.on('error', () => {})
  return { stores: [store], close: () => store.close() }
}

/** In memory, with reads whose time slices end after each piece of work, or after 1 ms. */
const slices: Target = {
  reference: inMemory,
  async open({ ports }, form) {
    const store = createClub(ports, {
      reading: { turnMilliseconds: form, maxMilliseconds: 60_000 },
    })
    store.on('error', () => {})
    return { stores: [store], close: () => store.close() }
  },
}

/** `asyncOf` in place of the client, beside an engine that answers at once, or no call at once. */
const asynchronous: Target = {
  reference: inMemory,
  async open({ ports }, form) {
    const store = createClub(ports)
    store.on('error', () => {})
    return {
      stores: [form === 0 ? store : servedLater(store)],
      program: () => asyncOf(store as Untyped) as unknown as Tables,
      close: () => store.close(),
    }
  },
}

/** A `db.json` from which the dataclasses of the club are inferred, with fewer attributes. */
const DOCUMENT = {
  teams: [{ id: 1, name: 'Red', motto: '@', founded: '2024-01-31' }],
  players: [
    {
      id: 1,
      name: 'Ada',
      nick: 'x',
      score: 10,
      level: 1,
      big: 0,
      joined: '2024-01-31T08:05:09.250Z',
      pause: 90500,
      active: true,
      token: null,
      info: { a: 1 },
      teamId: 1,
    },
    { id: 2, name: '@', score: 49.5, level: 7, info: { b: [1, 'x'] }, teamId: null },
  ],
  passes: [{ id: 'a', colour: 'red', playerId: 1, teamId: null }],
  tickets: [{ id: '0123456789ABCDEF0123456789ABCDEF', price: 1, passId: 'a' }],
  forms: [{ id: 'A', email: 'ada@x', mode: 'open', fee: 1, place: {}, count: 1, playerId: 2 }],
  doors: [
    { id: '00000000000000000000000000000001', key: 7, stamp: 9, day: '2020-02-02', playerId: 1 },
  ],
  logs: [{ id: 1, text: 'gold' }],
  settings: { theme: 'dark' },
}
/** The resources of the document by the dataclasses of the club. */
const RESOURCES: { readonly [dataClass: string]: string } = {
  Team: 'teams',
  Player: 'players',
  Pass: 'passes',
  Ticket: 'tickets',
  Form: 'forms',
  Door: 'doors',
  Log: 'logs',
}
/** A step with the names of the document. */
export function inDocument(step: Step): Step {
  const { body } = step
  const dataClass = (body as { readonly dataClass?: string } | undefined)?.dataClass
  const named = RESOURCES[dataClass ?? '']
  return {
    ...step,
    send: step.send.replace(/(?<=\/(?:rest|plain)\/)\w+/, (name) => RESOURCES[name] ?? name),
    ...(named !== undefined && { body: { ...(body as object), dataClass: named } }),
  }
}

/** What `entia serve --plain --save` has open, or the same store that nothing saves. */
async function openDocument(ports: Ports, file: string, text: string, isSaved: boolean) {
  await writeFile(file, text)
  const { store, model } = await openPlain(file, ports)
  growingRecords(store)
  store.on('error', () => {})
  const { resources } = model
  const saved = isSaved ? new SavedFile(file, store, resources, text) : null
  const plain = createRestHandler(store, { plain: { resources } })
  const opened: Opened = {
    stores: [store],
    options: {
      plain: { basePath: PLAIN, ids: ports.ids, resources },
      ...(saved && { durable: () => saved.flush() }),
    },
    async restart() {
      const { body } = await plain.handle({ method: 'GET', url: '/db' })
      const kept = isSaved
        ? await readFile(file, 'utf8')
        : `${JSON.stringify(JSON.parse(String(body)), null, 2)}\n`
      store.close()
      return { kept, opened: await openDocument(ports, file, kept, isSaved) }
    },
    close: () => {
      store.close()
      return rm(join(file, '..'), { recursive: true, force: true })
    },
  }
  return opened
}

const newFile = async (): Promise<string> =>
  join(await mkdtemp(join(tmpdir(), 'entia-club-')), 'club.json')
const FIRST_TEXT = `${JSON.stringify(DOCUMENT, null, 2)}\n`

/** A `db.json` that is saved after each change, and opened again now and then. */
const savedFile: Target = {
  restarts: true,
  reference: async (ports) => openDocument(ports, await newFile(), FIRST_TEXT, false),
  open: async ({ ports }) => openDocument(ports, await newFile(), FIRST_TEXT, true),
}

/** The targets that need no database, by the names of `npm run test:long -- commands`. */
export const TARGETS: ReadonlyMap<string, Target> = new Map([
  ['slices', slices],
  ['async', asynchronous],
  ['saved', savedFile],
])
