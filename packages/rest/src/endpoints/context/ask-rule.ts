import type { MetricsAsker } from '../permission/privileges.ts'
import type { HandleContext } from './context.ts'

/**
 * Whether a rule of the host allows a caller something. A rule that throws counts as "no" and is
 * reported to the host.
 */
export async function isAllowed(
  rule: (asker: MetricsAsker) => boolean | Promise<boolean>,
  { session, header, rules: { report } }: HandleContext,
): Promise<boolean> {
  try {
    const asker = { session: session.current, remoteAddress: session.origin.ipAddress, header }
    return (await rule(asker)) === true
  } catch (error) {
    report(error)
    return false
  }
}
