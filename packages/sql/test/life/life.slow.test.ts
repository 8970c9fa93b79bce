import { expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { liveOneDay } from './day.ts'

// `npm run test:long -- life` lives through a day minute by minute, and looks at memory, too.
describeDatabases('a day', { connections: 'several', on: 'one' }, (database) => {
  test('leaves no sessions, locks, sets, uploads, changes or prepared statements behind', async () => {
    let hours = 0
    const violations = await liveOneDay({
      connectionString: database.connectionString!,
      schema: database.schema,
      processes: 2,
      hours: 24,
      stepMinutes: 60,
      visitors: 8,
      seed: 1,
      onHour: async (_, found, { sessions, sets, uploads, commits }) => {
        hours++
        // Visitors leave something of everything.
        if (hours === 24) expect(Math.min(sessions, sets, uploads, commits)).toBeGreaterThan(5)
        expect(found.commits).toBeGreaterThan(0)
      },
    })
    expect(violations).toEqual([])
    expect(hours).toBe(24)
  })
})
