import { joined } from '../../store/dump/line-writer.ts'
import type { Persistence } from '../../store/dump/persistence.ts'
import type { Writer } from '../../write/writer.ts'
import { JournalFolder, type Recovery } from '../journal/journal-folder.ts'
import type { WaitingCommit } from '../journal/journal-writer.ts'
import { StoreJournal } from '../journal/store-journal.ts'
import { type BrowserSettings, folderRules, ownBytes } from './browser-options.ts'
import { DatabaseFiles } from './database-files.ts'
import { applyCommit, type TabMessage } from './messages.ts'
import type { BrowserPorts } from './ports.ts'

/** What a tab needs to write a journal, whose lock it holds. */
export interface WritingParts {
  readonly persistence: Persistence
  readonly writer: Writer
  readonly database: string
  readonly settings: BrowserSettings
  readonly ports: BrowserPorts
  readonly post: (message: TabMessage) => void
  readonly release: () => void
  /** Brings the store to the state of the database. */
  readonly recovery: Recovery
  /** The last proposal in the database, once it is read. */
  readonly lastProposal: () => string | null
  /** Called for an empty database. What it throws refuses the database. */
  readonly adoptNothing: () => void
  /** Called when the browser has removed the database. */
  readonly removed: () => void
}

/** The tab that writes: it keeps every commit, sends it to the others, and takes proposals. */
export class WritingTab {
  readonly #parts: WritingParts
  #journal: StoreJournal | null = null
  /** Global stamp of the last durable commit. */
  #durable = 0
  /** The last proposal that is durable, and a later one that is not yet. */
  #lastProposal: string | null = null
  #accepted: { readonly name: string; readonly globalStamp: number } | null = null
  /** False until another tab says that it follows: until then nothing is sent. */
  isFollowed = false
  /** True while another tab runs a transaction again because of commits of this one. */
  hasStaleProposal = false

  /** Opens the database. If that fails, it releases the lock and rejects. */
  static async open(parts: WritingParts): Promise<WritingTab> {
    const tab = new WritingTab(parts)
    const { persistence, database, settings, ports, release } = parts
    let opened: Awaited<ReturnType<BrowserPorts['openDatabase']>>
    try {
      opened = await ports.openDatabase(database, parts.removed)
    } catch (error) {
      release()
      throw error
    }
    tab.#journal = await StoreJournal.open({
      persistence,
      folder: new JournalFolder(
        database,
        new DatabaseFiles(opened, database),
        folderRules(database),
      ),
      settings,
      pace: ports,
      unlock: async () => {
        opened.close()
        release()
      },
      recovery: {
        ...parts.recovery,
        finish: (found) => {
          parts.recovery.finish(found)
          tab.#lastProposal = parts.lastProposal()
          tab.#durable = found.generation + found.commits
        },
      },
      adoptNothing: parts.adoptNothing,
      written: (commits) => tab.#send(commits),
      dumped: (globalStamp) => {
        tab.#durable = Math.max(tab.#durable, globalStamp)
        tab.#announce()
      },
    })
    return tab
  }

  private constructor(parts: WritingParts) {
    this.#parts = parts
  }

  get journal(): StoreJournal {
    return this.#journal as StoreJournal
  }

  /** Tells the tabs that follow that they have a writer. They answer that they follow. */
  begin(): void {
    this.#postDurable(true)
  }

  take(message: TabMessage): void {
    if (message.kind === 'proposal') this.#takeProposal(message)
    else if (message.kind === 'following') {
      this.isFollowed = true
      this.#announce()
    }
  }

  #announce(): void {
    if (this.isFollowed) this.#postDurable(false)
  }

  #postDurable(isNew: boolean): void {
    const globalStamp = this.#durable
    if (this.#accepted !== null && this.#accepted.globalStamp <= globalStamp) {
      this.#lastProposal = this.#accepted.name
      this.#accepted = null
    }
    this.#parts.post({ kind: 'durable', globalStamp, lastProposal: this.#lastProposal, isNew })
  }

  #send(commits: readonly WaitingCommit[]): void {
    const [first] = commits
    if (first === undefined) return
    this.#durable = first.globalStamp + commits.length - 1
    if (!this.isFollowed) return
    this.#parts.post({
      kind: 'commits',
      first: first.globalStamp,
      commits: commits.map(({ pieces }) => ownBytes(joined(pieces))),
    })
  }

  /**
   * Commits a proposal if nothing was committed since its base. Otherwise its tab runs it again
   * when the newer commits arrive there. Commits nothing while the disk does not take it: a refused
   * transaction must not be saved later.
   */
  #takeProposal({ name, base, commit }: TabMessage & { readonly kind: 'proposal' }): void {
    const { persistence, writer, post } = this.#parts
    const refuse = (error: unknown): void => {
      // A proposal that was sent twice may be a commit already.
      const isCommitted = this.#accepted?.name === name || this.#lastProposal === name
      post({ kind: 'refusal', name, problem: textOf(error), isCommitted })
    }
    this.hasStaleProposal = base !== persistence.globalStamp
    if (!this.hasStaleProposal && !this.journal.hasFailed) {
      persistence.proposal = name
      try {
        applyCommit(writer, commit, true)
        this.#accepted = { name, globalStamp: base + 1 }
      } catch (error) {
        refuse(error)
        return
      } finally {
        persistence.proposal = undefined
      }
    }
    this.journal.flush().catch(refuse)
  }
}

/** The text of any error. */
export const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
