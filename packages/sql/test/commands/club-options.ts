import { type Ids, isEntiaError } from '@entia/core'
import type { RestOptions } from '@entia/rest'

type Rule = string | { readonly filter: string; readonly parameters: readonly string[] }

/** Anna sees some players and passes, and may not change all that she sees. */
const ROWS = new Map<string, Rule>([
  ['Player read', 'score < 50'],
  ['Player update', 'level != 3'],
  ['Player delete', "team.name != 'Red'"],
  ['Pass read', "holder.team.name != 'Red'"],
  ['Ticket create', 'price > 1'],
  // Sign by sign, as what belongs to one user: no wildcards, and no other case.
  ['Team read', { filter: 'motto != :1 or motto is null', parameters: ['@'] }],
  ['Form update', { filter: 'player.name != :1 or player is null', parameters: ['Ben'] }],
  ['Log read', { filter: 'text = :1 or text begin :2', parameters: ['gold', 'saved'] }],
])

const authorize: RestOptions['authorize'] = ({ user, dataClass, action, attribute }) => {
  if (user?.userName !== 'anna') return true
  if (attribute !== undefined) return attribute !== 'big' && attribute !== 'place'
  if (dataClass === 'Team' && action === 'delete') return false
  return ROWS.get(`${dataClass} ${action}`) ?? true
}

/** Plain REST beside the entity interface. */
export const PLAIN = '/plain'

/** Callers log in. */
const withLogins: RestOptions = {
  users: [
    { name: 'anna', password: 'a' },
    { name: 'bob', password: 'b' },
  ],
  authorize,
}

/** A header that names the caller, as a proxy sends it. */
export const CALLER = 'x-caller'

/** A proxy proves who calls. */
const withProxy: RestOptions = {
  identify: async ({ header }) => {
    const userName = header(CALLER)
    return userName === 'anna' || userName === 'bob' ? { userName } : null
  },
  authorize,
}

/** How callers of a list of commands are known. */
export type Identity = 'logins' | 'proxy'

/** The options of a handler. `onFailure` receives errors that are not refusals. */
export const handlerOptions = (
  identity: Identity,
  ids: Ids,
  onFailure: (error: unknown) => void,
): RestOptions => ({
  ...(identity === 'logins' ? withLogins : withProxy),
  plain: { basePath: PLAIN, ids },
  onError: (error) => {
    if (!isEntiaError(error)) onFailure(error)
  },
})
