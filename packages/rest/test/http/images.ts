import { deflateSync } from 'node:zlib'

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

/**
 * A PNG of one colour. `announced` is the size in its header, if that differs from its real size.
 */
export function png(
  width = 2,
  height = 1,
  announced: readonly [number, number] = [width, height],
): Uint8Array {
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, 0x80)])
  const head = Buffer.alloc(13)
  head.writeUInt32BE(announced[0], 0)
  head.writeUInt32BE(announced[1], 4)
  head.set([8, 2, 0, 0, 0], 8)
  return new Uint8Array(
    Buffer.concat([
      Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
      chunk('IHDR', head),
      chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  whole.set(body, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** One transparent pixel. */
export const gif = bytesOf('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')

/** Valid headers of each format, without decodable content. */
export const heads = {
  jpeg: Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 0xff, 0xd9),
  tiffLittle: Uint8Array.of(0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 1, 0, ...new Array(12).fill(0)),
  tiffBig: Uint8Array.of(0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, ...new Array(12).fill(0)),
  webp: Uint8Array.of(...ascii('RIFF'), 12, 0, 0, 0, ...ascii('WEBPVP8 '), 0, 0, 0, 0),
  bmp: Uint8Array.of(
    ...ascii('BM'),
    58,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    54,
    0,
    0,
    0,
    40,
    0,
    0,
    0,
    ...new Array(40).fill(0),
  ),
}

/** Content that a browser would run, or that only looks like an image to a hurried reader. */
export const noImages: readonly (readonly [string, Uint8Array])[] = [
  ['HTML', ascii('<!doctype html><script>alert(1)</script>')],
  ['SVG', ascii('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['text that begins as a bitmap does', ascii('BMW is no bitmap, and neither is this')],
  ['an old GIF that is none', ascii('GIF88a')],
  ['a cut head', Uint8Array.of(0x89, 0x50, 0x4e)],
  ['a sound', Uint8Array.of(...ascii('RIFF'), 4, 0, 0, 0, ...ascii('WAVE'))],
]
