import { createMergeableStore } from 'tinybase'
import { WebSocketServer } from 'ws'
import { summary, untilSeen } from '../../data.js'
import { createSocketSynchronizer } from '../tinybase-socket.js'

/** A MergeableStore in memory, with a synchronizer for each connection. */
export default {
  async start(rows) {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 2 ** 30 })
    const store = createMergeableStore()
    store.setTable('people', Object.fromEntries(rows.map(({ ID, ...cells }) => [ID, cells])))
    sockets.on('connection', (socket) => {
      const { synchronizer, take } = createSocketSynchronizer(store, (text) => socket.send(text))
      socket.on('message', (bytes) => take(bytes.toString()))
      socket.on('close', () => synchronizer.destroy())
      void synchronizer.startSync()
    })
    await new Promise((resolve) => sockets.once('listening', resolve))
    return {
      port: sockets.address().port,
      change(changes) {
        for (const { ID, salary } of changes) store.setCell('people', ID, 'salary', salary)
      },
      untilSeen: (changes) => untilSeen(changes, (ID) => store.getCell('people', ID, 'salary')),
      summary: () =>
        summary(Object.entries(store.getTable('people')).map(([ID, row]) => ({ ID, ...row }))),
    }
  },
}
