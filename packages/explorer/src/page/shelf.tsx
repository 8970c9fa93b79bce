import { useEffect, useRef, useState } from 'preact/hooks'
import { type Place, placeOf } from './place.ts'
import type { Scene } from './scene.ts'
import {
  countdownText,
  type KeptSet,
  type SetOperator,
  secondsLeft,
  setOperators,
} from './shelf-state.ts'

interface ShelfProps {
  readonly scene: Scene
  readonly sets: readonly KeptSet[]
  readonly release: (set: KeptSet) => void
  readonly combine: (one: KeptSet, operator: SetOperator, other: KeptSet) => void
}

/**
 * The entity sets with their sizes and lifetimes. Drag one onto another, or use the menu, to
 * combine them.
 */
export function Shelf({ scene, sets, release, combine }: ShelfProps) {
  const [now, setNow] = useState(scene.now())
  const [dragged, setDragged] = useState<KeptSet | null>(null)
  const [pair, setPair] = useState<{
    readonly one: KeptSet
    readonly other: KeptSet | null
  } | null>(null)
  useEffect(() => {
    const timer = setInterval(() => setNow(scene.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  if (sets.length === 0) return null
  const isMatch = (set: KeptSet) =>
    dragged !== null &&
    dragged.id !== set.id &&
    dragged.dataClass === set.dataClass &&
    secondsLeft(set, now) > 0
  return (
    <section class="shelf" aria-label="Entity sets">
      <ul>
        {sets.map((set) => {
          const left = secondsLeft(set, now)
          return (
            <li
              key={set.id}
              class={`kept${left === 0 ? ' gone' : ''}${isMatch(set) ? ' target' : ''}`}
              aria-current={scene.place.set === set.id ? 'true' : undefined}
              draggable={left > 0}
              onDragStart={(event) => {
                setDragged(set)
                event.dataTransfer?.setData('text/plain', set.label)
              }}
              onDragEnd={() => setDragged(null)}
              onDragOver={(event) => isMatch(set) && event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault()
                if (dragged !== null && isMatch(set)) setPair({ one: dragged, other: set })
                setDragged(null)
              }}
            >
              <button
                type="button"
                class="kept-name"
                disabled={left === 0}
                onClick={() => scene.go(placeOfSet(set))}
              >
                <b>{set.label}</b>
                <span>
                  {set.count.toLocaleString('en')} of {set.dataClass}
                </span>
              </button>
              <span class="countdown" title="Time left without being used">
                {countdownText(left)}
              </span>
              {left > 0 && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Combine ${set.label}`}
                  title="Combine with another set"
                  onClick={() => setPair({ one: set, other: null })}
                >
                  ⊕
                </button>
              )}
              <button
                type="button"
                class="quiet"
                aria-label={`Release ${set.label}`}
                title="Release"
                onClick={() => release(set)}
              >
                ✕
              </button>
            </li>
          )
        })}
      </ul>
      {pair !== null && (
        <CombineDialog
          one={pair.one}
          first={pair.other}
          others={sets.filter(
            (set) =>
              set.id !== pair.one.id &&
              set.dataClass === pair.one.dataClass &&
              secondsLeft(set, now) > 0,
          )}
          close={() => setPair(null)}
          combine={combine}
        />
      )}
    </section>
  )
}

function placeOfSet(set: KeptSet): Place {
  return placeOf(set.dataClass, { set: set.id })
}

interface CombineDialogProps {
  readonly one: KeptSet
  readonly first: KeptSet | null
  readonly others: readonly KeptSet[]
  readonly close: () => void
  readonly combine: ShelfProps['combine']
}

function CombineDialog({ one, first, others, close, combine }: CombineDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [otherId, setOtherId] = useState(first?.id ?? others[0]?.id)
  useEffect(() => dialog.current?.showModal(), [])
  const other = others.find(({ id }) => id === otherId)
  return (
    <dialog ref={dialog} class="combine" aria-label={`Combine ${one.label}`} onClose={close}>
      {other === undefined ? (
        <p>
          Keep another selection of {one.dataClass} first: two sets of one dataclass can be
          combined.
        </p>
      ) : (
        <>
          <p>
            <b>{one.label}</b> and{' '}
            <select
              aria-label="The other set"
              value={otherId}
              onChange={(event) => setOtherId(event.currentTarget.value)}
            >
              {others.map((set) => (
                <option key={set.id} value={set.id}>
                  {set.label}
                </option>
              ))}
            </select>
          </p>
          <p class="actions">
            {setOperators.map(([operator, meaning]) => (
              <button
                key={operator}
                type="button"
                onClick={() => {
                  combine(one, operator, other)
                  dialog.current?.close()
                }}
              >
                <b>{operator}</b> <span>{meaning}</span>
              </button>
            ))}
          </p>
        </>
      )}
      <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
        Cancel
      </button>
    </dialog>
  )
}
