import { createRxDatabase } from 'rxdb/plugins/core'
import { replicateRxCollection } from 'rxdb/plugins/replication'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'
import { Subject } from 'rxjs'
import { CITY, summary, untilSeen } from '../../data.js'

const text = { type: 'string' }
const key = (maxLength) => ({ type: 'string', maxLength })
const schema = {
  version: 0,
  primaryKey: 'ID',
  type: 'object',
  properties: {
    ID: key(8),
    firstName: text,
    lastName: text,
    email: text,
    city: key(6),
    company: text,
    salary: { type: 'number', minimum: 0, maximum: 10_000_000, multipleOf: 1 },
    born: text,
    active: { type: 'boolean' },
    notes: text,
  },
  required: ['ID', 'city', 'salary'],
  indexes: [['city', 'salary']],
}
/** Sizes from 1000 to 20,000 take the same processor time. */
const BATCH = 5000

let collection
let replication
let pulled
let origin

async function request(path, options) {
  const response = await fetch(origin + path, options)
  return response.json()
}

function listen() {
  const events = new EventSource(`${origin}/stream`)
  events.onmessage = ({ data }) => pulled.next(JSON.parse(data))
  events.onerror = () => events.close()
  events.onopen = () => pulled.next('RESYNC')
}

globalThis.subject = {
  async open(address, isKept) {
    origin = address
    const database = await createRxDatabase({ name: 'replicas', storage: getRxStorageDexie() })
    ;({ people: collection } = await database.addCollections({ people: { schema } }))
    pulled = new Subject()
    replication = replicateRxCollection({
      collection,
      replicationIdentifier: 'replicas',
      retryTime: 1000,
      waitForLeadership: false,
      pull: {
        batchSize: BATCH,
        stream$: pulled.asObservable(),
        handler: (checkpoint, limit) =>
          request(`/pull?checkpoint=${checkpoint?.at ?? 0}&limit=${limit}`),
      },
      push: {
        batchSize: 1000,
        handler: (rows) => request('/push', { method: 'POST', body: JSON.stringify(rows) }),
      },
    })
    if (!isKept) await replication.awaitInitialReplication()
    listen()
    const found = await collection
      .find({ selector: { city: CITY }, sort: [{ salary: 'desc' }], limit: 50 })
      .exec()
    return found.map(({ ID }) => ID)
  },
  current: () => replication.awaitInSync(),
  // Documents are in IndexedDB when a write resolves.
  kept: () => {},
  async summary() {
    const documents = await collection.find().exec()
    return summary(documents.map((document) => document.toJSON()))
  },
  untilSeen: (changes) =>
    untilSeen(changes, async (ID) => (await collection.findOne(ID).exec())?.salary),
  async write(changes) {
    for (const { ID, salary } of changes) {
      const document = await collection.findOne(ID).exec()
      await document.incrementalPatch({ salary })
    }
  },
  reconnect() {
    listen()
    replication.reSync()
  },
}
