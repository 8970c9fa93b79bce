import { type FieldText, inputText } from './field-value.ts'
import { type DataClass, membersOf } from './model.ts'
import { Text } from './null-text.tsx'

interface ConflictProps {
  readonly dataClass: DataClass
  /** The unsaved texts. */
  readonly draft: ReadonlyMap<string, FieldText>
  /** The entity as it was read, and as it is now. */
  readonly before: unknown
  readonly theirs: unknown
  readonly takeTheirs: () => void
  readonly overwrite: () => void
}

/** Shows the values that another session saved next to the unsaved ones. */
export function Conflict({
  dataClass,
  draft,
  before,
  theirs,
  takeTheirs,
  overwrite,
}: ConflictProps) {
  const [old, current] = [membersOf(before), membersOf(theirs)]
  const rows = dataClass.attributes
    .filter(({ kind, name }) => kind !== 'relatedEntities' && Object.hasOwn(old, name))
    .map((attribute) => ({
      name: attribute.name,
      read: inputText(old[attribute.name], attribute),
      now: inputText(current[attribute.name], attribute),
      mine: draft.get(attribute.name),
    }))
    .filter(({ read, now, mine }) => mine !== undefined || read !== now)
  return (
    <section class="conflict" role="alert" aria-label="Conflict">
      <p>
        <b>Somebody saved this entity since you read it</b> (stamp {String(old.__STAMP)}, now{' '}
        {String(current.__STAMP)}
        ).
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">attribute</th>
            <th scope="col">yours</th>
            <th scope="col">theirs</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, read, now, mine }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class={mine === undefined ? 'same' : 'mine'}>
                <Text text={mine === undefined ? read : mine} />
              </td>
              <td class={now === read ? 'same' : 'theirs'}>
                <Text text={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="actions">
        <button type="button" onClick={takeTheirs}>
          Take theirs
        </button>
        <button type="button" class="danger" onClick={overwrite}>
          Overwrite with mine
        </button>
      </p>
    </section>
  )
}
