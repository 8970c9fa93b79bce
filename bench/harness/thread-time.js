import { openSync, readSync } from 'node:fs'

const bytes = Buffer.alloc(64)
const file = openSchedule()

/** Nanoseconds that this thread has worked, where the system tells: what others do on the machine is not in it. Takes about 2 us. */
export function threadNanoseconds() {
  if (file === null) return null
  const length = readSync(file, bytes, 0, bytes.length, 0)
  return Number(bytes.latin1Slice(0, length).split(' ', 1)[0])
}

function openSchedule() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  } catch {
    return null
  }
}
