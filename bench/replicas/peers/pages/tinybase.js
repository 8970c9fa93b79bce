import { createIndexes, createMergeableStore } from 'tinybase'
import { createIndexedDbPersister } from 'tinybase/persisters/persister-indexed-db'
import { CITY, summary, untilSeen } from '../../data.js'
import { createSocketSynchronizer } from '../tinybase-socket.js'

const store = createMergeableStore()
const indexes = createIndexes(store)
let persister
let synchronizer
let origin

async function synchronise() {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/people`)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const made = createSocketSynchronizer(store, (text) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(text)
  })
  socket.addEventListener('message', ({ data }) => made.take(data))
  synchronizer = made.synchronizer
  await synchronizer.startSync()
}

function page() {
  indexes.setIndexDefinition('byCity', 'people', 'city', 'salary')
  return indexes.getSliceRowIds('byCity', CITY).slice(-50).reverse()
}

globalThis.subject = {
  async open(address, isKept) {
    origin = address
    persister = createIndexedDbPersister(store, 'replicas')
    if (isKept) {
      await persister.load()
      const found = page()
      void synchronise()
      return found
    }
    await synchronise()
    return page()
  },
  current: () => synchronizer?.getStatus(),
  // Automatic saving would write the whole store after each transaction.
  kept: () => persister.save(),
  summary: () =>
    summary(Object.entries(store.getTable('people')).map(([ID, row]) => ({ ID, ...row }))),
  untilSeen: (changes) => untilSeen(changes, (ID) => store.getCell('people', ID, 'salary')),
  write(changes) {
    for (const { ID, salary } of changes) store.setCell('people', ID, 'salary', salary)
  },
  async reconnect() {
    await synchronizer.destroy()
    await synchronise()
  },
}
