import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { FAULTS } from '../../packages/replica/test/faults/faults.mjs'
import { root } from '../prepare.mjs'

/** A fault may keep a test waiting for something that never comes. */
const LONGEST = 300_000

/**
 * Plants each fault, one at a time, and runs the properties of replicas. Returns true if they find
 * all. `from` is the number of the first one.
 * @param {{ readonly from: number }} options
 */
export async function main({ from }) {
  let missed = 0
  for (const [at, { what }] of FAULTS.entries()) {
    if (at < from) continue
    const since = performance.now()
    const child = spawn(
      process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        ...['run', '--config', 'packages/replica/test/faults/vitest.config.ts'],
      ],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of processes, which end together.
        detached: true,
        env: { ...process.env, ENTIA_FAULT: String(at) },
      },
    )
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    let isOver = false
    const end = setTimeout(() => {
      isOver = true
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, LONGEST)
    const [status] = await once(child, 'close')
    clearTimeout(end)
    const test = / FAIL .*?([\w-]+(?:\.slow)?\.test\.ts)/.exec(output)?.[1]
    const found = isOver ? 'never ends' : test
    const isFound = status !== 0 && found !== undefined && !output.includes('no single place')
    if (!isFound) missed++
    const seconds = Math.round((performance.now() - since) / 1000)
    console.log(`${at + 1} ${what}: ${isFound ? `found, ${found}` : 'MISSED'} (${seconds} s)`)
    if (!isFound && status !== 0) console.log(output.slice(-2000))
  }
  console.log(`${FAULTS.length - from} faults, ${missed} missed`)
  return missed === 0
}
