import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Refusal } from './api.ts'
import { Conflict } from './conflict.tsx'
import { type FieldText, inputText, parseInput } from './field-value.ts'
import { type Attribute, type DataClass, membersOf } from './model.ts'
import type { Scene } from './scene.ts'
import { stepOfUpdates } from './undo.ts'
import { usePressOutside } from './use-press-outside.ts'
import { ValueInput } from './value-input.tsx'

interface CellEditorProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly attribute: Attribute
  readonly entity: unknown
  /**
   * Ends editing; 1 and -1 continue in the next or previous cell. `saved` is the entity that the
   * server stored; null without a change.
   */
  readonly end: (step: -1 | 0 | 1, saved: unknown) => void
}

/**
 * Edits one value in its cell. Enter and leaving save, Escape cancels, Tab saves and continues in
 * the next cell. Shift+Enter adds a line. A refused value stays with its message.
 */
export function CellEditor({ scene, dataClass, attribute, entity, end }: CellEditorProps) {
  const { ask, notify, changed, record } = scene
  // The grid may reload meanwhile: the stamp of the first read detects a conflict.
  const [before, setBefore] = useState(() => membersOf(entity))
  const stored = inputText(before[attribute.name], attribute)
  const [text, setText] = useState<FieldText>(stored)
  /** The stored text, or the one that is being saved. */
  const known = useRef(stored)
  // A picked entity is saved by the same key press.
  const latest = useRef(text)
  const [problem, setProblem] = useState('')
  const [theirs, setTheirs] = useState<unknown>(null)
  const frame = useRef<HTMLDivElement>(null)
  const state = useRef<'editing' | 'busy' | 'ended'>('editing')
  const [isBusy, setBusy] = useState(false)
  /** Where to go on after the save under way, if a key or a click asked for it meanwhile. */
  const nextStep = useRef<-1 | 0 | 1 | null>(null)
  useLayoutEffect(() => {
    const input = frame.current?.querySelector<HTMLInputElement>('input, select, textarea')
    input?.focus()
    if (input?.type === 'text' || input?.type === 'textarea') input.select()
  }, [])
  const isInside = (node: Node) => frame.current?.contains(node) === true
  const refocus = () => {
    const hasNoFocus = document.activeElement === null || document.activeElement === document.body
    if (hasNoFocus) frame.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }
  // The dialog of a conflict takes the focus along.
  useLayoutEffect(() => {
    if (theirs === null) refocus()
  }, [theirs])
  usePressOutside(frame, () => save(0))
  const reportLoss = (reason: string) =>
    notify(`${attribute.name} of ${String(before.__KEY)} is not saved${reason}`)
  const hasEnded = () => state.current === 'ended'
  const latestLeave = useRef(() => {})
  latestLeave.current = () => {
    const isLost = !hasEnded() && latest.current !== known.current
    finish(0)
    if (isLost) reportLoss(': its cell is no longer shown.')
  }
  useLayoutEffect(() => () => latestLeave.current(), [])
  const finish = (step: -1 | 0 | 1, saved: unknown = null) => {
    state.current = 'ended'
    end(step, saved)
  }
  const save = async (step: -1 | 0 | 1, base = before) => {
    if (state.current === 'busy') nextStep.current = step
    if (state.current !== 'editing') return
    const sent = latest.current
    if (sent === known.current) return finish(step)
    const parsed = parseInput(sent, attribute)
    if ('problem' in parsed) return setProblem(parsed.problem)
    const lastKnown = known.current
    state.current = 'busy'
    setBusy(true)
    nextStep.current = null
    known.current = sent
    try {
      const body = { __KEY: before.__KEY, __STAMP: base.__STAMP, [attribute.name]: parsed.value }
      const saved = await ask(encodeURIComponent(dataClass.name), { method: 'POST', body })
      const { name } = attribute
      const key = String(base.__KEY)
      const old = { [name]: base[name] ?? null }
      const stamps = { stampBefore: Number(base.__STAMP), stamp: Number(membersOf(saved).__STAMP) }
      const title = `${name} of ${dataClass.name} ${key}`
      record(stepOfUpdates(title, dataClass, [{ key, ...stamps, before: old }]), true)
      changed()
      const goOn = nextStep.current
      if (hasEnded() || latest.current === sent) return finish(goOn ?? step, saved)
      // The text that was typed meanwhile is not saved yet.
      state.current = 'editing'
      setBusy(false)
      setBefore(membersOf(saved))
      if (goOn !== null) await save(goOn, membersOf(saved))
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(0, null)
      // The cell with its place for messages no longer exists.
      if (hasEnded()) return reportLoss(`: ${refusal.message}`)
      state.current = 'editing'
      setBusy(false)
      known.current = lastKnown
      const isConflict = refusal.status === 409 && membersOf(refusal.answer).__STAMP !== undefined
      if (isConflict) setTheirs(refusal.answer)
      else {
        setProblem(refusal.message)
        reportLoss('.')
      }
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape') finish(0)
    else if (event.key === 'Enter' && !event.shiftKey) save(0)
    else if (event.key === 'Tab') save(event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
  }
  const problemId = problem === '' ? null : 'cell-problem'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not fit into a cell.
    <div
      ref={frame}
      role="group"
      class="cell-editor"
      aria-busy={isBusy}
      onKeyDown={onKeyDown}
      onClick={(event) => event.stopPropagation()}
      onMouseDown={(event) => event.stopPropagation()}
      onDblClick={(event) => event.stopPropagation()}
      onFocusOut={({ relatedTarget }) => {
        const isElsewhere = relatedTarget instanceof Node && !isInside(relatedTarget)
        if (isElsewhere && theirs === null) save(0)
        // A reload of the grid may take the focus away: the editor takes it back.
        else if (relatedTarget === null && document.hasFocus()) queueMicrotask(refocus)
      }}
    >
      <ValueInput
        scene={scene}
        attribute={attribute}
        text={text}
        label={`${attribute.name} of ${String(before.__KEY)}`}
        problemId={problemId}
        change={(next) => {
          latest.current = next
          setText(next)
          setProblem('')
        }}
      />
      {problem !== '' && (
        <p class="cell-problem" id="cell-problem" role="alert">
          {problem}
        </p>
      )}
      {theirs !== null && (
        <ConflictDialog close={() => finish(0)}>
          <Conflict
            dataClass={dataClass}
            draft={new Map([[attribute.name, text]])}
            before={before}
            theirs={theirs}
            takeTheirs={() => {
              changed()
              finish(0)
            }}
            overwrite={() => {
              setTheirs(null)
              save(0, membersOf(theirs))
            }}
          />
        </ConflictDialog>
      )}
    </div>
  )
}

function ConflictDialog({ children, close }: { children: ComponentChildren; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-label="Conflict" onClose={close}>
      {children}
    </dialog>
  )
}
