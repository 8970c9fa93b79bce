import { EntiaError } from '../errors.ts'
import type * as SessionTypes from '../model/session-types.ts'
import type { UploadLimits } from '../model/session-types.ts'
import type { Clock, Ids } from '../ports.ts'
import { checkCallOptions, refused } from '../value/check-options.ts'
import { isMedia } from '../value/media.ts'
import type { Media } from '../value/types.ts'
import { plainUuid } from '../write/new-values.ts'
import { ExpiringMap } from './expiring-map.ts'
import { lifetimeOf } from './server-state-limits.ts'

/** How long an upload waits for the write that uses it. */
const DEFAULT_LIFETIME_SECONDS = 120

/**
 * Images and BLOBs stored under an id until writes use them. Reading does not remove one, because
 * the write may be repeated.
 */
export class Uploads implements SessionTypes.Uploads {
  readonly #ids: Ids
  readonly #guard: () => void
  readonly #media: ExpiringMap<Media>
  readonly #maxBytes: number

  constructor(
    port: { readonly clock: Clock; readonly ids: Ids; guard(): void },
    limits: Required<UploadLimits>,
  ) {
    this.#ids = port.ids
    this.#guard = () => port.guard()
    this.#media = new ExpiringMap(port.clock, limits)
    this.#maxBytes = limits.maxBytes
  }

  get size(): number {
    return this.#media.size
  }

  put(media: Media, options: { readonly lifetimeSeconds?: number | undefined } = {}): string {
    this.#guard()
    checkCallOptions(options, ['lifetimeSeconds'])
    if (!isMedia(media)) {
      const found = media === null ? 'null' : typeof media
      throw refused('The upload', 'a value of createMedia', found)
    }
    const seconds = lifetimeOf(options.lifetimeSeconds, DEFAULT_LIFETIME_SECONDS)
    if (media.size > this.#maxBytes) {
      const option = 'uploads.maxBytes'
      throw new EntiaError('budgetExceeded', {
        what: 'bytes of an upload',
        limit: this.#maxBytes,
        option,
      })
    }
    const id = plainUuid(this.#ids.uuid())
    this.#media.set(id, media, seconds, media.size)
    return id
  }

  get(id: string): Media | undefined {
    this.#guard()
    return this.#media.peek(String(id).toUpperCase())
  }
  release(id: string): boolean {
    this.#guard()
    return this.#media.delete(String(id).toUpperCase())
  }
  clear(): void {
    this.#media.clear()
  }
}
