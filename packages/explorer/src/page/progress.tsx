import { useRef } from 'preact/hooks'
import { durationText } from './labels.ts'

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
        {of >= 100 && `, ${Math.floor((done / of) * 100)} %`}
        {left !== null && done < of && `, about ${durationText(left)} left`}
      </span>
    </div>
  )
}
