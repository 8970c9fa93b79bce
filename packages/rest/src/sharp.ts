// The door @entia/rest/sharp: images in other formats, by the package sharp, which the application installs.
import type { AskedImageType, ImageConverter, ImageType } from './handle/context/image-types.ts'

export type { AskedImageType, ImageConverter, ImageType } from './handle/context/image-types.ts'

/** How much one image may cost. Beyond it an image counts as one that cannot be read. */
export interface SharpLimits {
  /** Width times height, before anything is decoded; 25 million by default. */
  readonly maxPixels?: number
  /** Seconds that one conversion may work; 10 by default. */
  readonly maxSeconds?: number
  /** Conversions that may wait for their turn; 32 by default. */
  readonly maxWaiting?: number
}

/** How sharp names the formats that it is given. Bitmaps it does not read. */
const NAMES: ReadonlyMap<ImageType, string> = new Map([
  ['image/gif', 'gif'],
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/tiff', 'tiff'],
  ['image/webp', 'webp'],
])

/**
 * A converter for the option `imageConverter`. Images are converted one at a time, in the order of asking: what is decoded
 * takes much more memory than what is sent. Of an animation the first picture is taken; transparent places become white in
 * a JPEG; a photograph is turned upright.
 * The converter rejects when the package sharp is not installed; everything that is wrong with an image is null.
 */
export function createSharpConverter(limits: SharpLimits = {}): ImageConverter {
  const { maxPixels = 25_000_000, maxSeconds = 10, maxWaiting = 32 } = limits
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return (bytes, from, to, signal) => {
    const name = NAMES.get(from)
    if (name === undefined || waiting >= maxWaiting) return Promise.resolve(null)
    waiting++
    const nextSlice = last.then(async () => {
      waiting--
      if (signal.aborted) return null
      const { default: sharp } = await import('sharp')
      try {
        const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning', sequentialRead: true })
        // Only the decoder that the first bytes ask for, whatever others would make of the rest.
        if ((await image.metadata()).format !== name) return null
        return await encode(image.autoOrient().timeout({ seconds: maxSeconds }), to)
      } catch {
        return null
      }
    })
    last = nextSlice.then(nothing, nothing)
    return nextSlice
  }
}

const nothing = (): void => undefined

/** What of sharp is used here. */
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
      // Its own default loses detail.
      return image.tiff({ compression: 'lzw' }).toBuffer()
    case 'image/jpeg':
      return image.flatten({ background: 'white' }).jpeg().toBuffer()
  }
}
