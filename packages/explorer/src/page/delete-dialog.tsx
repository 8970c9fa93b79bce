import { useEffect, useRef, useState } from 'preact/hooks'
import { Refusal } from './api.ts'
import { type Doomed, deleteAll, maxUndone, type Snapshot, snapshotOf } from './deletion.ts'
import { labelText } from './labels.ts'
import { Modal } from './modal.tsx'
import { membersOf } from './model.ts'
import type { Scene } from './scene.ts'

interface DeleteDialogProps {
  readonly scene: Scene
  /** Resolves to what is to be deleted, once the dialog is open. */
  readonly find: () => Promise<Doomed>
  readonly deleted: () => void
  readonly close: () => void
}

const shownNames = 5

/** Says what a deletion removes and what can be undone, and deletes after a confirmation. */
export function DeleteDialog({ scene, find, deleted, close }: DeleteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [snapshot, setSnapshot] = useState<Snapshot | null>(null)
  const [problem, setProblem] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const fail = (error: unknown) =>
    setProblem(error instanceof Error ? error.message : 'The deletion failed.')
  const read = () =>
    find()
      .then((doomed) => snapshotOf(scene.ask, scene.model, doomed))
      .then(setSnapshot)
  useEffect(() => {
    read().catch(fail)
  }, [])
  const confirm = async () => {
    if (snapshot === null) return
    setIsBusy(true)
    try {
      const title = `${titleOf(snapshot.doomed)} deleted`
      const step = await deleteAll(scene.ask, scene.base, title, snapshot)
      if (step === null) scene.notify(`${title}.`)
      else scene.record(step)
      scene.changed()
      deleted()
      dialog.current?.close()
    } catch (error) {
      fail(error)
      // The next click refers to the current state.
      if (error instanceof Refusal && error.status === 412) await read().catch(fail)
      setIsBusy(false)
    }
  }
  return (
    <Modal
      dialog={dialog}
      id="delete"
      class="delete"
      title={snapshot === null ? 'Delete' : `Delete ${titleOf(snapshot.doomed)}?`}
      problem={problem}
      submit={confirm}
      close={close}
      actions={
        <button
          type="submit"
          class="danger"
          disabled={isBusy || snapshot === null || snapshot.doomed.count === 0}
        >
          Delete
        </button>
      }
    >
      {snapshot !== null && <Consequences snapshot={snapshot} />}
    </Modal>
  )
}

function titleOf({ dataClass, key, count }: Doomed): string {
  return key === null
    ? `${count.toLocaleString('en')} of ${dataClass.name}`
    : `${dataClass.name} ${key}`
}

function Consequences({ snapshot }: { snapshot: Snapshot }) {
  const { doomed, entities, referring, lost } = snapshot
  const names = entities.slice(0, shownNames).map((entity) => {
    const members = membersOf(entity)
    return [String(members.__KEY), labelText(doomed.dataClass, members)].filter(Boolean).join(' ')
  })
  const tooMany = referring.filter((one) => one.entities.length === 0)
  if (doomed.count > maxUndone)
    return (
      <p>
        This <b>cannot be undone</b>: undo restores at most {maxUndone} entities. Entities that
        refer to them lose their reference or are deleted too, as the model says.
      </p>
    )
  return (
    <>
      <ul class="doomed">
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
        {doomed.count > names.length && <li>and {doomed.count - names.length} more</li>}
      </ul>
      {referring.map(({ dataClass, attribute, count }) => (
        <p key={`${dataClass.name}.${attribute.name}`}>
          <b>
            {count.toLocaleString('en')} of {dataClass.name}
          </b>{' '}
          refer to {doomed.count === 1 ? 'it' : 'them'} by {attribute.name}. They lose the reference
          or are deleted too, or the server refuses, as the model says.
        </p>
      ))}
      <p class="note">
        You can undo this until you leave the page, with the same{' '}
        {doomed.count === 1 ? 'key' : 'keys'} and new stamps.
        {tooMany.map(({ dataClass, count }) => (
          <b key={dataClass.name}>
            {' '}
            Undo does not restore the {count.toLocaleString('en')} of {dataClass.name}: they are
            more than {maxUndone}.
          </b>
        ))}
        {lost.length > 0 && <b> Undo does not restore read-only values: {lost.join(', ')}.</b>}
      </p>
    </>
  )
}
