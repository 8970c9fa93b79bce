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

/** The names of a model. Addresses such as `$directory` begin otherwise. */
const NAME = /^(?!__)[\p{L}_][\p{L}\p{M}\p{N}_]*$/u

/**
 * The name of a dataclass, relation or function as a part of an address. Throws a `TypeError` for a
 * text that no model can have as a name: it could be the address of something else.
 */
export function nameInAddress(name: string): string {
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(
      `${JSON.stringify(name)} is not a name of the model. Names consist of letters, digits and "_".`,
    )
  return encodeURIComponent(name)
}
