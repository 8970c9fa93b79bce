import type { Session } from '@entia/core'

/**
 * Who is shown which entity sets and sessions. The id of a set is all it takes to use one that nobody owns, so lists hold only
 * what is the caller's own unless the application says otherwise: `'all'`, or a function that answers true.
 */
export type InfoRule = 'own' | 'all' | ((session: Session | null) => boolean | Promise<boolean>)
