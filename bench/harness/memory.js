import { setImmediate } from 'node:timers/promises'
import { makeData } from '../data.js'

const warmUpEmployees = 2_000
const spareRecords = 1_024

/**
 * Bytes that a loaded store occupies per employee: heap, external memory, array buffers and what the store itself counts of native
 * memory, the companies included.
 * The rows themselves are dropped before the second look; texts that the store has kept count as its own.
 * A small store is made first, so that code and its feedback are there already. Needs a process of its own with `--expose-gc`.
 * @param {import('../subjects/subject.js').Subject} subject
 * @param {number} employeeCount
 */
export async function measureBytesPerEmployee(subject, employeeCount) {
  await warmUp(subject)
  const before = await occupiedBytes()
  const store = await load(subject, employeeCount)
  const after = (await occupiedBytes()) + ((await store.nativeBytes?.()) ?? 0)
  // The store must outlive the second look.
  await store.close?.()
  return (after - before) / employeeCount
}

/** A function of its own: nothing of it is left on the stack, which would count as occupied before. */
async function warmUp(subject) {
  const store = await load(subject, warmUpEmployees)
  await store.close?.()
}

async function load(subject, employeeCount) {
  return subject.open(makeData(employeeCount), { spareRecords })
}

async function occupiedBytes() {
  for (let i = 0; i < 3; i++) {
    // What a weak reference was made to lives until its task is over.
    await setImmediate()
    globalThis.gc()
  }
  const { heapUsed, external } = process.memoryUsage() // `external` holds the array buffers
  return heapUsed + external
}
