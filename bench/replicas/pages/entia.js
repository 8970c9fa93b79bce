import { connect } from '@entia/client'
import { openBrowserJournal } from '@entia/core/browser'
import { replicate } from '@entia/replica'
import { CITY, summary, untilSeen } from '../data.js'
import { Person } from '../person.js'

let journal
let replica

async function open(origin, shape) {
  replica = await replicate(connect(`${origin}/rest`), {
    dataClasses: [Person],
    shapes: { Person: shape },
    keep: async (store, tab) => {
      journal = await openBrowserJournal(store, 'replicas', tab)
      return journal
    },
  })
  return replica.store.Person.query('city === :1', [CITY])
    .orderBy('salary desc')
    .page(0, 50)
    .toArray()
    .map(({ ID }) => ID)
}

globalThis.subject = {
  open: (origin) => open(origin, true),
  /** With the entities of one city only. */
  openOne: (origin) => open(origin, { filter: `city === '${CITY}'` }),
  current: () => replica.current(),
  kept: () => journal.flush(),
  summary: () => summary(replica.store.Person.all()),
  untilSeen: (changes) => untilSeen(changes, (ID) => replica.store.Person.get(ID)?.salary),
  async write(changes) {
    for (const { ID, salary } of changes)
      await replica.transact((tx) => void tx.Person.update(ID, { salary }))
  },
  reconnect: () => replica.reconnect(),
}
