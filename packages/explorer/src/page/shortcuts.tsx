import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { store, stored } from './storage.ts'

const choiceKey = 'entia single keys'

/** The actions of single keys. */
export interface Shortcuts {
  readonly '/': () => void
  readonly c: () => void
  readonly r: () => void
  /** Ctrl Z, which is always on. */
  readonly undo: () => void
}

const shortcutKeys: readonly (readonly ['/' | 'c' | 'r' | '?', string])[] = [
  ['/', 'focuses the filter'],
  ['c', 'finds a dataclass'],
  ['r', 'loads again'],
  ['?', 'shows these keys'],
]

const otherKeys: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Filter',
    [
      ['↓ ↑', 'completions; ↑ also recalls earlier filters'],
      ['Tab', 'accepts a completion; else to the grid'],
    ],
  ],
  [
    'Grid',
    [
      ['arrows, Home, End', 'between cells and headers; Ctrl: first, last'],
      ['PageDown, PageUp', 'by a screen, at the end to the next page'],
      ['Enter, F2', 'edits; Enter follows a relation, sorts by a header'],
      ['Space', 'opens the entity'],
      ['Shift Space, Shift ↑ ↓', 'selects rows; Ctrl A: all of them'],
      ['Ctrl C', 'copies the selected rows, else the row as JSON'],
      ['Ctrl Shift ← →', 'moves the column'],
      ['Shift ← →, Delete', 'at a header: sizes, hides the column'],
      ['Ctrl V', 'pastes cells of a spreadsheet'],
      ['Ctrl Z', 'undoes the last change, anywhere on the page'],
      ['Escape', 'closes the entity, back to its cell'],
    ],
  ],
  [
    'Diagram',
    [
      ['arrows', 'to the next dataclass; Shift: move the diagram'],
      ['+ − 0', 'zoom in, zoom out, show all'],
      ['Enter', 'shows the entities'],
    ],
  ],
]

/**
 * Runs the action of a single key unless the user is typing. Returns the dialog that lists
 * all keys, and how to show it.
 */
export function useShortcuts(actions: Shortcuts) {
  const [isShown, setIsShown] = useState(false)
  const [isOn, setIsOn] = useState(() => stored(choiceKey) !== 'off')
  const latest = useRef(actions)
  latest.current = actions
  // With the page, not after painting: the first key may come before.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key } = event
      const isWriting = target instanceof Element && target.matches('input, textarea, select')
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && key === 'z'
      if (isUndo && !isWriting && document.querySelector('dialog[open]') === null) {
        event.preventDefault()
        return latest.current.undo()
      }
      if (isWriting || event.ctrlKey || event.metaKey || event.altKey || !isOn) return
      if (document.querySelector('dialog[open]') !== null) return
      const action =
        key === '?'
          ? () => setIsShown(true)
          : key === '/' || key === 'c' || key === 'r'
            ? latest.current[key]
            : undefined
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isOn])
  const toggle = () => {
    store(choiceKey, isOn ? 'off' : 'on')
    setIsOn(!isOn)
  }
  return {
    show: () => setIsShown(true),
    dialog: isShown ? (
      <KeysDialog isOn={isOn} toggle={toggle} close={() => setIsShown(false)} />
    ) : null,
  }
}

interface KeysDialogProps {
  readonly isOn: boolean
  readonly toggle: () => void
  readonly close: () => void
}

function KeysDialog({ isOn, toggle, close }: KeysDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }, [])
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={close}>
      <h2 id="keys-title">Keyboard</h2>
      <KeyList title="Single keys" keys={shortcutKeys} />
      {/* People who dictate text need to turn them off. */}
      <p>
        <label>
          <input type="checkbox" checked={isOn} onChange={toggle} /> Single keys are on
        </label>
      </p>
      {otherKeys.map(([title, keys]) => (
        <KeyList key={title} title={title} keys={keys} />
      ))}
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}

function KeyList({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {keys.map(([key, effect]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
