// Entry point @entia/rest/sharp: converts images to other formats with the package sharp, which the
// application installs.
import { fromZero, numbersOf } from '@entia/core/internal'
import type { AskedImageType, ImageConverter, ImageType } from './endpoints/context/image-types.ts'

export type { AskedImageType, ImageConverter, ImageType } from './endpoints/context/image-types.ts'

/** Limits of one conversion. An image that exceeds them counts as unreadable. */
export interface SharpLimits {
  /** Width times height, checked before decoding; 25 million by default. */
  readonly maxPixels?: number
  /** Seconds that one conversion may take; 10 by default. */
  readonly maxSeconds?: number
  /** Conversions that may wait; 32 by default. */
  readonly maxWaiting?: number
}

const DEFAULTS = { maxPixels: 25_000_000, maxSeconds: 10, maxWaiting: 32 }

/** The names of formats in sharp, which cannot read bitmaps. */
const NAMES: ReadonlyMap<ImageType, string> = new Map([
  ['image/gif', 'gif'],
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/tiff', 'tiff'],
  ['image/webp', 'webp'],
])

/**
 * A converter for the option `imageConverter`. It converts one image at a time, in order: decoded
 * images take much more memory than encoded ones. It takes the first frame of an animation, makes
 * transparent pixels white in a JPEG, and rotates photographs upright. It rejects if the package
 * sharp is not installed, and resolves to null for an unreadable image.
 *
 * @example
 * ```ts
 * const imageConverter = createSharpConverter({ maxPixels: 4_000_000 })
 * const images = createRestHandler(store, { imageConverter })
 * ```
 */
export function createSharpConverter(limits: SharpLimits = {}): ImageConverter {
  const { maxPixels, maxSeconds, maxWaiting } = numbersOf('limits', DEFAULTS, limits, fromZero)
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return (bytes, from, to, signal) => {
    const name = NAMES.get(from)
    if (name === undefined || waiting >= maxWaiting) return Promise.resolve(null)
    waiting++
    const converted = last.then(async () => {
      waiting--
      if (signal.aborted) return null
      const { default: sharp } = await import('sharp')
      try {
        const image = sharp(bytes, {
          limitInputPixels: maxPixels,
          failOn: 'warning',
          sequentialRead: true,
        })
        // Uses only the decoder that the first bytes select.
        if ((await image.metadata()).format !== name) return null
        return await encode(image.autoOrient().timeout({ seconds: maxSeconds }), to)
      } catch {
        return null
      }
    })
    last = converted.then(nothing, nothing)
    return converted
  }
}

const nothing = (): void => undefined

/** The part of sharp that is used. */
interface Pipeline {
  gif(): Pipeline
  png(): Pipeline
  tiff(options: { readonly compression: 'lzw' }): Pipeline
  jpeg(): Pipeline
  flatten(options: { readonly background: string }): Pipeline
  toBuffer(): Promise<Uint8Array>
}

function encode(image: Pipeline, to: AskedImageType): Promise<Uint8Array> {
  switch (to) {
    case 'image/gif':
      return image.gif().toBuffer()
    case 'image/png':
      return image.png().toBuffer()
    case 'image/tiff':
      // The default compression is lossy.
      return image.tiff({ compression: 'lzw' }).toBuffer()
    case 'image/jpeg':
      return image.flatten({ background: 'white' }).jpeg().toBuffer()
  }
}
