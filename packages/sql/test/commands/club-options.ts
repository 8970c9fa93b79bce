import type { RestOptions } from '@entia/rest'

/** Anna sees some players and passes, and may not change all that she sees. */
const ROWS = new Map([
  ['Player read', 'score < 50'],
  ['Player update', 'level != 3'],
  ['Player delete', "team.name != 'Red'"],
  ['Pass read', "holder.team.name != 'Red'"],
  ['Ticket create', 'price > 1'],
])

export const CLUB_OPTIONS: RestOptions = {
  users: [
    { name: 'anna', password: 'a' },
    { name: 'bob', password: 'b' },
  ],
  authorize: ({ user, dataClass, action, attribute }) => {
    if (user?.userName !== 'anna') return true
    if (attribute !== undefined) return attribute !== 'big'
    if (dataClass === 'Team' && action === 'delete') return false
    return ROWS.get(`${dataClass} ${action}`) ?? true
  },
}
