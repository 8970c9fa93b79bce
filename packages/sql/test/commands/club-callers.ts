import { connect } from '@entia/client'
import { createMcpServer } from '@entia/mcp'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Step } from '../../../testing/src/conformance/case.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'

/** Sends a request with the cookies of one browser. */
export type Fetch = (request: Request) => Promise<Response>

/** The part of a client that commands use. Every name is one of the model. */
export interface Tables {
  dataClass(name: string): Table
}
interface Table {
  all(): Rows
  get(key: unknown): Promise<object | undefined>
  insert(values: object): Promise<unknown>
  update(entityOrKey: unknown, values: object): Promise<unknown>
  saveAll(changes: unknown): Promise<unknown>
  remove(entityOrKey: unknown): Promise<unknown>
  lock(key: unknown): Promise<unknown>
  unlock(key: unknown): Promise<unknown>
}
interface Rows {
  query(filter: TemplateStringsArray, ...values: readonly unknown[]): Rows
  orderBy(order: string): Rows
  select(attributes: string): Rows
  page(skip: number, top: number): Promise<unknown>
  first(): Promise<unknown>
  toArray(): Promise<unknown>
  iterate(options: { readonly pageSize: number }): AsyncIterable<unknown>
  count(): Promise<number>
  distinct(attribute: string): Promise<unknown>
  sum(attribute: string): Promise<unknown>
  average(attribute: string): Promise<unknown>
  min(attribute: string): Promise<unknown>
  max(attribute: string): Promise<unknown>
  groupBy(by: string, aggregates: object): Groups
  remove(): Promise<unknown>
  entitySet(): Promise<EntitySet>
}
interface Groups {
  orderBy(order: string): Groups
  toArray(): Promise<unknown>
}
interface EntitySet extends Rows {
  and(other: EntitySet): Promise<EntitySet>
  or(other: EntitySet): Promise<EntitySet>
  except(other: EntitySet): Promise<EntitySet>
  intersects(other: EntitySet): Promise<boolean>
  clean(): Promise<EntitySet>
  release(): Promise<boolean>
}

/** What a command of the client says. */
export interface Call {
  readonly dataClass: string
  readonly key?: unknown
  readonly values?: object
  readonly changes?: readonly object[]
  readonly filter?: string
  /** The values of a filter that is given in parts: `['name = ', '']`. */
  readonly parts?: readonly string[]
  readonly parameters?: readonly unknown[]
  readonly orderBy?: string
  readonly select?: string
  readonly path?: string
}

const withFilter = (rows: Rows, { filter, parts, parameters = [] }: Call): Rows => {
  const texts = parts ?? (filter === undefined ? [] : [filter])
  return texts.length === 0
    ? rows
    : rows.query(Object.assign([...texts], { raw: texts }), ...parameters)
}
const rowsOf = (table: Table, call: Call): Rows => {
  const { orderBy, select } = call
  let rows = withFilter(table.all(), call)
  if (orderBy !== undefined) rows = rows.orderBy(orderBy)
  return select === undefined ? rows : rows.select(select)
}

/** Copies that were read earlier, which may be stale, by dataclass and key. */
type Copies = Map<string, object>
const placeOf = ({ dataClass, key }: Call): string => JSON.stringify([dataClass, key])

/** What groups of each dataclass add up. */
const NUMBERS: ReadonlyMap<string, string> = new Map([
  ['Team', 'ID'],
  ['Player', 'score'],
  ['Pass', 'holder.score'],
  ['Ticket', 'price'],
  ['Form', 'fee'],
  ['Door', 'key'],
  ['Log', 'ID'],
])

