import type { SessionInfo } from '@entia/core'
import type { Answer } from '../handle/context/answer.ts'

type LockAnswer = Extract<Answer, { kind: 'lock' }>

/** What of a lock's holder is told. */
type Holder = Pick<SessionInfo, 'host' | 'ipAddress' | 'userAgent'>

/** A lock or its refusal: the HTTP status is 200 in any case, `result` tells. */
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

/** Who holds a lock, as `__STATUS` tells it. All of it is what the holder's client said. */
export function lockMembers({ host, ipAddress, userAgent }: Holder, recordNumber: number): object {
  return {
    lockKind: 7,
    lockKindText: 'Locked by session',
    lockInfo: { host, IPAddr: ipAddress, recordNumber, userAgent },
  }
}
