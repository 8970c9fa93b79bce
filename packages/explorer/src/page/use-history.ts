import { useRef, useState } from 'preact/hooks'
import { type Ask, Refusal, reasonOf } from './api.ts'
import { createStamps, isTemporary, type Step, undoneText } from './undo.ts'

/** A change of this session that can be undone. */
export interface PastChange extends Step {
  readonly id: number
}

/** The changes of this session. */
export interface History {
  /** The oldest first. */
  readonly changes: readonly PastChange[]
  /** The undo that is running. */
  readonly progress: { readonly done: number; readonly of: number } | null
  readonly add: (step: Step) => PastChange
  /** Undoes the last change, or all down to this one, after the undos before it. */
  readonly undo: (change?: PastChange) => Promise<void>
  readonly clear: () => void
}

/** `reload` runs after each undo. */
export function useHistory(
  ask: Ask,
  mayLogIn: boolean,
  notify: (text: string) => void,
  reload: () => void,
): History {
  const [changes, show] = useState<readonly PastChange[]>([])
  const [progress, setProgress] = useState<History['progress']>(null)
  const latest = useRef<readonly PastChange[]>([])
  const stamps = useRef(createStamps())
  const ids = useRef(0)
  const running = useRef(Promise.resolve())
  const set = (next: readonly PastChange[]) => {
    latest.current = next
    show(next)
  }
  const undoOne = async (change: PastChange): Promise<boolean> => {
    const report = (done: number, of: number) => setProgress({ done, of })
    const forget = () => set(latest.current.filter((one) => one !== change))
    try {
      const undone = await change.undo({ ask, stamps: stamps.current, mayLogIn, report })
      forget()
      notify(undoneText(change.title, undone))
      return undone.left.length === 0
    } catch (error) {
      const isKept = error instanceof Refusal && isTemporary(error, mayLogIn)
      if (!isKept) forget()
      notify(`Not undone: ${change.title}. ${reasonOf(error)}`)
      return false
    } finally {
      reload()
    }
  }
  const undoDownTo = async (change: PastChange | undefined): Promise<void> => {
    const last = latest.current.at(-1)
    if (last === undefined) return notify('There is no change of this session to undo.')
    const from = latest.current.indexOf(change ?? last)
    // An undo before it may have undone it.
    if (from < 0) return
    try {
      for (const one of latest.current.slice(from).reverse()) if (!(await undoOne(one))) break
    } finally {
      setProgress(null)
    }
  }
  return {
    changes,
    progress,
    add(step) {
      const change = { ...step, id: ++ids.current }
      set([...latest.current, change])
      return change
    },
    undo: (change) => {
      running.current = running.current.then(() => undoDownTo(change))
      return running.current
    },
    clear: () => set([]),
  }
}
