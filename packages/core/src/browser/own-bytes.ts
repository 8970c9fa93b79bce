/** Bytes without the rest of their buffer, which a structured clone would copy too. */
export const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()
