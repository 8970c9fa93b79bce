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
  await load(subject, warmUpEmployees)
  const before = occupiedBytes()
  const store = await load(subject, employeeCount)
  const after = occupiedBytes() + ((await store.nativeBytes?.()) ?? 0)
  // The store must outlive the second look.
  await store.close?.()
  return (after - before) / employeeCount
}

async function load(subject, employeeCount) {
  return subject.open(makeData(employeeCount), { spareRecords })
}

function occupiedBytes() {
  for (let i = 0; i < 3; i++) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage() // `external` holds the array buffers
  return heapUsed + external
}
