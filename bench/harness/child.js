// The process of one subject: answers the parent's requests, one at a time.

import { BenchSession } from './bench-session.js'
import { measureBytesPerEmployee } from './memory.js'
import { profiled } from './profile.js'
import { serveCommands } from './serve-commands.js'

const [subjectUrl, employeeCount, profileDirectory] = process.argv.slice(2)
const { default: subject } = await import(subjectUrl).catch((error) => {
  process.send({ error: error.message })
  process.exit()
})
/** @type {BenchSession} */
let session

const commands = {
  async open() {
    session = await BenchSession.open(subject, Number(employeeCount))
    return { loadNanoseconds: session.loadNanoseconds }
  },
  begin: ({ id }) => session.begin(id),
  async measure({ id, milliseconds }) {
    if (profileDirectory === undefined)
      return { value: await session.measure(id, milliseconds), functions: [] }
    const work = () => session.measure(id, milliseconds)
    const { result, functions } = await profiled(profileDirectory, `${id}-${subject.name}`, work)
    return { value: result, functions }
  },
  settle: ({ id }) => session.settle(id),
  memory: () =>
    subject.isIndexed === false ? null : measureBytesPerEmployee(subject, Number(employeeCount)),
}

serveCommands(commands, subject.version)
