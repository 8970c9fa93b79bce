import { useRef, useState } from 'preact/hooks'
import type { Memory } from './scene.ts'
import { type Camera, fit, keepInside, type Point, panBy, type Size, zoomAt } from './zoom.ts'

/** Pixels that a pointer moves before a click becomes a drag. */
const clickTolerance = 4
const step = 60
const zoomStep = 1.25

interface CameraProps {
  readonly memory: Memory
  readonly diagram: Size
  readonly frame: Size
}

export interface CameraControls {
  readonly camera: Camera
  readonly show: (camera: Camera) => void
  readonly zoomIn: () => void
  readonly zoomOut: () => void
  readonly showAll: () => void
  /** Event handlers of the frame. */
  readonly handlers: Readonly<Record<string, (event: never) => void>>
}

/**
 * Zooms and pans by wheel, one or two pointers, and keys. Until the user does, the whole diagram is
 * shown, also after the frame changes its size.
 */
export function useCamera({ memory, diagram, frame }: CameraProps): CameraControls {
  const [moved, setMoved] = useState(memory.camera)
  const pointers = useRef(new Map<number, Point>())
  const drag = useRef<{ readonly from: Point; isMoving: boolean } | null>(null)
  const camera = moved ?? fit(diagram, frame)
  // Several events may come between two renderings.
  const latest = useRef(camera)
  latest.current = camera
  const show = (next: Camera) => {
    latest.current = keepInside(next, diagram, frame)
    memory.camera = latest.current
    setMoved(latest.current)
  }
  const center = { x: frame.width / 2, y: frame.height / 2 }
  const zoom = (factor: number) => show(zoomAt(latest.current, factor, center))
  const showAll = () => {
    memory.camera = null
    setMoved(null)
  }
  const pan = (x: number, y: number) => show(panBy(latest.current, { x, y }))
  const inFrame = (event: MouseEvent): Point => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }
  const onWheel = (event: WheelEvent) => {
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    // Browsers report a pinch on a touchpad as a wheel with Ctrl and small distances.
    const speed = event.ctrlKey ? 0.01 : 0.002
    show(zoomAt(latest.current, Math.exp(-event.deltaY * lines * speed), inFrame(event)))
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    const at = inFrame(event)
    pointers.current.set(event.pointerId, at)
    if (pointers.current.size === 1) drag.current = { from: at, isMoving: false }
  }
  const onPointerMove = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId)
    const current = drag.current
    if (before === undefined || current === null) return
    const at = inFrame(event)
    const [other] = [...pointers.current].filter(([id]) => id !== event.pointerId)
    if (!current.isMoving) {
      if (other === undefined && distance(current.from, at) < clickTolerance) return
      current.isMoving = true
      ;(event.currentTarget as Element).setPointerCapture(event.pointerId)
    }
    pointers.current.set(event.pointerId, at)
    const moved = panBy(latest.current, { x: at.x - before.x, y: at.y - before.y })
    if (other === undefined) return show(moved)
    // Of two pointers, the one that moves zooms around the one that rests.
    const factor = distance(at, other[1]) / Math.max(1, distance(before, other[1]))
    show(zoomAt(latest.current, factor, other[1]))
  }
  const onPointerEnd = (event: PointerEvent) => {
    pointers.current.delete(event.pointerId)
  }
  const onClickCapture = (event: MouseEvent) => {
    if (drag.current?.isMoving !== true) return
    drag.current = null
    event.stopPropagation()
    event.preventDefault()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return
    const actions: Readonly<Record<string, () => void>> = {
      '+': () => zoom(zoomStep),
      '=': () => zoom(zoomStep),
      '-': () => zoom(1 / zoomStep),
      '0': showAll,
      ...(event.shiftKey && {
        ArrowLeft: () => pan(step, 0),
        ArrowRight: () => pan(-step, 0),
        ArrowUp: () => pan(0, step),
        ArrowDown: () => pan(0, -step),
      }),
    }
    const action = new Map(Object.entries(actions)).get(event.key)
    if (action === undefined) return
    event.preventDefault()
    action()
  }
  return {
    camera,
    show,
    zoomIn: () => zoom(zoomStep),
    zoomOut: () => zoom(1 / zoomStep),
    showAll,
    handlers: {
      onWheel,
      onPointerDown,
      onPointerMove,
      onPointerUp: onPointerEnd,
      onPointerCancel: onPointerEnd,
      onClickCapture,
      onKeyDown,
    },
  }
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y)
}
