import type { SqlPool } from '../../src/connect/port.ts'
import { run, untilWritten } from '../database.ts'
import type { MessageCounts, MessageCut, MessageProxy } from './message-proxy.ts'
import type { Facts, RequestKind } from './requests.ts'
import type { Reply, World } from './world.ts'

/** Nothing of the database, of its driver or of the operating system. */
const FOREIGN_TEXT = /ECONN|EPIPE|terminat|socket|hang up|pg_|SELECT|INSERT|read timeout/i

export interface CutPlace {
  readonly proxy: MessageProxy
  /** The process whose connections break. */
  readonly world: World
  /** Another process, whose connections do not break. */
  readonly safe: World
  readonly pool: SqlPool
  readonly schema: string
  /** A request must be answered in this time, whatever breaks. */
  readonly maxMilliseconds: number
}

export interface CutResult {
  readonly status: number
  readonly isUnknown: boolean
  readonly milliseconds: number
  readonly violations: readonly string[]
}

const show = (value: unknown): string => JSON.stringify(value)

/** The items of a mark, as kinds of requests write them. */
async function itemsOf({ pool, schema }: CutPlace, mark: string): Promise<readonly string[]> {
  const text = `SELECT "mark", "size" FROM "${schema}"."Item" WHERE "mark" LIKE $1 ORDER BY 1`
  const { rows } = await run(pool, text, `${mark}%`)
  return rows.map(([name, size]) => `${String(name).slice(mark.length)}:${size}`)
}

/** Creates the data that the request needs, without cuts. */
async function prepare({ safe }: CutPlace, kind: RequestKind, mark: string): Promise<Facts> {
  const keys: number[] = []
  const items = (kind.before ?? []).map((item) => item.split(':') as [string, string])
  if (items.length > 0) {
    const box = await safe.ask({ method: 'POST', path: 'Box', body: { name: mark } })
    for (const [end, size] of items) {
      const body = { mark: `${mark}${end}`, size: Number(size), box: box.body.ID }
      keys.push((await safe.ask({ method: 'POST', path: 'Item', body })).body.ID)
    }
  }
  return { keys, ...(await kind.facts?.(safe, mark)) }
}

/** The messages that a request of this kind sends and gets. */
export async function countMessages(
  place: CutPlace,
  kind: RequestKind,
  mark: string,
): Promise<MessageCounts> {
  const { proxy, world } = place
  // Statements have names from their second use on.
  for (const warm of ['x', 'y']) {
    const facts = await prepare(place, kind, `${warm}${mark}`)
    await world.ask(kind.asked(`${warm}${mark}`, facts))
  }
  const facts = await prepare(place, kind, mark)
  const counts = proxy.count()
  const reply = await world.ask(kind.asked(mark, facts))
  const wrong = await wrongAfterSuccess(place, kind, reply, facts, mark)
  if (reply.status !== 200 || wrong.length > 0)
    throw new Error(`"${kind.name}" fails without a cut: ${show(reply)} ${wrong.join(' ')}`)
  return { ...counts }
}

/** Sends a request, breaks its connections, and checks its answer and what is stored. */
export async function cutRequest(
  place: CutPlace,
  kind: RequestKind,
  mark: string,
  cut: MessageCut,
): Promise<CutResult> {
  const { proxy, world } = place
  const facts = await prepare(place, kind, mark)
  const asked = kind.asked(mark, facts)
  // The messages of a new connection are not those that were counted.
  await world.ask({ path: '$health/ready' })
  proxy.cut(cut)
  // Later attempts must have a chance to succeed.
  const end = setTimeout(() => proxy.cut(null), 400)
  const reply = await world.ask(asked)
  clearTimeout(end)
  proxy.cut(null)
  const violations: string[] = []
  const isUnknown = reply.body?.__ERROR?.at(-1)?.errCode === UNKNOWN
  if (reply.milliseconds > place.maxMilliseconds)
    violations.push(`answered in ${reply.milliseconds} ms`)
  if (reply.status === 200)
    violations.push(...(await wrongAfterSuccess(place, kind, reply, facts, mark)))
  else if (reply.status === 503) {
    if (reply.retryAfter === null) violations.push('503 without Retry-After')
    const items = await itemsAfterAll(place, mark)
    const expected = [kind.before ?? []]
    if (isUnknown) expected.push(kind.after ?? [])
    if (!expected.some((each) => show(each) === show(items)))
      violations.push(`503, but the items are ${show(items)}`)
  } else violations.push(`status ${reply.status}: ${show(reply.body)}`)
  if (FOREIGN_TEXT.test(show(reply.body))) violations.push(`foreign text: ${show(reply.body)}`)
  // Work that was dropped with the answer ends soon; a leak stays.
  for (let wait = 0; world.busy > 0 && wait < 100; wait++)
    await new Promise((resolve) => setTimeout(resolve, 50))
  if (world.busy > 0) violations.push(`${world.busy} connections are in use afterwards`)
  return { status: reply.status, isUnknown, milliseconds: reply.milliseconds, violations }
}

/** `commitOutcomeUnknown`. */
const UNKNOWN = 9128

/** The items, once no transaction is under way that could still change them. */
async function itemsAfterAll(place: CutPlace, mark: string): Promise<readonly string[]> {
  const { pool, schema } = place
  await run(pool, untilWritten(schema))
  return itemsOf(place, mark)
}

async function wrongAfterSuccess(
  place: CutPlace,
  kind: RequestKind,
  reply: Reply,
  facts: Facts,
  mark: string,
): Promise<readonly string[]> {
  const wrong: string[] = []
  const items = await itemsAfterAll(place, mark)
  const expected = kind.after ?? kind.before ?? []
  if (show(items) !== show(expected)) wrong.push(`success, but the items are ${show(items)}`)
  if (kind.isRead === true) {
    const reference = await place.safe.ask(kind.asked(mark, facts))
    if (show(reply.body) !== show(reference.body)) wrong.push(`wrong reply: ${show(reply.body)}`)
  }
  const problem = await kind.check?.(place.safe, reply, facts, mark)
  if (problem != null) wrong.push(problem)
  return wrong
}
