import type { EntityRecord, Followed, FollowedDelta, Projection } from '@entia/engine'
import { EntityRenderer, type RenderOptions } from './entity.ts'
import { renderSelection } from './render.ts'

/**
 * Sent before the first event: the delay before reconnecting, in milliseconds, and the seconds
 * between heartbeats, in a comment.
 */
export const openingText = (heartbeatSeconds: number): string =>
  `retry: 2000\n: heartbeat ${heartbeatSeconds}\n\n`
/** A comment that keeps proxies from closing the connection and detects disconnected clients. */
export const HEARTBEAT = ':\n\n'

/**
 * Renders a live query as server-sent events. The id of an event is its global stamp, the engine
 * instance and what the caller may see.
 */
export class LiveEvents {
  /** The end of the id of each event. */
  readonly #origin: string
  readonly #projection: Projection
  readonly #options: RenderOptions

  /** `visibility` identifies what the caller may see; null for everything that is exposed. */
  constructor(
    instanceId: string,
    visibility: string | null,
    projection: Projection,
    options: RenderOptions,
  ) {
    this.#origin = visibility === null ? instanceId : `${instanceId}-${visibility}`
    this.#projection = projection
    this.#options = options
  }

  /** The initial result in the form of a page, with the plan of the live query. */
  initial(
    { globalStamp, plan }: Followed,
    records: readonly EntityRecord[],
    first: number,
  ): string {
    const page = { globalStamp, count: records.length, records, texts: null, entitySetId: null }
    const { body } = renderSelection(
      { projection: this.#projection, page, first, isArray: false, plan: null },
      this.#options,
      this.#texts(globalStamp, records),
    )
    return this.#event('initial', globalStamp, `{"__PLAN":"${plan}",${String(body).slice(1)}`)
  }

  delta({ globalStamp, entered, changed, left, order }: FollowedDelta): string {
    const list = (records: readonly EntityRecord[]): string =>
      `[${this.#texts(globalStamp, records).join(',')}]`
    const keys = (all: readonly (string | number)[] | null): string =>
      all === null ? 'null' : JSON.stringify(all.map(String))
    const data =
      `{"__GlobalStamp":${globalStamp},"__ENTERED":${list(entered)},"__CHANGED":${list(changed)},` +
      `"__LEFT":${keys(left)},"__ORDER":${keys(order)}}`
    return this.#event('delta', globalStamp, data)
  }

  /** The last event; a client that reconnects learns the reason. */
  end(reason: string): string {
    return `event: end\ndata: ${JSON.stringify({ reason })}\n\n`
  }

  #texts(globalStamp: number, records: readonly EntityRecord[]): readonly string[] {
    const renderer = new EntityRenderer(this.#options, globalStamp)
    return records.map((record) => renderer.render(record, this.#projection, 'read'))
  }

  #event(name: string, globalStamp: number, data: string): string {
    return `event: ${name}\nid: ${globalStamp}-${this.#origin}\ndata: ${data}\n\n`
  }
}
