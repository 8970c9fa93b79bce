import { createMedia, type Media, type UploadLimits } from '@entia/core'
import {
  checkCallOptions,
  describeFound,
  isMedia,
  lifetimeOf,
  overBudget,
  plainUuid,
  refused,
} from '@entia/core/internal'
import type { SqlRows } from '../connect/port.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { storedId } from './set-pieces.ts'
import type { StatePort } from './state-port.ts'

/**
 * A query for uploads, for the first send of a write that names them. `foundUploads` reads its
 * rows. Reading does not remove an upload, because the write may be repeated.
 */
const findUploads = (
  { tables, time }: Pick<StatePort, 'tables' | 'time'>,
  ids: readonly string[],
): Sql =>
  sql`SELECT u.id, u.media_type, u.content FROM ${tables.upload} u
    WHERE u.id = ANY(${ids.map(storedId)}::text[]) AND u.expires > ${time()}`

/** The rows of `findUploads` by upper-case id. */
const foundUploads = ({ rows }: SqlRows): ReadonlyMap<string, Media> =>
  new Map(
    rows.map(([id, mediaType, content]) => [
      id as string,
      createMedia(mediaType as string, content as Uint8Array),
    ]),
  )

interface UploadOptions {
  readonly lifetimeSeconds?: number | undefined
}

/** How long an upload waits for the write that uses it. */
const DEFAULT_LIFETIME_SECONDS = 120

/** Images and BLOBs stored under an id until writes use them: `Uploads` of `@entia/core`. */
export class SqlUploads {
  readonly #port: StatePort
  readonly #limits: Required<UploadLimits>

  constructor(port: StatePort, limits: Required<UploadLimits>) {
    this.#port = port
    this.#limits = limits
  }

  /** Drops the oldest uploads beyond the limits. Throws `budgetExceeded`, `argumentInvalid`. */
  async put(media: Media, options: UploadOptions = {}): Promise<string> {
    const { max, maxBytes } = this.#limits
    const seconds = checkUpload(media, options, this.#limits)
    const { tables, time, ids } = this.#port
    const id = plainUuid(ids.uuid())
    const size = sql`${Math.max(1, media.size)}::bigint`
    await this.#run(sql`WITH ranked AS (
        SELECT u.id, row_number() OVER place AS number, sum(u.size) OVER place AS bytes
        FROM ${tables.upload} u WHERE u.expires > ${time()}
        WINDOW place AS (ORDER BY u.used DESC)),
      dropped AS (DELETE FROM ${tables.upload} WHERE id IN (SELECT r.id FROM ranked r
        WHERE r.number >= ${max}::bigint OR r.bytes + ${size} > ${maxBytes}::bigint))
      INSERT INTO ${tables.upload} (id, media_type, size, content, expires)
      VALUES (${id}, ${media.mediaType}, ${size}, ${media.bytes()}::bytea,
        ${time()} + ${seconds}::double precision * 1000)`)
    return id
  }

  /** Undefined if the upload has expired, was replaced by newer ones, or never existed. */
  async get(id: string): Promise<Media | undefined> {
    return foundUploads(await this.#run(findUploads(this.#port, [id]))).get(storedId(id))
  }

  /** True if there was such an upload. */
  async release(id: string): Promise<boolean> {
    const { tables, time } = this.#port
    const { count } = await this.#run(sql`DELETE FROM ${tables.upload}
      WHERE id = ${storedId(id)} AND expires > ${time()}`)
    return count > 0
  }

  async size(): Promise<number> {
    const { tables, time } = this.#port
    const { rows } = await this.#run(
      sql`SELECT count(*) FROM ${tables.upload} WHERE expires > ${time()}`,
    )
    return rows[0]![0] as number
  }

  #run(piece: Sql): Promise<SqlRows> {
    return this.#port.pool.query(statementOf(piece))
  }
}

/** The lifetime of an upload in seconds. Throws `budgetExceeded`, `argumentInvalid`. */
function checkUpload(
  media: Media,
  options: UploadOptions,
  { maxBytes }: Required<UploadLimits>,
): number {
  checkCallOptions(options, ['lifetimeSeconds'])
  if (!isMedia(media)) throw refused('The upload', 'a value of createMedia', describeFound(media))
  const seconds = lifetimeOf(options.lifetimeSeconds, DEFAULT_LIFETIME_SECONDS)
  if (media.size > maxBytes) throw overBudget('bytes of an upload', maxBytes, 'uploads.maxBytes')
  return seconds
}
