import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processor time and resident memory of processes with all that they have started, and the ids of
 * these. Processor time is counted in steps of 10 ms. Zeros on systems without `/proc`.
 * @param {readonly number[]} roots ids of processes
 */
export function processTree(roots) {
  const children = new Map()
  const found = new Map()
  for (const pid of processIds()) {
    const parts = partsOf(pid)
    if (parts === null) continue
    found.set(pid, parts)
    const parent = Number(parts[1])
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const pids = roots.filter((pid) => found.has(pid))
  let milliseconds = 0
  let bytes = 0
  for (const pid of pids) {
    pids.push(...(children.get(pid) ?? []))
    const parts = found.get(pid)
    // utime, stime, and those of children that have ended.
    for (let at = 11; at <= 14; at++) milliseconds += Number(parts[at]) * 10
    bytes += Number(parts[21]) * 4096
  }
  return { milliseconds, bytes, pids }
}

function processIds() {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** The fields of `/proc/PID/stat` from the state on, which follows the name in parentheses. */
function partsOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** The process of a browser with this profile. */
export function browserProcess(profile) {
  for (const pid of processIds()) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      if (command.includes(`--user-data-dir=${profile}`) && !command.includes('--type=')) return pid
    } catch {}
  }
  return 0
}
