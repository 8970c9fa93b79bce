import type {
  Creation,
  Entry,
  EntryFacts,
  EntryLimits,
  ListedEntry,
  VolatileEntries,
  WrittenContent,
} from '@entia/sql'
import type { BoundedClient } from './bounded-client.ts'
import {
  CREATE,
  FIND,
  LIST,
  OWNERS,
  RELEASE,
  RELEASE_OWNER,
  SET_LIFETIME,
  SIZE,
} from './scripts.ts'

export interface ValkeyEntriesOptions {
  readonly client: BoundedClient
  /** Begins the names of all keys. */
  readonly prefix: string
  /** A text that no other call returns. */
  readonly unique: () => string
  /** The time in epoch milliseconds, for tests; null for the clock of the server. */
  readonly now: () => number | null
}

/** How long content waits for the entry that takes it. */
const UNTAKEN_MILLISECONDS = 60_000
/** Pieces that one command returns. */
const PIECES_AT_ONCE = 64

/** What the server keeps of an entry beside its content. */
interface StoredFacts {
  readonly kind: string
  readonly owner: string
  readonly note: string
  readonly pieces: number
  readonly lifetime: number
  readonly content: string
}

/** Entries in Valkey: scripts keep them within their limits. Content is a list of pieces. */
export class ValkeyEntries implements VolatileEntries {
  readonly #options: ValkeyEntriesOptions

  constructor(options: ValkeyEntriesOptions) {
    this.#options = options
  }

  async write(pieces: AsyncIterable<readonly Uint8Array[]>): Promise<WrittenContent> {
    const { client, unique } = this.#options
    const content = unique()
    const key = this.#contentOf(content)
    let count = 0
    for await (const some of pieces) {
      if (some.length === 0) continue
      count += some.length
      await Promise.all([
        client.call('RPUSH', key, ...some.map(bufferOf)),
        client.call('PEXPIRE', key, UNTAKEN_MILLISECONDS),
      ])
    }
    return { content, pieces: count }
  }

  async create(
    facts: EntryFacts,
    { content }: WrittenContent,
    { max, maxBytes, maxPerOwner }: EntryLimits,
    mayDrop: boolean,
  ): Promise<Creation> {
    const { id, kind, owner, note, bytes, pieces, lifetimeSeconds } = facts
    const stored: StoredFacts = {
      kind,
      owner: owner ?? '',
      note,
      pieces,
      lifetime: lifetimeSeconds,
      content,
    }
    const limits = [max, maxBytes, maxPerOwner, mayDrop ? '1' : '0']
    const reply = await this.#run(CREATE, id, JSON.stringify(stored), bytes, ...limits)
    const [result, other] = reply as [Creation['result'], string]
    return result === 'taken' ? { result, owner: other } : { result }
  }

  async find(
    ids: readonly string[],
    owner: string | null,
    renew: string | null,
  ): Promise<ReadonlyMap<string, Entry>> {
    const renewal = renew === null ? ['0', ''] : ['1', renew]
    const found = (await this.#run(FIND, owner ?? '', ...renewal, ...ids)) as string[]
    const entries = new Map<string, Entry>()
    for (let at = 0; at < found.length; at += 2)
      entries.set(found[at]!, entryOf(found[at]!, found[at + 1]!))
    return entries
  }

  async read({ content }: Entry, from: number, to: number): Promise<readonly Uint8Array[] | null> {
    const { client } = this.#options
    const pieces: Uint8Array[] = []
    for (let at = from; at < to; at += PIECES_AT_ONCE) {
      const end = Math.min(at + PIECES_AT_ONCE, to)
      const found = await client.callBuffer('LRANGE', this.#contentOf(content), at, end - 1)
      if ((found as Buffer[]).length < end - at) return null
      pieces.push(...(found as Buffer[]))
    }
    return pieces
  }

  async setLifetime(ids: readonly string[], lifetimeSeconds: number): Promise<void> {
    await this.#run(SET_LIFETIME, lifetimeSeconds, ...ids)
  }

  async release(ids: readonly string[]): Promise<number> {
    return Number(await this.#run(RELEASE, ...ids))
  }

  async releaseOwner(owner: string): Promise<void> {
    await this.#run(RELEASE_OWNER, owner)
  }

  async owners(): Promise<readonly string[]> {
    return (await this.#run(OWNERS)) as string[]
  }

  async list(): Promise<readonly ListedEntry[]> {
    const [ids, all, scores] = (await this.#run(LIST)) as [string[], string[], string[]]
    const texts = pairsOf(all)
    const ends = pairsOf(scores)
    return ids.map((id) => ({
      ...entryOf(id, texts.get(id)!),
      expires: Math.round(Number(ends.get(id))),
    }))
  }

  async size(): Promise<{ readonly count: number; readonly bytes: number }> {
    const [count, bytes] = (await this.#run(SIZE)) as [number, number]
    return { count, bytes }
  }

  #run(script: typeof CREATE, ...parameters: (string | number)[]): Promise<unknown> {
    const { client, prefix, now } = this.#options
    return client.run(script, prefix, now() ?? '', ...parameters)
  }

  #contentOf(content: string): string {
    return `${this.#options.prefix}content:${content}`
  }
}

function entryOf(id: string, text: string): Entry {
  const { kind, owner, note, pieces, lifetime, content } = JSON.parse(text) as StoredFacts
  const lifetimeSeconds = lifetime
  return { id, kind, owner: owner || null, note, bytes: 0, pieces, lifetimeSeconds, content }
}

/** A flat list of keys and values. */
const pairsOf = (flat: readonly string[]): ReadonlyMap<string, string> =>
  new Map(Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at]!, flat[2 * at + 1]!]))

/** The same bytes, as clients take them. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
