/** Proxies change these characters even if they are escaped. */
const CHANGED_ON_THE_WAY = /[\p{Cc}/\\]/u

/**
 * A key as the server writes it into addresses: `7`, `%22O'Neil%22`, `~a~2Fb`; see "Addresses" in
 * docs/reference/http.md.
 */
export function keyInAddress(key: string | number): string {
  if (typeof key === 'number') return String(key)
  const escaped = encodeURIComponent(key)
  if (!CHANGED_ON_THE_WAY.test(key)) return `%22${escaped}%22`
  const all = escaped.replace(
    /[.!~*'()]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `~${all.replaceAll('%', '~')}`
}
