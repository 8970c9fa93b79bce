/** The cookie with a session's token. */
export interface SessionCookie {
  readonly name: string
  /** The path of the cookie. */
  readonly path: string
}

/** Longer than any token; longer values are not decoded. */
const MAX_TOKEN_CHARACTERS = 512

/** One name per store, so that two stores on a host do not end each other's sessions. */
export function sessionCookie(storeName: string, basePath: string): SessionCookie {
  const isPlain = basePath !== '' && /^[\w/.~%!$&'()*+:@-]+$/.test(basePath)
  return { name: `4DSID_${storeName.replace(/[^\w-]/g, '_')}`, path: isPlain ? basePath : '/' }
}

/**
 * The token in a `Cookie` header. Null for none, and for several that differ: one of them was
 * planted by a party that may set cookies for a part of the site.
 */
export function readToken(header: string | null, { name }: SessionCookie): string | null {
  if (header === null) return null
  let token: string | null = null
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    if (token !== null && token !== value) return null
    token = value
  }
  return token === null || token === '' || token.length > MAX_TOKEN_CHARACTERS
    ? null
    : decoded(token)
}

function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}

/**
 * A `Set-Cookie` header; a null token removes the cookie. Scripts cannot read it, and other sites
 * do not send it.
 */
export function writeCookie(
  { name, path }: SessionCookie,
  token: string | null,
  isSecure: boolean,
): string {
  const parts = [
    token === null ? `${name}=; Max-Age=0` : `${name}=${encodeURIComponent(token)}`,
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Strict',
  ]
  if (isSecure) parts.push('Secure')
  return parts.join('; ')
}
