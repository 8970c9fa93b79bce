/** CRC-32 (the one of zip files) by byte. */
const REMAINDERS: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

/** CRC-32 of bytes that come in pieces: finds every change within 32 bits. Cost O(bytes), some 3 ns each. */
export class Checksum {
  #crc = 0xffffffff

  add(bytes: Uint8Array): this {
    let crc = this.#crc
    for (let i = 0; i < bytes.length; i++) crc = REMAINDERS[(crc ^ bytes[i]) & 255] ^ (crc >>> 8)
    this.#crc = crc
    return this
  }

  /** Of all bytes until now, as 8 hexadecimal digits. */
  get digits(): string {
    return (~this.#crc >>> 0).toString(16).padStart(8, '0')
  }
}

/** The checksum of pieces of bytes, one after the other. */
export function checksum(...pieces: readonly Uint8Array[]): string {
  const sum = new Checksum()
  for (const bytes of pieces) sum.add(bytes)
  return sum.digits
}
