import { typeOf } from '../door/names.ts'
import type { Answer } from '../handle/answer.ts'
import { entityUri, mediaUri } from './uri.ts'

interface MediaReply {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array
}

/** Seconds that a client may show the content of an address with its version in it without asking again. */
const VERSIONED_SECONDS = 300

/** Whatever the content is, a browser that is led to it runs nothing of it. */
const HARMLESS = { 'content-security-policy': "default-src 'none'; sandbox" }

/** The content of an image or BLOB as bytes. The content type comes from our own table, never from a sender. */
export function renderMedia({ content, version, isVersioned }: Extract<Answer, { kind: 'media' }>): MediaReply {
  if (content === null) return { status: 200, headers: {}, body: '{}' }
  const type =
    content.type === null
      ? { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' }
      : { 'content-type': content.type }
  const caching = isVersioned && version !== null ? { 'cache-control': `private, max-age=${VERSIONED_SECONDS}` } : {}
  return { status: 200, headers: { ...type, ...HARMLESS, ...etagOf(version), ...caching }, body: content.bytes }
}

/** A key that was removed and given again begins its stamps anew, so the stamp alone does not name a content. */
function etagOf(version: Extract<Answer, { kind: 'media' }>['version']): MediaReply['headers'] {
  if (version === null) return {}
  return { etag: `"${version.stamp}-${Date.parse(version.timestamp).toString(36)}"` }
}

/** The attribute object: where the content is. */
export function renderMediaAddress(
  { dataClass, attribute, record, media }: Extract<Answer, { kind: 'mediaAddress' }>,
  basePath: string,
): MediaReply {
  const { key, stamp } = record
  if (key === null || media === null) return json({ [attribute.name]: null })
  const uri = entityUri(basePath, dataClass.name, key)
  const type = typeOf(attribute) === 'image' ? 'image' : 'blob'
  const deferred = { uri: mediaUri(uri, attribute.name, stamp, type), ...(type === 'image' ? { image: true } : {}) }
  return json({ [attribute.name]: { __KEY: String(key), __STAMP: stamp, uri, __deferred: deferred } })
}

function json(body: object): MediaReply {
  return { status: 200, headers: {}, body: JSON.stringify(body) }
}
