import { useRef } from 'preact/hooks'

interface ProgressProps {
  readonly label: string
  readonly done: number
  readonly of: number
  readonly now: () => number
}

/** The first estimates vary too much to be shown. */
const shownAfter = 1000

/** The progress of a long action in numbers, with the time that it probably needs. */
export function Progress({ label, done, of, now }: ProgressProps) {
  const begun = useRef(now())
  const elapsed = now() - begun.current
  const left = done > 0 && elapsed > shownAfter ? (elapsed / done) * (of - done) : null
  return (
    <div class="progress">
      <progress aria-label={label} value={done} max={Math.max(1, of)} />
      <span>
        {done.toLocaleString('en')} of {of.toLocaleString('en')}
        {left !== null && done < of && `, about ${durationText(left)} left`}
      </span>
    </div>
  )
}

/** `8 s`, `3 min`, `2 h`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
