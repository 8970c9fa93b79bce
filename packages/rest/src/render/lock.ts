import type { SessionInfo } from '@entia/core'
import type { Answer } from '../handle/context/answer.ts'

type LockAnswer = Extract<Answer, { kind: 'lock' }>

/** The part of a lock's holder that is shown. */
type Holder = Pick<SessionInfo, 'host' | 'ipAddress' | 'userAgent'>

/** Renders a lock or its refusal. The HTTP status is always 200; `result` tells which. */
export function renderLock({ outcome }: LockAnswer): object {
  switch (outcome.kind) {
    case 'locked':
    case 'unlocked':
      return { result: true, __STATUS: { success: true } }
    case 'stampChanged':
      return refusal(2, 'Stamp has changed')
    case 'alreadyLocked':
      return refusal(3, 'Already locked', lockMembers(outcome.holder, outcome.recordNumber))
    case 'failed':
      return refusal(4, 'Other error')
    case 'absent':
      return refusal(5, 'Entity does not exist')
  }
}

const refusal = (status: number, statusText: string, more: object = {}): object => ({
  result: false,
  __STATUS: { status, statusText, ...more },
})

/** The holder of a lock in `__STATUS`. All of it was reported by the holder's client. */
export function lockMembers({ host, ipAddress, userAgent }: Holder, recordNumber: number): object {
  return {
    lockKind: 7,
    lockKindText: 'Locked by session',
    lockInfo: { host, IPAddr: ipAddress, recordNumber, userAgent },
  }
}
