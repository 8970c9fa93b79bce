import { useRef, useState } from 'preact/hooks'
import { store, stored } from './storage.ts'

interface ResizerProps {
  /** The part that it resizes, for example `Sidebar`. */
  readonly label: string
  readonly width: number
  /** The side of the resized part. */
  readonly side: 'left' | 'right'
  readonly resize: (width: number) => void
}

const narrowestPart = 160
const widestPart = 900
const step = 24

/** A line between two parts that resizes one of them, by pointer or arrow keys. */
export function Resizer({ label, width, side, resize }: ResizerProps) {
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null)
  const sign = side === 'left' ? 1 : -1
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key]
    const next =
      by !== undefined ? width + sign * by : { Home: narrowestPart, End: widestPart }[event.key]
    if (next === undefined) return
    event.preventDefault()
    resize(next)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this separator can.
    <div
      class="resizer"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of the ${label}`}
      aria-valuenow={width}
      aria-valuemin={narrowestPart}
      aria-valuemax={widestPart}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { x: event.clientX, width }
      }}
      onPointerMove={(event) => {
        if (start.current !== null)
          resize(start.current.width + sign * (event.clientX - start.current.x))
      }}
      onPointerUp={() => {
        start.current = null
      }}
      onPointerCancel={() => {
        start.current = null
      }}
    />
  )
}

/** A width within the limits, stored in the browser. */
export function useStoredWidth(
  key: string,
  initial: number,
): readonly [number, (width: number) => void] {
  const [width, setWidth] = useState(() => {
    const kept = Number(stored(key) ?? initial)
    return Number.isFinite(kept) ? withinLimits(kept) : initial
  })
  const resize = (wanted: number) => {
    const next = withinLimits(Math.round(wanted))
    setWidth(next)
    store(key, String(next))
  }
  return [width, resize]
}

function withinLimits(width: number): number {
  return Math.max(narrowestPart, Math.min(widestPart, width))
}
