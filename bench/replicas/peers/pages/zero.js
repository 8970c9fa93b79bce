import { Zero } from '@rocicorp/zero'
import { CITY, summary, untilSeen } from '../../data.js'
import { mutators, queries, schema, zql } from '../zero-schema.js'

let zero

globalThis.subject = {
  async open(origin, isKept) {
    zero = new Zero({
      cacheURL: origin,
      userID: null,
      schema,
      mutators,
      kvStore: 'idb',
      // Without a connection writes are refused after this time, by default a minute.
      disconnectTimeoutMs: 3_600_000,
      onClientStateNotFound: () => console.error('zero: client state not found'),
      onUpdateNeeded: ({ type }) => console.error(`zero: update needed, ${type}`),
    })
    const { complete } = zero.preload(queries.everybody())
    if (!isKept) await complete
    for (;;) {
      const found = await zero.run(queries.bestPaid({ city: CITY }), {
        type: isKept ? 'unknown' : 'complete',
      })
      if (found.length > 0) return found.map(({ ID }) => ID)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  },
  /** The answer to one query, while nothing else is asked for. */
  async openOne(origin) {
    zero = new Zero({ cacheURL: origin, userID: null, schema, mutators, kvStore: 'idb' })
    const found = await zero.run(queries.bestPaid({ city: CITY }), { type: 'complete' })
    return found.map(({ ID }) => ID)
  },
  current: () => {},
  // The storage of the client is written in the background; the runner waits.
  kept: () => new Promise((resolve) => setTimeout(resolve, 3000)),
  summary: async () => summary(await zero.run(zql.people)),
  untilSeen: (changes) =>
    untilSeen(changes, async (ID) => (await zero.run(zql.people.where('ID', ID).one()))?.salary),
  async write(changes) {
    await Promise.all(changes.map((change) => zero.mutate(mutators.setSalary(change)).client))
  },
  reconnect() {},
}
