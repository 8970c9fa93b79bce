/** What can be put back where it was. */
export interface Rewindable {
  /** Remembers where it is now; what is returned puts it back there. */
  mark(): () => void
}
