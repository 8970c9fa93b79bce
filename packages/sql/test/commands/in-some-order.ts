import type { AnyDataStore } from '@entia/core'
import type { Step } from '../../../testing/src/conformance/case.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import type { ClubHost } from './club-host.ts'
import { CONTENTS, type Comparison } from './compare.ts'

/** The log is emptied: after-hooks at the same time log in any order. */
const EMPTY_LOG: Step = { send: 'DELETE /rest/Log?$filter="ID > 0"' }

/**
 * Sends requests to the tested club at the same time, then to the reference one after the other, in
 * an order in which it gives the same replies and has the same contents afterwards. Returns the
 * difference if there is no such order.
 */
export async function differenceInEachOrder(
  steps: readonly Step[],
  reference: ClubHost,
  tested: ClubHost,
  comparison: Comparison,
): Promise<string | null> {
  comparison.forgetStamps()
  const store = reference.opened.stores[0] as AnyDataStore
  const found = await Promise.all(steps.map((step) => tested.send(step, false)))
  const contents: HostReply[] = []
  for (const step of CONTENTS) contents.push(await tested.send(step, false))
  const problems: string[] = []

  const differsAt = async (step: Step, reply: HostReply): Promise<boolean> => {
    const problem = comparison.differenceOf(reply, await reference.send(step, false), step)
    if (problem !== null) problems.push(`${step.send}: ${problem}`)
    return problem !== null
  }
  /** Tries every order of the steps that are left. */
  const isSerial = async (left: readonly number[]): Promise<boolean> => {
    if (left.length === 0) {
      for (const [at, step] of CONTENTS.entries())
        if (await differsAt(step, contents[at]!)) return false
      return true
    }
    for (const next of left) {
      const before = store.snapshot()
      const isFound =
        !(await differsAt(steps[next]!, found[next]!)) &&
        (await isSerial(left.filter((each) => each !== next)))
      if (!isFound) store.restore(before)
      before.dispose()
      if (isFound) return true
    }
    return false
  }
  if (!(await isSerial([...steps.keys()]))) return `in no order:\n${problems.join('\n')}`
  for (const host of [reference, tested]) await host.send(EMPTY_LOG, false)
  return null
}
