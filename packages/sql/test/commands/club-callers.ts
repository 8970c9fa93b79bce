import { connect } from '@entia/client'
import { createMcpServer } from '@entia/mcp'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Step } from '../../../testing/src/conformance/case.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'

/** Sends a request with the cookies of one browser. */
export type Fetch = (request: Request) => Promise<Response>

/** The part of a client that commands use. Every name is one of the model. */
interface Table {
  all(): Rows
  get(key: unknown): Promise<unknown>
  insert(values: object): Promise<unknown>
  update(entityOrKey: unknown, values: object): Promise<unknown>
  saveAll(changes: unknown): Promise<unknown>
  remove(entityOrKey: unknown): Promise<unknown>
}
interface Rows {
  query(filter: TemplateStringsArray, ...values: readonly unknown[]): Rows
  orderBy(order: string): Rows
  select(attributes: string): Rows
  page(skip: number, top: number): Promise<unknown>
  count(): Promise<number>
  distinct(attribute: string): Promise<unknown>
  sum(attribute: string): Promise<unknown>
  max(attribute: string): Promise<unknown>
  groupBy(by: string, aggregates: object): { toArray(): Promise<unknown> }
  entitySet(): Promise<{ count(): Promise<number>; release(): Promise<boolean> }>
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

const rowsOf = (table: Table, { filter, parts, parameters = [], orderBy, select }: Call): Rows => {
  const texts = parts ?? (filter === undefined ? [] : [filter])
  let rows = table.all()
  if (texts.length > 0) rows = rows.query(Object.assign([...texts], { raw: texts }), ...parameters)
  if (orderBy !== undefined) rows = rows.orderBy(orderBy)
  return select === undefined ? rows : rows.select(select)
}

/** The methods of the client by the names of commands. */
const CALLS: ReadonlyMap<string, (table: Table, call: Call) => Promise<unknown>> = new Map([
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
  ['saveAll', (table, { changes }) => table.saveAll(changes)],
  ['remove', (table, { key }) => table.remove(key)],
  ['page', (table, call) => rowsOf(table, call).page(1, 3)],
  ['count', (table, call) => rowsOf(table, call).count()],
  ['distinct', (table, call) => rowsOf(table, call).distinct(call.path ?? '')],
  ['sum', (table, call) => rowsOf(table, call).sum(call.path ?? '')],
  ['max', (table, call) => rowsOf(table, call).max(call.path ?? '')],
  [
    'groupBy',
    (table, call) =>
      rowsOf(table, call)
        .groupBy(call.path ?? '', { count: true })
        .toArray(),
  ],
  [
    'entitySet',
    async (table, call) => {
      const set = await rowsOf(table, call).entitySet()
      return [await set.count(), await set.release()]
    },
  ],
])
export const CALL_NAMES = [...CALLS.keys()]

/** The programs and assistants of one caller, as replies of a host. */
export class ClubCallers {
  readonly #tables: { dataClass(name: string): unknown }
  readonly #assistant: Promise<Client>

  constructor(send: Fetch) {
    this.#tables = connect('http://club.example/rest', { fetch: send }) as unknown as {
      dataClass(name: string): unknown
    }
    this.#assistant = assistantOf(send)
  }

  /** Performs `CLIENT <method>` with a call as its body. */
  async client({ send, body }: Step): Promise<HostReply> {
    const perform = CALLS.get(send.slice(send.indexOf(' ') + 1))!
    const call = body as Call
    try {
      const table = this.#tables.dataClass(call.dataClass) as Table
      return replyOf(200, (await perform(table, call)) ?? null)
    } catch (error) {
      const { name, message, status, errors } = error as Error & {
        status?: number
        errors?: object
      }
      return replyOf(400, { name, message, status, errors })
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
