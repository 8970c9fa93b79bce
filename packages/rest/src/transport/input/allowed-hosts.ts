import { restError } from '../../errors/rest-error.ts'
import type { HeaderLookup } from './cross-site.ts'

/**
 * Refuses a request for a host that is not ours: a page of another site may have its own name resolved to this machine,
 * and is then no other site to its browser. A host without a port allows all ports. Throws hostRefused, hostMissing.
 */
export function refuseForeignHost(header: HeaderLookup, allowedHosts: readonly string[] | undefined): void {
  if (allowedHosts === undefined) return
  const host = header('host')?.trim().toLowerCase() ?? ''
  if (host === '') throw restError('hostMissing', {})
  const name = host.replace(/:\d*$/, '')
  const isAllowed = allowedHosts.some((allowed) => {
    const own = allowed.toLowerCase()
    return own === host || own === name
  })
  if (!isAllowed) throw restError('hostRefused', { host: host.slice(0, 100) })
}
