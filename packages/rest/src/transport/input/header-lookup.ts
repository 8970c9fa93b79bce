import type { HeaderLookup } from './cross-site.ts'

/** Headers as hosts have them: an object with `get`, or a record in any case, lists joined. */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined }

/** The way to look up a header of a request: its own where it has one. */
export function lookupOf(input: {
  readonly headers?: HeaderSource
  header?(name: string): string | null
}): HeaderLookup {
  return input.header === undefined ? headerLookup(input.headers) : (name) => input.header!(name)
}

/** Makes one way to look a header up, whatever the host. Names are asked for in lower case. */
function headerLookup(source: HeaderSource | undefined): HeaderLookup {
  if (source === undefined) return () => null
  if (hasGet(source)) return (name) => source.get(name) ?? null
  const byName = new Map<string, string>()
  for (const [name, value] of Object.entries(source)) {
    if (typeof value === 'string') byName.set(name.toLowerCase(), value)
    else if (Array.isArray(value)) byName.set(name.toLowerCase(), value.join(', '))
  }
  // HTTP/2 has the host under a name of its own.
  const authority = byName.get(':authority')
  if (authority !== undefined && !byName.has('host')) byName.set('host', authority)
  return (name) => byName.get(name) ?? null
}

function hasGet(source: HeaderSource): source is { get(name: string): string | null | undefined } {
  return typeof source.get === 'function'
}
