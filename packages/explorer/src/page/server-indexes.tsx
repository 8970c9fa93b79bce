import { useState } from 'preact/hooks'
import { reasonOf } from './api.ts'
import { copyText } from './copy-text.ts'
import { listOf, membersOf, textOf } from './model.ts'
import { bytesText, type Operator, timeText } from './operator.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { useAnswer } from './use-answer.ts'
import { useEvery } from './use-every.ts'

interface Advice {
  readonly dataClass: string
  readonly attribute: string
  readonly change: string
  readonly reads: number
  readonly milliseconds: number
  readonly reason: string
  readonly looksAt: number | null
  readonly finds: number | null
  readonly bytes: number
  readonly buildMilliseconds: number
}

function readAdvice(answer: unknown): readonly Advice[] {
  const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)
  return listOf(membersOf(answer).indexes).map((one) => {
    const members = membersOf(one)
    return {
      dataClass: textOf(members.dataClass),
      attribute: textOf(members.attribute),
      change: textOf(members.change),
      reads: Number(members.reads),
      milliseconds: Number(members.milliseconds),
      reason: textOf(members.reason),
      looksAt: numberOf(members.looksAt),
      finds: numberOf(members.finds),
      bytes: Number(members.bytes),
      buildMilliseconds: Number(members.buildMilliseconds),
    }
  })
}

/** Indexes that slow reads would have used: what each would cost and win, and how to get it. */
export function ServerIndexes({ scene, operator }: { scene: Scene; operator: Operator }) {
  const { ask, version, notify, changed } = scene
  const [building, setBuilding] = useState<string | null>(null)
  const { value, refusal } = useAnswer(
    'indexes',
    (signal) => ask('$operator/indexes', { signal }),
    String(version),
  )
  if (refusal !== null) return <Problem refusal={refusal} />
  if (value === null) return <p class="empty">Asking …</p>
  if (!operator.offersAdvice)
    return (
      <p class="empty">
        The server does not watch slow reads, so it has no advice. The host does with the option{' '}
        <code>slow</code> or <code>entia serve --slow 100</code>.
      </p>
    )
  const advice = readAdvice(value)
  if (advice.length === 0)
    return (
      <p class="empty">
        No slow read of this process would have used an index that is missing. Reads are watched
        since it started.
      </p>
    )
  const create = async ({ dataClass, attribute, change }: Advice) => {
    setBuilding(`${dataClass}.${attribute}`)
    try {
      const path = [dataClass, attribute].map(encodeURIComponent).join('/')
      await ask(`$operator/indexes/${path}`, { method: 'POST' })
      notify(`${dataClass}.${attribute} has an index until the process ends. Keep it: ${change}`)
    } catch (error) {
      notify(reasonOf(error))
    }
    setBuilding(null)
    changed()
  }
  return (
    <ul class="advice">
      {advice.map((one) => {
        const name = `${one.dataClass}.${one.attribute}`
        return (
          <li key={name}>
            <h2>{name}</h2>
            <dl class="fact-list">
              <div>
                <dt>costs</dt>
                <dd>
                  about {bytesText(one.bytes)}, and {timeText(one.buildMilliseconds)} to build
                </dd>
              </div>
              <div>
                <dt>wins</dt>
                <dd>{winOf(one)}</dd>
              </div>
              <div>
                <dt>in the model</dt>
                <dd>
                  <code>{`${one.attribute}: attribute.…({ ${one.change} })`}</code>{' '}
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Copy "${one.change}"`}
                    onClick={async () =>
                      notify((await copyText(one.change)) ? 'Copied.' : 'Not copied.')
                    }
                  >
                    Copy
                  </button>
                </dd>
              </div>
            </dl>
            <p class="note">{one.reason}</p>
            {operator.mayCreateIndexes && (
              <p class="actions">
                <button type="button" disabled={building !== null} onClick={() => create(one)}>
                  {building === name ? 'Building …' : 'Create this index'}
                </button>
                {building === name ? (
                  <Building expected={one.buildMilliseconds} now={scene.now} />
                ) : (
                  <span class="note">
                    Until the process ends. Other requests are answered while it is built.
                  </span>
                )}
              </p>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** The time that a new index has taken, of the time that it is expected to take. */
function Building({ expected, now }: { expected: number; now: () => number }) {
  const [begun] = useState(now)
  useEvery(200)
  const elapsed = now() - begun
  return (
    <span class="progress">
      <progress aria-label="Time of the new index" value={elapsed} max={Math.max(1, expected)} />
      <span>
        {timeText(elapsed)} of about {timeText(expected)}
      </span>
    </span>
  )
}

function winOf({ reads, milliseconds, looksAt, finds }: Advice): string {
  const time = `${reads.toLocaleString('en')} slow ${reads === 1 ? 'read' : 'reads'} took ${timeText(milliseconds)} together`
  return looksAt === null || finds === null
    ? time
    : `${time}; each looked at about ${looksAt.toLocaleString('en')} entities, and would look at ${finds.toLocaleString('en')}`
}
