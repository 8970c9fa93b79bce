import { setImmediate } from 'node:timers/promises'
import { makeData } from '../data.js'

const warmUpEmployees = 2_000
const spareRecords = 1_024

/**
 * The bytes per employee of a loaded store, companies included: heap, external memory, array
 * buffers, and native memory that the store reports. The rows are dropped before the second
 * measurement, so only texts that the store keeps count. A small store is created first to load the
 * code and its feedback. Needs a separate process with `--expose-gc`.
 * @param {import('../subjects/subject.js').Subject} subject
 * @param {number} employeeCount
 */
export async function measureBytesPerEmployee(subject, employeeCount) {
  await warmUp(subject)
  const before = await occupiedBytes()
  const store = await load(subject, employeeCount)
  const after = (await occupiedBytes()) + ((await store.nativeBytes?.()) ?? 0)
  // The store must outlive the second measurement.
  await store.close?.()
  return (after - before) / employeeCount
}

/** A separate function, so that its stack slots do not keep the small store alive. */
async function warmUp(subject) {
  const store = await load(subject, warmUpEmployees)
  await store.close?.()
}

async function load(subject, employeeCount) {
  // A clone has texts as parsed rows have them. V8 holds those that were just joined in pieces of
  // which it drops a part or none, depending on when it collects: 25 bytes per employee.
  return subject.open(structuredClone(makeData(employeeCount)), { spareRecords })
}

async function occupiedBytes() {
  for (let i = 0; i < 3; i++) {
    // The target of a new WeakRef lives until the current task ends.
    await setImmediate()
    globalThis.gc()
  }
  const { heapUsed, external } = process.memoryUsage() // `external` holds the array buffers
  return heapUsed + external
}
