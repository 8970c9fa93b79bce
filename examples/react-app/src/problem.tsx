import type { SaveOutcome } from '@entia/client'
import type { SaveFailed } from '@entia/react'
import type { Values } from './edit-form.tsx'
import type { Person } from './staff-list.tsx'

interface Refused {
  readonly patch: { readonly [K in keyof Values]?: Values[K] | undefined }
  readonly outcome: Exclude<SaveOutcome<Person>, { readonly kind: 'saved' }> | SaveFailed
}

/** The outcome of a failed save, and what the user can do. */
export function Problem({
  problem: { patch, outcome },
  onRetry,
  onDismiss,
}: {
  readonly problem: Refused
  readonly onRetry: () => unknown
  readonly onDismiss: () => void
}) {
  const isConflict = outcome.kind === 'stampChanged'
  return (
    <div role="alert" className="problem">
      <p>{textOf(outcome)}</p>
      {isConflict && (
        <table>
          <thead>
            <tr>
              <td />
              <th>Saved now</th>
              <th>Yours</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th>Name</th>
              <td>{outcome.current.name}</td>
              <td>{patch.name}</td>
            </tr>
            <tr>
              <th>Salary</th>
              <td>{outcome.current.salary.toLocaleString('en')}</td>
              <td>{patch.salary?.toLocaleString('en')}</td>
            </tr>
          </tbody>
        </table>
      )}
      <p className="choices">
        {outcome.kind !== 'absent' && (
          <button type="button" onClick={() => void onRetry()}>
            {isConflict ? 'Save mine' : 'Try again'}
          </button>
        )}
        <button type="button" onClick={onDismiss}>
          {isConflict ? 'Keep theirs' : 'Discard'}
        </button>
      </p>
    </div>
  )
}

function textOf(outcome: Refused['outcome']): string {
  switch (outcome.kind) {
    case 'stampChanged':
      return 'Somebody saved this person while you were editing.'
    case 'absent':
      return 'This person was removed while you were editing.'
    case 'locked':
      return 'Somebody has locked this person.'
    case 'refused':
      return outcome.message
    case 'failed':
      return 'The server does not answer. The change may not be saved.'
  }
}
