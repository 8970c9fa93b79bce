import { useEffect, useRef, useState } from 'preact/hooks'
import { Refusal } from './api.ts'
import { type Doomed, deleteAll, maxUndone, type Snapshot, snapshotOf } from './deletion.ts'
import { labelText } from './labels.ts'
import { Modal } from './modal.tsx'
import { membersOf } from './model.ts'
import { Progress } from './progress.tsx'
import type { Scene } from './scene.ts'
import { batchItems } from './write-batches.ts'

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
  const [done, setDone] = useState<number | null>(null)
  const [stop] = useState(() => new AbortController())
  const fail = (error: unknown) =>
    setProblem(error instanceof Error ? error.message : 'The deletion failed.')
  const read = () =>
    find()
      .then((doomed) => snapshotOf(scene.ask, scene.model, doomed))
      .then(setSnapshot)
  useEffect(() => {
    read().catch(fail)
    return () => stop.abort()
  }, [])
  const confirm = async () => {
    if (snapshot === null || done !== null) return
    setDone(0)
    setProblem('')
    const { ask, base, notify, record, changed } = scene
    const { doomed } = snapshot
    try {
      const title = `${titleOf(doomed)} deleted`
      const { count, step, problem } = await deleteAll(
        ask,
        base,
        title,
        snapshot,
        stop.signal,
        setDone,
      )
      changed()
      if (problem !== '') {
        const size = count.toLocaleString('en')
        const text = `${size} of ${doomed.count.toLocaleString('en')} are deleted. ${problem}`
        notify(text)
        setDone(null)
        return setProblem(text)
      }
      if (step === null) notify(`${title}.`)
      else record(step)
      deleted()
      dialog.current?.close()
    } catch (error) {
      fail(error)
      // The next click refers to the current state.
      if (error instanceof Refusal && error.status === 412) await read().catch(fail)
      setDone(null)
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
          disabled={done !== null || snapshot === null || snapshot.doomed.count === 0}
        >
          Delete
        </button>
      }
    >
      {snapshot !== null && <Consequences snapshot={snapshot} />}
      {snapshot !== null && done !== null && snapshot.doomed.key === null && (
        <Progress label="Deleted entities" done={done} of={snapshot.doomed.count} now={scene.now} />
      )}
    </Modal>
  )
}

function titleOf({ dataClass, key, count }: Doomed): string {
  return key === null
    ? `${count.toLocaleString('en')} of ${dataClass.name}`
    : `${dataClass.name} ${key}`
}

function Consequences({ snapshot }: { snapshot: Snapshot }) {
  const { doomed, entities, referring, isCut, mayUndo } = snapshot
  const names = entities.slice(0, shownNames).map((entity) => {
    const members = membersOf(entity)
    return [String(members.__KEY), labelText(doomed.dataClass, members)].filter(Boolean).join(' ')
  })
  const direct = referring.filter((one) => one.isDirect)
  const tooMany = referring.filter((one) => one.entities.length === 0)
  if (doomed.count > maxUndone)
    return (
      <p>
        This <b>cannot be undone</b>: undo restores at most {maxUndone} entities. Entities that
        refer to them lose their reference or are deleted too, as the model says.
        {doomed.count > batchItems &&
          ` They are deleted in batches of ${batchItems.toLocaleString('en')}: each as a whole or not at all. The first refused batch ends the deletion.`}
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
      {direct.map(({ dataClass, attribute, count }) => (
        <p key={`${dataClass.name}.${attribute.name}`}>
          <b>
            {count.toLocaleString('en')} of {dataClass.name}
          </b>{' '}
          refer to {doomed.count === 1 ? 'it' : 'them'} by {attribute.name}. They lose the reference
          or are deleted too, or the server refuses, as the model says.
        </p>
      ))}
      {mayUndo ? (
        <p class="note">
          You can undo this until you leave the page, with the same{' '}
          {doomed.count === 1 ? 'key' : 'keys'} and new stamps. Undo restores only what you may read
          and create: values that the server hides from you, and images that it cannot show, are
          lost.
          {isCut && <b> Undo does not restore all that the server deletes along.</b>}
          {tooMany.map(({ dataClass, attribute, isDirect, count }) => (
            <b key={`${dataClass.name}.${attribute.name}`}>
              {' '}
              Undo does not restore the {count.toLocaleString('en')} of {dataClass.name}
              {!isDirect && ', if they are deleted along'}: they are more than {maxUndone}.
            </b>
          ))}
        </p>
      ) : (
        <p>
          This <b>cannot be undone</b>: you may not create {doomed.dataClass.name}.
        </p>
      )}
    </>
  )
}
