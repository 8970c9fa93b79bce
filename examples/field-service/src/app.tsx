import { useLive, useReplica } from '@entia/react'
import { type FormEvent, useState } from 'react'
import { scaled } from './photo.ts'
import { addNote, addPhoto, finish, move, plan, replica } from './replica.ts'

export function App() {
  const { state, waiting, problems } = useReplica(replica)
  const visits = useLive(plan(), { select: 'customer.name, notes.text, photos.dataUrl' })
  return (
    <main>
      <header>
        <h1>Ann’s visits</h1>
        <p role="status">
          {state === 'current' ? 'Connected' : 'No connection'}
          {waiting > 0 && `, ${waiting} to send`}
        </p>
      </header>
      {problems.map((number) => (
        <Problem key={number} number={number} />
      ))}
      <ul>
        {visits.map((visit) => (
          <VisitItem key={visit.ID} visit={visit} />
        ))}
      </ul>
    </main>
  )
}

type Visit = ReturnType<ReturnType<typeof plan>['toArray']>[number]

function VisitItem({ visit }: { visit: Visit }) {
  const [refused, setRefused] = useState('')
  const name = visit.customer?.name ?? ''
  /** What the rules of the model refuse is refused here, without the server. */
  const attempt = async (change: () => Promise<unknown>) => {
    try {
      await change()
      setRefused('')
    } catch (error) {
      setRefused((error as Error).message)
    }
  }
  const note = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    await attempt(() => addNote(visit, String(new FormData(form).get('text'))))
    form.reset()
  }
  return (
    <li>
      <h2>
        <label>
          <input
            type="number"
            aria-label={`Hour of ${name}`}
            value={visit.hour}
            onChange={({ target }) => attempt(() => move(visit, target.valueAsNumber))}
          />
          :00
        </label>{' '}
        {name}
      </h2>
      {visit.notes.toArray().map(({ ID, text }) => (
        <p key={ID}>{text}</p>
      ))}
      {visit.photos.toArray().map(({ ID, dataUrl }) => (
        <img key={ID} src={dataUrl} alt={`At ${name}`} />
      ))}
      {refused !== '' && <p role="alert">{refused}</p>}
      <form onSubmit={note}>
        <input name="text" aria-label={`Note about ${name}`} placeholder="Note" required />
        <button type="submit">Add</button>
        <label className="button">
          Photo
          <input
            type="file"
            accept="image/*"
            capture="environment"
            aria-label={`Photo of ${name}`}
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) void attempt(async () => addPhoto(visit, await scaled(file)))
            }}
          />
        </label>
        <button
          type="button"
          aria-label={`Finish ${name}`}
          onClick={() => attempt(() => finish(visit))}
        >
          Finish
        </button>
      </form>
      {visit.report !== null && <p className="report">{visit.report}</p>}
    </li>
  )
}

/** A transaction that the office refused, or that changed what somebody else has changed. */
function Problem({ number }: { number: number }) {
  const problem = replica.problem(number)
  if (problem === undefined) return null
  const solve = (choice: 'mine' | 'theirs') => void replica.solve(problem, choice)
  return (
    <section role="alert">
      {problem.conflicts.map(({ key, base, mine, theirs }) => (
        <p key={key}>
          The visit was at {String(base?.hour)}:00. You moved it to {String(mine?.hour)}:00, the
          office to {String(theirs?.hour)}:00.
        </p>
      ))}
      {problem.errors.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
      <button type="button" onClick={() => solve('mine')}>
        Keep mine
      </button>
      <button type="button" onClick={() => solve('theirs')}>
        Keep theirs
      </button>
    </section>
  )
}
