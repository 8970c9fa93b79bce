import { createMedia, type Media, type UploadLimits } from '@entia/core'
import { plainUuid } from '@entia/core/kit'
import { restError } from '@entia/rest/engine'
import { storedId } from './set-pieces.ts'
import type { StatePort } from './state-port.ts'
import { checkUpload, type UploadOptions, type UploadState } from './upload-state.ts'
import { absentWhenAway, type VolatileEntries, VolatileStateError } from './volatile-state.ts'

/** Bytes that one command carries. */
const PIECE = 512 * 1024
const RETRY_AFTER_SECONDS = 1

/**
 * Uploads outside of the database. One that cannot be reached counts as expired; what cannot be
 * stored is refused, because its content would be lost.
 */
export class VolatileUploads implements UploadState {
  readonly #port: Pick<StatePort, 'ids'>
  readonly #limits: Required<UploadLimits>
  readonly #entries: VolatileEntries

  constructor(
    port: Pick<StatePort, 'ids'>,
    limits: Required<UploadLimits>,
    entries: VolatileEntries,
  ) {
    this.#port = port
    this.#limits = limits
    this.#entries = entries
  }

  async put(media: Media, options: UploadOptions = {}): Promise<string> {
    const { max, maxBytes } = this.#limits
    const lifetimeSeconds = checkUpload(media, options, this.#limits)
    const id = plainUuid(this.#port.ids.uuid())
    const { mediaType: kind } = media
    const bytes = Math.max(1, media.size)
    const facts = { id, kind, owner: null, note: '', bytes, lifetimeSeconds }
    const limits = { max, maxBytes, maxPerOwner: max }
    try {
      const written = await this.#entries.write(piecesOf(media.bytes()))
      await this.#entries.create({ ...facts, pieces: written.pieces }, written, limits, true)
    } catch (error) {
      throw error instanceof VolatileStateError
        ? restError('engineUnavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })
        : error
    }
    return id
  }

  get(id: string): Promise<Media | undefined> {
    return absentWhenAway(undefined, async () => {
      const entry = (await this.#entries.find([storedId(id)], null, null)).get(storedId(id))
      if (entry === undefined) return undefined
      const pieces = await this.#entries.read(entry, 0, entry.pieces)
      return pieces === null ? undefined : createMedia(entry.kind, Buffer.concat(pieces))
    })
  }

  async release(id: string): Promise<boolean> {
    return (await absentWhenAway(0, () => this.#entries.release([storedId(id)]))) > 0
  }

  async size(): Promise<number> {
    return (await absentWhenAway({ count: 0 }, () => this.#entries.size())).count
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<readonly Uint8Array[]> {
  for (let at = 0; at < bytes.length; at += PIECE) yield [bytes.subarray(at, at + PIECE)]
}
