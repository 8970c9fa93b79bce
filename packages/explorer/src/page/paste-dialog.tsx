import { useEffect, useRef, useState } from 'preact/hooks'
import { reasonOf } from './api.ts'
import { Modal } from './modal.tsx'
import { type DataClass, membersOf } from './model.ts'
import { isRefused, namesIn, type PastedRow, type PasteMode, planPaste } from './paste-plan.ts'
import { PastePreview } from './paste-preview.tsx'
import { checkRows, entitiesOf, saveRows } from './paste-write.ts'
import { Progress } from './progress.tsx'
import { RefusedList } from './refused-list.tsx'
import type { Scene } from './scene.ts'
import { cellsOf } from './table-text.ts'
import { stepOfCreations, stepOfUpdates } from './undo.ts'

const maxRows = 5000

/** Where a paste begins, and its text. */
export interface PasteAt {
  /** Null asks for the text. */
  readonly text: string | null
  /** The shown columns from the focused one on. */
  readonly columns: readonly string[]
  /** The shown entities from the focused row on; empty on a header. */
  readonly entities: readonly unknown[]
}

/** How far the rows of a paste are known: first their entities, then what the server refuses. */
interface Checked {
  readonly what: 'Found' | 'Checked'
  readonly done: number
}

interface PasteDialogProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly at: PasteAt
  readonly close: () => void
}

/** Shows what a paste would change and what the server would refuse, before it saves. */
export function PasteDialog({ scene, dataClass, at, close }: PasteDialogProps) {
  const { ask, record, notify, changed, now } = scene
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState(at.text ?? '')
  const table = cellsOf(text)
  const named = namesIn(table, dataClass)
  const hasKeys = named?.includes(dataClass.key ?? '') === true
  const modes: readonly PasteMode[] = [
    ...(hasKeys ? (['keys'] as const) : []),
    ...(at.entities.length > 0 ? (['cells'] as const) : []),
    'new',
  ]
  const [chosen, setMode] = useState<PasteMode | null>(null)
  const mode = chosen !== null && modes.includes(chosen) ? chosen : (modes[0] ?? 'new')
  const [rows, setRows] = useState<readonly PastedRow[] | null>(null)
  const [problem, setProblem] = useState('')
  const [done, setDone] = useState<number | null>(null)
  const [checked, setChecked] = useState<Checked>({ what: 'Found', done: 0 })
  const [refused, setRefused] = useState<readonly { key: string; message: string }[]>([])
  const names = named ?? at.columns
  const lines = named === null ? table : table.slice(1)
  const plan = async () => {
    const report = (what: Checked['what']) => (done: number) => setChecked({ what, done })
    report('Found')(0)
    if (lines.length > maxRows)
      throw new Error(`A paste has up to ${maxRows.toLocaleString('en')} rows.`)
    const keyColumn = names.indexOf(dataClass.key ?? '')
    const keys = lines.map((line) => line[keyColumn] ?? '')
    // The grid may show fewer attributes than are pasted.
    const shown = at.entities.map((one) => String(membersOf(one).__KEY))
    const asked = mode === 'keys' ? keys : mode === 'cells' ? shown.slice(0, lines.length) : []
    const wanted = [...new Set([...names, dataClass.key ?? ''])].filter(Boolean)
    const entities = await entitiesOf(ask, dataClass, asked, wanted, report('Found'))
    const used = mode === 'cells' ? lines.slice(0, shown.length) : lines
    const planned = planPaste(used, names, dataClass, mode, entities)
    return checkRows(ask, dataClass, planned, report('Checked'))
  }
  useEffect(() => {
    let isCurrent = true
    setRows(null)
    setProblem('')
    setRefused([])
    if (text === '') return
    plan().then(
      (found) => isCurrent && setRows(found),
      (error) => isCurrent && setProblem(reasonOf(error)),
    )
    return () => {
      isCurrent = false
    }
  }, [text, mode])
  const fail = (reason: string) => {
    setProblem(reason)
    notify(`The paste ended early: ${reason}`)
  }
  const good = rows?.filter((row) => !isRefused(row)) ?? []
  const save = async () => {
    if (done !== null || good.length === 0) return
    setDone(0)
    setRefused([])
    setProblem('')
    try {
      const pasted = await saveRows(ask, dataClass, good, setDone)
      const size = pasted.changed.length + pasted.created.length
      const title = `${size.toLocaleString('en')} of ${dataClass.name} pasted`
      if (pasted.changed.length > 0) record(stepOfUpdates(title, dataClass, pasted.changed))
      if (pasted.created.length > 0) record(stepOfCreations(title, dataClass, pasted.created))
      setRefused(pasted.refused)
      if (pasted.problem !== '') fail(pasted.problem)
      else if (pasted.refused.length === 0) return dialog.current?.close()
      if (size === 0) return
      // What is saved must not be saved again.
      const saved = new Set(good.slice(0, size))
      setRows(mode === 'new' ? (rows ?? []).filter((row) => !saved.has(row)) : await plan())
    } catch (error) {
      fail(reasonOf(error))
    } finally {
      changed()
      setDone(null)
    }
  }
  return (
    <Modal
      dialog={dialog}
      id="paste"
      class="paste"
      title={`Paste into ${dataClass.name}`}
      problem={problem}
      submit={save}
      close={close}
      actions={
        <button type="submit" disabled={good.length === 0} aria-disabled={done !== null}>
          {submitText(mode, good.length, rows?.length ?? 0)}
        </button>
      }
    >
      {at.text === null && (
        <label>
          Cells of a spreadsheet, with or without a line of names
          <textarea
            rows={3}
            value={text}
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      )}
      {modes.length > 1 && text !== '' && (
        <fieldset class="choices">
          <legend>The rows</legend>
          {modes.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="paste-mode"
                checked={one === mode}
                onChange={() => setMode(one)}
              />{' '}
              {modeText(one, dataClass, at)}
            </label>
          ))}
        </fieldset>
      )}
      {text !== '' && rows === null && problem === '' && (
        <Progress
          key={checked.what}
          label={`${checked.what} rows`}
          done={checked.done}
          of={lines.length}
          now={now}
        />
      )}
      {rows !== null && (
        <PastePreview
          rows={rows}
          names={names}
          dataClass={dataClass}
          mode={mode}
          beyond={mode === 'cells' ? Math.max(0, lines.length - at.entities.length) : 0}
        />
      )}
      {done !== null && <Progress label="Pasted rows" done={done} of={good.length} now={now} />}
      {refused.length > 0 && (
        <RefusedList
          title="The server refuses the batch. These rows and those after them are not saved:"
          refused={refused}
        />
      )}
    </Modal>
  )
}

function modeText(mode: PasteMode, dataClass: DataClass, at: PasteAt): string {
  if (mode === 'keys') return `change the entities with their ${dataClass.key}`
  if (mode === 'new') return 'are new entities'
  const [first] = at.entities
  return `change the shown ones from ${String(membersOf(first).__KEY)} on`
}

function submitText(mode: PasteMode, good: number, all: number): string {
  const size = good.toLocaleString('en')
  const verb = mode === 'new' ? 'Create' : 'Change'
  return good < all ? `${verb} the other ${size}` : `${verb} ${size}`
}
