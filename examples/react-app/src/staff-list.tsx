import { type ItemOf, useLive, useSave } from '@entia/react'
import { memo, useEffect, useRef, useState } from 'react'
import { db, staff, teams } from './db.ts'
import { EditForm } from './edit-form.tsx'
import { Problem } from './problem.tsx'

export type Person = ItemOf<ReturnType<typeof staff>>

export function StaffList() {
  const people = useLive(staff())
  const teamNames = new Map(useLive(teams()).map(({ ID, name }) => [String(ID), name]))
  return (
    <ul className="staff">
      {people.map((person) => (
        <Row
          key={person.ID}
          person={person}
          team={teamNames.get(String(person.team?.key)) ?? 'No team'}
        />
      ))}
    </ul>
  )
}

/** Renders again only if its person changed: an unchanged person is the same object. */
const Row = memo(({ person, team }: { readonly person: Person; readonly team: string }) => {
  const { shown, isSaving, problem, save, retry, dismiss } = useSave(db.Person, person)
  // The person as the form shows it. A save is refused if somebody saved the person since.
  const [edited, setEdited] = useState<Person | null>(null)
  const row = useRenderCount()

  return (
    <li ref={row} className={isSaving ? 'saving' : undefined}>
      <div className="person">
        <span className="name">{shown.name}</span>
        <span className="team">{team}</span>
        <span className="salary">{shown.salary.toLocaleString('en')}</span>
        <button type="button" onClick={() => setEdited(edited === null ? shown : null)}>
          {edited === null ? 'Edit' : 'Cancel'}
          <span className="unseen"> {shown.name}</span>
        </button>
      </div>
      {edited !== null && (
        <EditForm
          person={edited}
          onSave={(values) => {
            setEdited(null)
            void save(values, edited)
          }}
        />
      )}
      {problem !== null && <Problem problem={problem} onRetry={retry} onDismiss={dismiss} />}
    </li>
  )
})

/** Writes how often a component rendered into `data-renders` of its element. */
function useRenderCount() {
  const element = useRef<HTMLLIElement>(null)
  const count = useRef(0)
  useEffect(() => {
    count.current++
    element.current?.setAttribute('data-renders', String(count.current))
  })
  return element
}
