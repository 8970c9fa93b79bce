import { useState } from 'preact/hooks'
import { reasonOf } from './api.ts'
import { listOf, membersOf } from './model.ts'
import { type Operator, type Running, readRunning, timeText } from './operator.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { useAnswer } from './use-answer.ts'
import { useEvery } from './use-every.ts'

/** The requests that the server answers now, with a button that stops one. */
export function ServerRequests({ scene, operator }: { scene: Scene; operator: Operator }) {
  const { ask, version, notify, changed } = scene
  const round = useEvery(2000)
  const { value, refusal } = useAnswer(
    'requests',
    (signal) => ask('$operator/requests', { signal }),
    `${round} ${version}`,
  )
  const [plan, setPlan] = useState<{ id: number; lines: readonly string[] } | null>(null)
  if (refusal !== null && value === null) return <Problem refusal={refusal} />
  if (value === null) return <p class="empty">Asking …</p>
  const running = readRunning(value)
  const showPlan = async (id: number) => {
    if (plan?.id === id) return setPlan(null)
    try {
      const lines = listOf(membersOf(await ask(`$operator/requests/${id}`)).plan).map(String)
      setPlan({ id, lines: lines.length === 0 ? ['It selects nothing by a filter.'] : lines })
    } catch (error) {
      notify(reasonOf(error))
    }
  }
  const stop = async ({ id, path }: Running) => {
    try {
      await ask(`$operator/requests/${id}`, { method: 'DELETE' })
      notify(`Request ${id} to ${path} is stopped.`)
    } catch (error) {
      notify(reasonOf(error))
    }
    changed()
  }
  return (
    <>
      {refusal !== null && <Problem refusal={refusal} />}
      {running.length === 0 && (
        <p class="empty">
          No request runs now. Those that take longer than a moment appear here, every two seconds.
        </p>
      )}
      {running.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
        <section class="scroll" tabIndex={0} aria-label="Running requests">
          <table class="facts">
            <thead>
              <tr>
                <th scope="col">Request</th>
                <th scope="col">Since</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {running.map((one) => (
                <tr key={one.id}>
                  <th scope="row">
                    {one.method} <code>{one.path}</code>
                  </th>
                  <td class="number">{timeText(one.milliseconds)}</td>
                  <td>
                    {one.user} <span class="note">{one.from}</span>
                  </td>
                  <td class="wide">
                    {one.operation === '' ? 'not at the store' : `${one.operation} of ${one.name}`}{' '}
                    {one.filter !== '' && <code>{one.filter}</code>}{' '}
                    {one.orderBy !== '' && <span class="note">order by {one.orderBy}</span>}
                    {plan?.id === one.id && <pre>{plan.lines.join('\n')}</pre>}
                  </td>
                  <td>
                    <div class="row-actions">
                      <button
                        type="button"
                        class="quiet"
                        aria-expanded={plan?.id === one.id}
                        aria-label={`Plan of request ${one.id}`}
                        onClick={() => showPlan(one.id)}
                      >
                        Plan
                      </button>
                      {operator.mayStop && (
                        <button
                          type="button"
                          class="quiet danger"
                          aria-label={`Stop request ${one.id}`}
                          title={
                            one.canStop ? undefined : 'It changes something: it runs to its end'
                          }
                          disabled={!one.canStop || one.isStopped}
                          onClick={() => stop(one)}
                        >
                          {one.isStopped ? 'Stopping …' : 'Stop'}
                        </button>
                      )}
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <p class="note">
        Values of filters and keys are not shown. Only reads can be stopped: they end with the error{' '}
        <code>requestStopped</code>, and nothing is changed.
        {!operator.mayStop && ' You may look, and not stop.'}
      </p>
    </>
  )
}
