import { listOf, membersOf, textOf } from './model.ts'
import { timeText } from './operator.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { useAnswer } from './use-answer.ts'
import { useEvery } from './use-every.ts'

/** The open streams of live queries and replicas, and since when their changes wait. */
export function ServerStreams({ scene }: { scene: Scene }) {
  const { ask, version } = scene
  const round = useEvery(2000)
  const { value, refusal } = useAnswer(
    'streams',
    (signal) => ask('$operator/streams', { signal }),
    `${round} ${version}`,
  )
  if (refusal !== null && value === null) return <Problem refusal={refusal} />
  if (value === null) return <p class="empty">Asking …</p>
  const streams = listOf(membersOf(value).streams).map(membersOf)
  if (streams.length === 0)
    return <p class="empty">No client follows a live query or holds a replica now.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <section class="scroll" tabIndex={0} aria-label="Streams">
      <table class="facts">
        <thead>
          <tr>
            <th scope="col">Stream</th>
            <th scope="col">Who</th>
            <th scope="col">Dataclasses</th>
            <th scope="col">Behind</th>
          </tr>
        </thead>
        <tbody>
          {streams.map(({ kind, user, dataClasses, plan, replica, behindMilliseconds }, at) => (
            <tr key={at}>
              <th scope="row">
                {kind === 'live' ? 'live query' : 'replica'}{' '}
                <span class="note">
                  {kind === 'live' ? planText(plan) : `${textOf(replica).slice(0, 8)}…`}
                </span>
              </th>
              <td>{textOf(user) || 'guest'}</td>
              <td>{listOf(dataClasses).join(', ')}</td>
              <td>
                {behindMilliseconds === 0
                  ? 'has everything'
                  : `changes wait for ${timeText(Number(behindMilliseconds))}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        Changes wait while the client does not take them, as on a slow network or a sleeping phone.
      </p>
    </section>
  )
}

const planText = (plan: unknown): string =>
  plan === 'incremental' ? 'derived from each commit' : 'found again after commits'
