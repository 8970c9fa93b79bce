import { setTimeout as wait } from 'node:timers/promises'
import type { Reply } from '../races/bank.ts'
import { type RoundOptions, rows, tell } from './round.ts'

/**
 * A commit that waits for the standby is ended by an administrator: then PostgreSQL keeps it
 * without the standby. Its client must get no success before the standby has the commit. The
 * primary is killed as soon as the client has an answer.
 */
export async function lostAnswer(
  options: Omit<RoundOptions, 'failure'>,
): Promise<readonly string[]> {
  const { cluster, servers } = options
  const email = 'an answer that got lost'
  await cluster.cutReplication()
  const asked = [{ method: 'POST', path: 'Account', body: { email } }]
  const answer = tell<Reply[]>(servers[0]!, { kind: 'ask', asked })
  let ended = 0
  for (let at = 0; at < 100 && ended === 0; at++) {
    await wait(20)
    ended = await cluster.endWaitingCommits()
  }
  // Long enough for an answer that does not wait for the standby.
  const isEarly = await Promise.race([answer.then(() => true), wait(1500).then(() => false)])
  if (!isEarly) await cluster.restoreReplication()
  const { status } = (await answer)[0]!
  await cluster.failPrimary('killed')
  cluster.promote()
  const stored = await rows(options, 'SELECT 1 FROM $schema."Account" WHERE "email" = $1', email)
  console.log(`a commit that was ended while it waited: ${status}, ${stored.length} stored`)
  return [
    ...(ended === 0 ? ['no commit waited for the standby'] : []),
    ...(status === 200 && stored.length === 0 ? ['an acknowledged commit is lost'] : []),
    ...(status === 200 || status === 503 ? [] : [`status ${status}`]),
  ]
}
