import type { Person } from './staff-list.tsx'

export interface Values {
  readonly name: string
  readonly salary: number
}

/** Fields for the name and the salary, with the values that the person had when it was opened. */
export function EditForm({
  person,
  onSave,
}: {
  readonly person: Person
  readonly onSave: (values: Values) => void
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const fields = new FormData(event.currentTarget)
        onSave({ name: String(fields.get('name')), salary: Number(fields.get('salary')) })
      }}
    >
      <label>
        Name
        <input name="name" defaultValue={person.name} autoComplete="off" required />
      </label>
      <label>
        Salary
        <input name="salary" type="number" min="0" defaultValue={person.salary} required />
      </label>
      <button type="submit">Save</button>
    </form>
  )
}
