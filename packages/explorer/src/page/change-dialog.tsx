import { useEffect, useRef, useState } from 'preact/hooks'
import { changeRows, maxUndoneChanges, type Outcome } from './change-rows.ts'
import { type FieldText, parseInput } from './field-value.ts'
import { Modal } from './modal.tsx'
import { attributeOf, type DataClass, isEditable } from './model.ts'
import { Progress } from './progress.tsx'
import { RefusedList } from './refused-list.tsx'
import type { RowsSet } from './rows-set.ts'
import type { Scene } from './scene.ts'
import { stepOfUpdates } from './undo.ts'
import { ValueInput } from './value-input.tsx'
import { batchItems } from './write-batches.ts'

interface ChangeDialogProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly count: number
  readonly find: () => Promise<RowsSet>
  readonly close: () => void
}

/** Sets one attribute of the selected rows to one value. */
export function ChangeDialog(props: ChangeDialogProps) {
  const { scene, dataClass, find, close } = props
  // The change may take rows out of the selection while it runs.
  const [count] = useState(props.count)
  const { ask, notify, record, changed, now } = scene
  const dialog = useRef<HTMLDialogElement>(null)
  const [stop] = useState(() => new AbortController())
  const attributes = dataClass.attributes.filter(isEditable)
  const [name, setName] = useState(attributes[0]?.name ?? '')
  const [text, setText] = useState<FieldText>(null)
  const [done, setDone] = useState<number | null>(null)
  const [problem, setProblem] = useState('')
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  useEffect(() => () => stop.abort(), [])
  const attribute = attributeOf(dataClass, name)
  const run = async () => {
    if (attribute === undefined || done !== null) return
    const parsed = parseInput(text, attribute)
    if ('problem' in parsed) return setProblem(parsed.problem)
    setProblem('')
    setOutcome(null)
    setDone(0)
    try {
      const rows = await find()
      const found = await changeRows(
        ask,
        dataClass,
        rows,
        name,
        parsed.value,
        stop.signal,
        setDone,
      ).finally(rows.release)
      const isWhole = found.unchanged === 0
      if (found.count > 0) {
        const title = `${name} of ${found.count.toLocaleString('en')} of ${dataClass.name} changed`
        if (found.changed.length === 0) notify(`${title}. They are too many to be undone.`)
        else record(stepOfUpdates(title, dataClass, found.changed))
      }
      setProblem(found.problem)
      if (isWhole || stop.signal.aborted) dialog.current?.close()
      else setOutcome(found)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The change failed.')
    } finally {
      changed()
      setDone(null)
    }
  }
  return (
    <Modal
      dialog={dialog}
      id="change"
      class="change"
      title={`Change ${count.toLocaleString('en')} of ${dataClass.name}`}
      problem={problem}
      submit={run}
      close={close}
      actions={
        <button type="submit" disabled={attribute === undefined} aria-disabled={done !== null}>
          Change
        </button>
      }
    >
      <div class="change-fields">
        <label for="change-name">Attribute</label>
        <select
          id="change-name"
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setText(null)
            setProblem('')
          }}
        >
          {attributes.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </select>
        {attribute !== undefined && (
          <>
            <label for="change-value">New value</label>
            <div class="change-value">
              <ValueInput
                key={name}
                scene={scene}
                attribute={attribute}
                text={text}
                id="change-value"
                problemId={null}
                change={setText}
              />
            </div>
          </>
        )}
      </div>
      <p class="note">
        {count > maxUndoneChanges && <b>This cannot be undone: they are too many. </b>}
        {count <= batchItems
          ? 'All of them change, or none.'
          : `They change in batches of up to ${batchItems.toLocaleString('en')}: each as a whole or not at all. The first refused batch ends the change.`}
      </p>
      {done !== null && <Progress label="Changed entities" done={done} of={count} now={now} />}
      {outcome !== null && outcome.refused.length > 0 && (
        <RefusedList
          title={`${outcome.unchanged.toLocaleString('en')} of ${dataClass.name} are unchanged. The server refuses:`}
          refused={outcome.refused}
        />
      )}
    </Modal>
  )
}
