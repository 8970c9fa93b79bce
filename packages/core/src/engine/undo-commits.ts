import type { ChangeList, ChangeRecorder } from '../storage/change-list.ts'

/**
 * Undoes commits, newest first, and records that. `clock` is the allocation clock, moved on for this; `point` is called
 * before every step, for tests. Cost O(changes).
 */
export function undoCommits(
  recorder: ChangeRecorder,
  lists: readonly ChangeList[],
  clock: number,
  point: (() => void) | undefined,
): void {
  for (let i = lists.length - 1; i >= 0; i--) {
    const { changes, sequences } = lists[i]
    for (let at = changes.length - 1; at >= 0; at--) {
      point?.()
      recorder.undo(changes[at], clock)
    }
    for (let at = sequences.length - 1; at >= 0; at--) recorder.setSequence(sequences[at].table, sequences[at].before)
  }
}
