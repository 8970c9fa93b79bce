/** An object that can return to an earlier state. */
export interface Rewindable {
  /** Records the current state and returns a function that restores it. */
  mark(): () => void
}
