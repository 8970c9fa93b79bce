/** Reports the progress of a load or an export. */
export interface Progress {
  /** Takes the number of rows so far. */
  readonly onProgress: (rows: number) => void
  /** Takes the share of the work that is done, from 0 to 1. */
  readonly onShare: (share: number) => void
  end(): void
}

/** Milliseconds between two reports. */
const INTERVAL = 100
/** The remaining time is a guess before this share of the work. */
const MIN_SHARE = 0.02

/**
 * A line on stderr with rows, percentage and remaining time; does nothing if stderr is not a
 * terminal.
 */
export function progressLine(what: string): Progress {
  const { stderr } = process
  if (!stderr.isTTY) return { onProgress: () => {}, onShare: () => {}, end: () => {} }
  const clear = '\r\u001B[K'
  const begun = performance.now()
  let share = 0
  let reported = Number.NEGATIVE_INFINITY
  return {
    onProgress: (rows) => {
      const now = performance.now()
      if (now - reported < INTERVAL) return
      reported = now
      stderr.write(`${clear}${what}: ${progressText(rows, share, now - begun)}`)
    },
    onShare: (done) => {
      share = done
    },
    end: () => void stderr.write(clear),
  }
}

/** `250,000 rows, 25 %, 3 s left`, after `elapsed` milliseconds. */
export function progressText(rows: number, share: number, elapsed: number): string {
  const count = `${rows.toLocaleString('en')} rows`
  if (share < MIN_SHARE) return count
  const left = Math.ceil((elapsed / share - elapsed) / 1000)
  const time = left < 90 ? `${left} s` : `${Math.ceil(left / 60)} min`
  return `${count}, ${Math.floor(share * 100)} %${share < 1 ? `, ${time} left` : ''}`
}