/** The methods of the client by the names of commands. */
const CALLS: ReadonlyMap<string, (table: Table, call: Call, copies: Copies) => Promise<unknown>> =
  new Map([
    ['get', (table, { key }) => table.get(key)],
    ['insert', (table, { values = {} }) => table.insert(values)],
    ['update', (table, { key, values = {} }) => table.update(key, values)],
    [
      'edit',
      async (table, { key, values = {} }) => {
        const read = await table.get(key)
        return read === undefined ? 'absent' : table.update(read, { ...read, ...values })
      },
    ],
    [
      'keep',
      async (table, call, copies) => {
        const found = await table.get(call.key)
        if (found !== undefined) copies.set(placeOf(call), found)
        return found
      },
    ],
    [
      'editKept',
      async (table, call, copies) => {
        const copy = copies.get(placeOf(call))
        return copy === undefined ? 'absent' : table.update(copy, { ...copy, ...call.values })
      },
    ],
    [
      'changeCopy',
      // What a caller changes in its copies is visible to that caller only.
      async (table, { key, values }) => {
        const copy = await table.get(key)
        for (const value of Object.values(copy ?? {}))
          if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
            Object.assign(value, values)
        return table.get(key)
      },
    ],
    ['saveAll', (table, { changes }) => table.saveAll(changes)],
    ['remove', (table, { key }) => table.remove(key)],
    ['removeFound', (table, call) => withFilter(table.all(), call).remove()],
    ['lock', (table, { key }) => table.lock(key)],
    ['unlock', (table, { key }) => table.unlock(key)],
    ['page', (table, call) => rowsOf(table, call).page(1, 3)],
    ['first', (table, call) => rowsOf(table, call).first()],
    ['toArray', (table, call) => rowsOf(table, call).toArray()],
    [
      'iterate',
      async (table, call) => {
        const list: unknown[] = []
        for await (const each of rowsOf(table, call).iterate({ pageSize: 3 })) list.push(each)
        return list
      },
    ],
    ['count', (table, call) => rowsOf(table, call).count()],
    ['distinct', (table, call) => rowsOf(table, call).distinct(call.path ?? '')],
    ['sum', (table, call) => rowsOf(table, call).sum(call.path ?? '')],
    ['average', (table, call) => rowsOf(table, call).average(call.path ?? '')],
    ['min', (table, call) => rowsOf(table, call).min(call.path ?? '')],
    ['max', (table, call) => rowsOf(table, call).max(call.path ?? '')],
    [
      'groupBy',
      (table, call) =>
        rowsOf(table, call)
          .groupBy(call.path ?? '', { count: true, [NUMBERS.get(call.dataClass)!]: ['sum', 'max'] })
          .orderBy(`count desc,${call.path}`)
          .toArray(),
    ],
    [
      'entitySet',
      async (table, call) => {
        const set = await rowsOf(table, call).entitySet()
        return [await set.count(), await set.release()]
      },
    ],
    [
      'combineSets',
      async (table, call) => {
        const one = await withFilter(table.all(), call).entitySet()
        const other = await table.all().entitySet()
        const removed = await table.remove(call.key)
        const sets = [await one.and(other), await one.or(other), await other.except(one)]
        const cleaned = await one.clean()
        const lists = await Promise.all([one, ...sets, cleaned].map((set) => set.toArray()))
        const first = [await one.count(), await one.page(0, 3), await one.intersects(other)]
        const rest = await withFilter(one, call).count()
        const all = [one, other, ...sets, cleaned]
        const released = await Promise.all(all.map((set) => set.release()))
        return [removed, lists, first, rest, released, await one.release()]
      },
    ],
  ])
export const CALL_NAMES = [...CALLS.keys()]

/** A result as it can be written as JSON: with media as bytes, and frozen objects marked. */
async function shown(value: unknown): Promise<unknown> {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value instanceof Date) return { date: value.toJSON() }
  if (typeof value !== 'object' || value === null) return value
  if ('bytes' in value && typeof value.bytes === 'function')
    return { bytes: [...((await value.bytes()) as Uint8Array)] }
  const entries = Object.entries(value).map(async ([name, each]) => [name, await shown(each)])
  const copy = Array.isArray(value)
    ? await Promise.all(value.map(shown))
    : Object.fromEntries(await Promise.all(entries))
  return Object.isFrozen(value) ? { frozen: copy } : copy
}

/** The programs and assistants of one caller, as replies of a host. */
export class ClubCallers {
  readonly #tables: Tables
  readonly #copies: Copies = new Map()
  readonly #assistant: Promise<Client>

  /** `program`: what the program uses in place of a client. */
  constructor(send: Fetch, program?: Tables) {
    this.#tables =
      program ?? (connect('http://club.example/rest', { fetch: send }) as unknown as Tables)
    this.#assistant = assistantOf(send)
  }

  /** Performs `CLIENT <method>` with a call as its body. */
  async client({ send, body }: Step): Promise<HostReply> {
    const perform = CALLS.get(send.slice(send.indexOf(' ') + 1))!
    const call = body as Call
    try {
      const table = this.#tables.dataClass(call.dataClass)
      return replyOf(200, (await shown(await perform(table, call, this.#copies))) ?? null)
    } catch (error) {
      const { name, message, status, errCode, errors } = error as Error & {
        status?: number
        errCode?: number
        errors?: object
      }
      return replyOf(400, { name, message, status, errCode, errors })
    }
  }

  /** Performs `TOOL <name>` with the arguments of the tool as its body. */
  async tool({ send, body }: Step): Promise<HostReply> {
    const name = send.slice(send.indexOf(' ') + 1)
    const assistant = await this.#assistant
    const found = await assistant.callTool({ name, arguments: { ...(body as object) } })
    return replyOf(found.isError === true ? 400 : 200, found)
  }
}

async function assistantOf(send: Fetch): Promise<Client> {
  const server = createMcpServer({ basePath: '/rest', fetch: send }, { allowWrites: true })
  const client = new Client({ name: 'club', version: '1' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  return client
}

const replyOf = (status: number, value: unknown): HostReply => ({
  status,
  headers: {},
  body: JSON.stringify(value),
})
