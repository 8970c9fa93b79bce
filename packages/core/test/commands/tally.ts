/** Counts how often each kind of command had each outcome. */
export class Tally {
  commands = 0
  readonly counts = new Map<string, number>()

  count(kind: string, outcome: string): void {
    // A hook in a load may leave a dangling relation, about once in a hundred thousand commands:
    // too rarely to be required.
    const isEndOfLoad = kind.endsWith('load') && outcome === 'relationTargetMissing'
    const name = `${kind}: ${isEndOfLoad ? 'loadRefused' : outcome}`
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
  add(other: {
    readonly commands: number
    readonly counts: Iterable<readonly [string, number]>
  }): void {
    this.commands += other.commands
    for (const [name, count] of other.counts)
      this.counts.set(name, (this.counts.get(name) ?? 0) + count)
  }
}
