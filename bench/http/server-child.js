// The process of one server: starts it, reports its port, and profiles it on request.

import { makeData } from '../data.js'
import { profiled } from '../harness/profile.js'

const [serverUrl, employeeCount] = process.argv.slice(2)
let endProfile = () => undefined
/** @type {Promise<{ functions: readonly object[] }> | null} */
let profile = null

process.on('message', async ({ command, directory, name }) => {
  if (command === 'profile') {
    const until = new Promise((resolve) => {
      endProfile = resolve
    })
    profile = profiled(directory, name, () => until)
    process.send({ answer: 'profiling' })
  } else {
    endProfile()
    process.send({ answer: (await profile).functions })
  }
})
try {
  const { default: server } = await import(serverUrl)
  process.send({ answer: await server.start(makeData(Number(employeeCount))) })
} catch (error) {
  process.send({ error: error.message })
  process.exit()
}
