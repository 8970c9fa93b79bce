// A serving process: starts the server of one subject and obeys the runner.
import { createRows } from './data.js'

process.on('disconnect', () => process.exit())

let server
process.on('message', async ({ id, command, argument }) => {
  try {
    let result
    if (command === 'start') {
      const { default: subject } = await import(argument.module)
      server = await subject.start(createRows(argument.count), argument)
      result = { port: server.port, databaseProcess: server.databaseProcess ?? 0 }
    } else result = await server[command]?.(argument)
    process.send({ id, result })
  } catch (error) {
    process.send({ id, error: error.stack })
  }
})
