import type { Wire } from './decode.ts'
import type { Transport } from './transport.ts'

/** An image or BLOB that is uploaded before the write that uses it. */
class MediaUpload {
  readonly isImage: boolean
  readonly bytes: () => Uint8Array | Promise<Uint8Array>

  constructor(isImage: boolean, bytes: () => Uint8Array | Promise<Uint8Array>) {
    this.isImage = isImage
    this.bytes = bytes
  }
}

/** The form of an image or BLOB in a body: its address, an upload, or null for any other value. */
export function encodeMedia(value: object, isImage: boolean): object | null {
  if ('uri' in value) return { __deferred: { uri: value.uri } }
  if (value instanceof Uint8Array) return new MediaUpload(isImage, () => value)
  const { bytes } = value as { readonly bytes?: unknown }
  if (bytes instanceof Uint8Array) return new MediaUpload(isImage, () => bytes)
  if (typeof bytes !== 'function') return null
  return new MediaUpload(isImage, () => (value as MediaUpload).bytes())
}

/** Replaces the uploads in a body by their ids. */
export async function withUploads(body: Wire, transport: Transport): Promise<Wire> {
  const sent: Record<string, unknown> = { ...body }
  for (const [name, value] of Object.entries(body))
    if (value instanceof MediaUpload)
      sent[name] = await transport.upload(await value.bytes(), value.isImage)
  return sent
}
