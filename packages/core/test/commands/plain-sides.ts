import { type ClassName, type PlainRecord, Refused } from './plain-model.ts'

/** Milliseconds: of the calendar, which may jump, and of elapsed time. */
export interface Clocks {
  wall: number
  monotonic: number
}
interface PlainSession {
  readonly id: string
  readonly life: number
  readonly last: number
  end: number
}
interface PlainLock {
  readonly record: PlainRecord
  readonly holder: string
  readonly number: number
}
export interface PlainSet {
  readonly id: string
  readonly className: ClassName
  readonly members: readonly PlainRecord[]
  readonly life: number
  readonly owner: string | null
  readonly number: number
  end: number
}
/** The entry of one set in `list`. */
export interface PlainEntry {
  readonly id: string
  readonly dataClass: string
  readonly size: number
  readonly expires: number
  readonly owner: string | null
}
export interface Limits {
  readonly sets: number
  readonly setsOfSession: number
  readonly setBytes: number
  readonly locksOfSession: number
}

/** Sessions, locks and entity sets in plain arrays. Expired ones are removed before each call. */
export class PlainSides {
  readonly clocks: Clocks
  /** The least recently used session first; likewise the sets. */
  sessions: PlainSession[] = []
  locks: PlainLock[] = []
  sets: PlainSet[] = []
  /** The number of sets and locks created so far. */
  made = 0
  readonly #limits: Limits
  readonly #isLiving: (record: PlainRecord) => boolean

  constructor(clocks: Clocks, limits: Limits, isLiving: (record: PlainRecord) => boolean) {
    this.clocks = clocks
    this.#limits = limits
    this.#isLiving = isLiving
  }

  /** Ends whatever has expired, with its locks and sets. */
  sweep(): void {
    const { monotonic } = this.clocks
    this.sessions = this.sessions.filter(({ end }) => end > monotonic)
    const isOpen = (id: string) => this.sessions.some((session) => session.id === id)
    this.locks = this.locks.filter(({ holder }) => isOpen(holder))
    this.sets = this.sets.filter(
      ({ end, owner }) => end > monotonic && (owner === null || isOpen(owner)),
    )
  }
  /** After a commit: drops the locks of removed entities. */
  afterCommit(): void {
    this.locks = this.locks.filter(({ record }) => this.#isLiving(record))
  }
  /** The instants at which something ends. */
  get ends(): number[] {
    return [...this.sessions, ...this.sets].map(({ end }) => end).sort((a, b) => a - b)
  }

  open(id: string, seconds: number | undefined): void {
    const life = Math.min(seconds ?? 3600, 10_000) * 1000
    const { monotonic } = this.clocks
    this.sessions.push({ id, life, last: monotonic + 10_000_000, end: monotonic + life })
  }
  touch(id: string): boolean {
    const session = this.sessions.find((one) => one.id === id)
    if (session === undefined) return false
    session.end = Math.min(session.last, this.clocks.monotonic + session.life)
    this.sessions = [...this.sessions.filter((one) => one !== session), session]
    return true
  }
  close(id: string): boolean {
    const session = this.sessions.find((one) => one.id === id)
    if (session !== undefined) session.end = 0
    this.sweep()
    return session !== undefined
  }
  /** Throws for a session that is not open. */
  mustBeOpen(id: string): void {
    if (!this.sessions.some((session) => session.id === id)) throw new Refused('argumentInvalid')
  }

  holderOf(record: PlainRecord): string | null {
    return this.locks.find((lock) => lock.record === record)?.holder ?? null
  }
  lock(record: PlainRecord | undefined, id: string, stamp: number | undefined): string {
    this.mustBeOpen(id)
    if (record === undefined) return 'absent'
    const holder = this.holderOf(record)
    if (holder !== null && holder !== id) return 'alreadyLocked'
    if (stamp !== undefined && stamp !== record.stamp) return 'stampChanged'
    if (holder === id) return 'locked'
    if (this.locks.filter((lock) => lock.holder === id).length >= this.#limits.locksOfSession)
      throw new Refused('budgetExceeded')
    this.locks.push({ record, holder: id, number: ++this.made })
    return 'locked'
  }
  unlock(record: PlainRecord | undefined, id: string): string {
    this.mustBeOpen(id)
    if (record === undefined) return 'absent'
    const holder = this.holderOf(record)
    if (holder !== null && holder !== id) return 'alreadyLocked'
    this.locks = this.locks.filter((lock) => lock.record !== record)
    return 'unlocked'
  }
  releaseAll(id: string): number {
    this.mustBeOpen(id)
    const held = this.locks.filter(({ holder }) => holder === id).length
    this.locks = this.locks.filter(({ holder }) => holder !== id)
    return held
  }

  /**
   * `seconds` and `owner` as given. The id is the one that the store chose, or the old id if a set
   * is replaced.
   */
  keep(
    id: string,
    { className, members }: Pick<PlainSet, 'className' | 'members'>,
    seconds: number,
    owner: string | null,
  ): void {
    const { sets, setsOfSession, setBytes } = this.#limits
    if (owner !== null) this.mustBeOpen(owner)
    const bytes = (set: Pick<PlainSet, 'members'>) => Math.max(1, set.members.length * 8)
    if (bytes({ members }) > setBytes) throw new Refused('budgetExceeded')
    const there = this.sets.find((set) => set.id === id)
    if (there !== undefined && there.owner !== null && there.owner !== owner)
      throw new Refused('argumentInvalid')
    this.sets = this.sets.filter((set) => set !== there)
    const own = owner === null ? [] : this.sets.filter((set) => set.owner === owner)
    for (const set of own.slice(0, Math.max(0, own.length - setsOfSession + 1))) this.#drop(set)
    const life = seconds * 1000
    const end = this.clocks.monotonic + life
    this.sets.push({ id, className, members, life, owner, number: ++this.made, end })
    while (
      this.sets.length > sets ||
      this.sets.reduce((sum, set) => sum + bytes(set), 0) > setBytes
    )
      this.#drop(this.sets[0])
  }
  /** Renames a set to the id that the store has chosen. */
  rename(from: string, id: string): void {
    this.sets = this.sets.map((set) => (set.id === from ? { ...set, id } : set))
  }
  peek(id: string, session: string | null): PlainSet | undefined {
    return this.sets.find((set) => set.id === id && (set.owner === null || set.owner === session))
  }
  get(id: string, session: string | null): PlainSet | undefined {
    const set = this.peek(id, session)
    if (set === undefined) return undefined
    set.end = this.clocks.monotonic + set.life
    this.#drop(set)
    this.sets.push(set)
    return set
  }
  existing(id: string, session: string | null): PlainSet {
    const set = this.get(id, session)
    if (set === undefined) throw new Refused('entitySetNotFound')
    return set
  }
  release(id: string, session: string | null): boolean {
    const set = this.peek(id, session)
    if (set !== undefined) this.#drop(set)
    return set !== undefined
  }
  /** Drops the sets and locks created after the n-th, as a restore does. */
  dropAfter(number: number): void {
    this.locks = this.locks.filter((lock) => lock.number <= number)
    this.sets = this.sets.filter((set) => set.number <= number)
  }
  list(): PlainEntry[] {
    const expires = ({ end }: PlainSet) =>
      Math.round(this.clocks.wall + end - this.clocks.monotonic)
    return this.sets.map((set) => ({
      id: set.id,
      dataClass: set.className,
      size: set.members.length,
      expires: expires(set),
      owner: set.owner,
    }))
  }

  #drop(dropped: PlainSet): void {
    this.sets = this.sets.filter((set) => set !== dropped)
  }
}
