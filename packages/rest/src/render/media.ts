import { typeOf } from '@entia/engine'
import type { Answer } from '../endpoints/context/answer.ts'
import { mediaEtag } from './etag.ts'
import type { Reply } from './serialize.ts'
import { entityUri, mediaUri } from './uri.ts'

/** Prevents browsers from executing the content. */
const HARMLESS = { 'content-security-policy': "default-src 'none'; sandbox" }

/**
 * The content of an image or BLOB as bytes. The content type comes from a fixed table, never from a
 * sender.
 */
export function renderMedia({ content, version }: Extract<Answer, { kind: 'media' }>): Reply {
  if (content === null) return { status: 200, headers: {}, body: '{}' }
  const type =
    content.type === null
      ? { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' }
      : { 'content-type': content.type }
  const etag = version === null ? {} : { etag: mediaEtag(version) }
  return { status: 200, headers: { ...type, ...HARMLESS, ...etag }, body: content.bytes }
}

/** The attribute object with the address of the content. */
export function renderMediaAddress(
  { dataClass, attribute, record, media }: Extract<Answer, { kind: 'mediaAddress' }>,
  basePath: string,
): Reply {
  const { key, stamp } = record
  if (key === null || media === null) return json({ [attribute.name]: null })
  const uri = entityUri(basePath, dataClass.name, key)
  const type = typeOf(attribute) === 'image' ? 'image' : 'blob'
  const deferred = {
    uri: mediaUri(uri, attribute.name, stamp, type),
    ...(type === 'image' ? { image: true } : {}),
  }
  return json({
    [attribute.name]: { __KEY: String(key), __STAMP: stamp, uri, __deferred: deferred },
  })
}

function json(body: object): Reply {
  return { status: 200, headers: {}, body: JSON.stringify(body) }
}
