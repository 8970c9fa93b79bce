import { createMedia, type Media, type UploadLimits } from '@entia/core'
import { checkMedia, type MediaOptions, plainUuid } from '@entia/core/internal'
import type { SqlRows } from '../connect/port.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { storedId } from './set-pieces.ts'
import type { StatePort } from './state-port.ts'

/** Images and BLOBs stored under an id until writes use them: `Uploads` of `@entia/core`. */
export class SqlUploads {
  readonly #port: StatePort
  readonly #limits: Required<UploadLimits>

  constructor(port: StatePort, limits: Required<UploadLimits>) {
    this.#port = port
    this.#limits = limits
  }

  /** Drops the oldest uploads beyond the limits. Throws `budgetExceeded`, `argumentInvalid`. */
  async put(media: Media, options: MediaOptions = {}): Promise<string> {
    const { max, maxBytes } = this.#limits
    const seconds = checkMedia(media, options, maxBytes)
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

  /**
   * Undefined if the upload has expired, was replaced by newer ones, or never existed. Reading does
   * not remove it, because the write that names it may be repeated.
   */
  async get(id: string): Promise<Media | undefined> {
    const { tables, time } = this.#port
    const { rows } = await this.#run(sql`SELECT u.media_type, u.content FROM ${tables.upload} u
      WHERE u.id = ${storedId(id)} AND u.expires > ${time()}`)
    const [row] = rows
    return row && createMedia(row[0] as string, row[1] as Uint8Array)
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
