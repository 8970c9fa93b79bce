import { membersOf, textOf } from './model.ts'
import { bytesText, timeText } from './operator.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { useAnswer } from './use-answer.ts'
import { useEvery } from './use-every.ts'

type Facts = readonly (readonly [name: string, value: string])[]

/** The journal or the database behind the store, as far as the server knows it. */
export function ServerStorage({ scene }: { scene: Scene }) {
  const { ask, version } = scene
  const round = useEvery(5000)
  const { value, refusal } = useAnswer(
    'storage',
    (signal) => ask('$operator/storage', { signal }),
    `${round} ${version}`,
  )
  if (refusal !== null && value === null) return <Problem refusal={refusal} />
  if (value === null) return <p class="empty">Asking …</p>
  const storage = membersOf(membersOf(value).storage)
  return (
    <section class="storage" aria-label="Storage">
      {storage.kind === 'postgresql' ? (
        <Database database={storage.database} />
      ) : (
        <>
          <List title="Memory" facts={memoryFacts(storage)} />
          {storage.journal === null ? (
            <p class="note">
              The store has no journal of <code>@entia/core</code>: changes end with the process,
              unless the application saves them.
            </p>
          ) : (
            <List title="Journal" facts={journalFacts(storage)} />
          )}
        </>
      )}
    </section>
  )
}

const numberText = (value: unknown): string => Number(value).toLocaleString('en')

type Members = ReturnType<typeof membersOf>

const memoryFacts = ({ globalStamp, historyCommits, historyBytes }: Members): Facts => [
  ['Global stamp', numberText(globalStamp)],
  ['History', `${numberText(historyCommits)} commits, ${bytesText(Number(historyBytes))}`],
]

function journalFacts({ globalStamp, journal }: Members): Facts {
  const state = membersOf(journal)
  const waits = Number(state.waitingCommits)
  const dump = state.dumpStamp === null ? null : Number(state.dumpStamp)
  return [
    ['Folder', textOf(state.folder)],
    [
      'On the disk',
      state.hasFailed === true
        ? 'A write has failed: a compaction saves everything again'
        : waits === 0
          ? `every commit up to ${numberText(globalStamp)}`
          : `${numberText(waits)} commits wait for the next write`,
    ],
    [
      'Last compaction',
      dump === null
        ? 'none yet'
        : `at stamp ${numberText(dump)}, ${bytesText(Number(state.dumpBytes))}`,
    ],
    [
      'Journal since then',
      dump === null
        ? bytesText(Number(state.journalBytes))
        : `${numberText(Number(globalStamp) - dump)} commits, ${bytesText(Number(state.journalBytes))}`,
    ],
    ...(state.isCompacting === true ? ([['Compaction', 'under way']] as const) : []),
  ]
}

function Database({ database }: { database: unknown }) {
  if (database === null) return <p class="problem">The database does not answer.</p>
  const state = membersOf(database)
  return (
    <List
      title={`PostgreSQL ${textOf(state.version)}`}
      facts={[
        ['Schema', textOf(state.schema)],
        ['Size', `${bytesText(Number(state.bytes))} with indexes`],
        ['Global stamp', numberText(state.globalStamp)],
        [
          'History',
          `about ${numberText(state.historyCommits)} commits, ${numberText(state.historyChanges)} changes`,
        ],
        [
          'Connections of the server',
          `${numberText(state.connections)} of ${numberText(state.maxConnections)}`,
        ],
        ['Wait for a lock', numberText(state.lockWaits)],
        ['Oldest transaction', timeText(Number(state.oldestTransactionSeconds) * 1000)],
      ]}
    />
  )
}

function List({ title, facts }: { title: string; facts: Facts }) {
  return (
    <>
      <h2>{title}</h2>
      <dl class="fact-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
