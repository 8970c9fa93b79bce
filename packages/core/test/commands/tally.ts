/** How often each kind of command ended how. */
export class Tally {
  commands = 0
  readonly counts = new Map<string, number>()

  count(kind: string, outcome: string): void {
    // A hook that a load runs may leave a relation that leads to nothing, once in a hundred
    // thousand commands: too rarely to be waited for.
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
