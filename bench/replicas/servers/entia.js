import { createServer } from 'node:http'
import { createDataStore } from '@entia/core'
import { createRestHandler, ReplicaState, toNodeHandler } from '@entia/rest'
import { summary, untilSeen } from '../data.js'
import { Person } from '../person.js'

/** A store in memory, served by node:http. */
export default {
  async start(rows, { commits }) {
    const store = createDataStore({
      name: 'replicas',
      dataClasses: [Person, ReplicaState],
      history: { commits },
    })
    store.Person.load(rows)
    const rest = createRestHandler(store, { replicas: true, allowedOrigins: ['*'] })
    const server = createServer(toNodeHandler(rest))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      port: server.address().port,
      change(changes) {
        for (const { ID, salary } of changes) store.Person.update(ID, { salary })
      },
      untilSeen: (changes) => untilSeen(changes, (ID) => store.Person.get(ID).salary),
      summary: () => summary(store.Person.all()),
    }
  },
}
