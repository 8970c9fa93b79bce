/** True for addresses below `basePath`; `''` is a whole host. */
export function isWithin(basePath: string, url: string): boolean {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const behind = path[basePath.length]
  return path.startsWith(basePath) && (behind === undefined || behind === '/' || behind === '?')
}
