import { EntiaError, type Media, type UploadLimits } from '@entia/core'
import { checkCallOptions, isMedia, lifetimeOf } from '@entia/core/kit'

export interface UploadOptions {
  readonly lifetimeSeconds?: number | undefined
}

/**
 * Images and BLOBs stored under an id until writes use them: `Uploads` of `@entia/core`. Reading
 * does not remove an upload, because the write may be repeated.
 */
export interface UploadState {
  /** Drops the oldest uploads beyond the limits. Throws `budgetExceeded`, `argumentInvalid`. */
  put(media: Media, options?: UploadOptions): Promise<string>
  /** Undefined if the upload has expired, was replaced by newer ones, or never existed. */
  get(id: string): Promise<Media | undefined>
  /** True if there was such an upload. */
  release(id: string): Promise<boolean>
  size(): Promise<number>
}

/** How long an upload waits for the write that uses it. */
const DEFAULT_LIFETIME_SECONDS = 120

/** The lifetime of an upload in seconds. Throws `budgetExceeded`, `argumentInvalid`. */
export function checkUpload(
  media: Media,
  options: UploadOptions,
  { maxBytes }: Required<UploadLimits>,
): number {
  checkCallOptions(options, ['lifetimeSeconds'])
  if (!isMedia(media)) {
    const found = media === null ? 'null' : typeof media
    const expected = 'a value of createMedia'
    throw new EntiaError('argumentInvalid', { argument: 'The upload', expected, found })
  }
  const seconds = lifetimeOf(options.lifetimeSeconds, DEFAULT_LIFETIME_SECONDS)
  if (media.size > maxBytes)
    throw new EntiaError('budgetExceeded', {
      what: 'bytes of an upload',
      limit: maxBytes,
      option: 'uploads.maxBytes',
    })
  return seconds
}
