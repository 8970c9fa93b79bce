import { rename, rm } from 'node:fs/promises'
import type { AnyDataStore } from '@entia/core'
import { createRestHandler, type PlainRestOptions } from '@entia/rest'
import { CliError, fileError } from '../cli-error.ts'
import {
  FileChanged,
  followLinks,
  freeName,
  readEdited,
  replaceFile,
  writeBeside,
} from './replace-edited-file.ts'

/** Limits that no file reaches: a file is written as a whole. */
const UNLIMITED = {
  maxEntitiesPerAnswer: Number.MAX_SAFE_INTEGER - 1,
  maxAnswerCharacters: Number.MAX_SAFE_INTEGER,
}

/** Writes a store back to the file that it was read from, in the form of json-server. */
export class SavedFile {
  readonly #path: string
  readonly #store: AnyDataStore
  readonly #whole: () => Promise<string>
  /** What the file contains: the text that was written last, or read. */
  #text: string
  /** What it is about to contain: a watcher may see the new file first. */
  #next: string | null = null
  #saved: number
  /** Where the data are that cannot be written to the file. */
  #unsaved: string | null = null
  #running: Promise<void> | null = null

  /** `text`: what the file contains. */
  constructor(
    path: string,
    store: AnyDataStore,
    resources: NonNullable<PlainRestOptions['resources']>,
    text: string,
  ) {
    this.#path = path
    this.#store = store
    this.#text = text
    this.#saved = store.globalStamp
    const rest = createRestHandler(store, { plain: { resources }, limits: UNLIMITED })
    // Editors read this member of a file; it is not data.
    const { $schema } = JSON.parse(text.replace(/^\uFEFF/, '')) as { readonly $schema?: unknown }
    this.#whole = async () => {
      const { status, body } = await rest.handle({ method: 'GET', url: '/db' })
      if (status !== 200) throw new CliError(`The store cannot be written: ${String(body)}`)
      const lists: object = JSON.parse(String(body))
      return `${JSON.stringify({ ...($schema !== undefined && { $schema }), ...lists }, null, 2)}\n`
    }
  }

  /** True if the file contains what was written last, or read. */
  isOwn(text: string): boolean {
    return text === this.#text || text === this.#next
  }

  /**
   * Resolves when every commit so far is in the file and on the disk. The file is complete at any
   * time. Calls at the same time share a write. Rejects with `CliError`; a later call tries again.
   */
  async flush(): Promise<void> {
    const stamp = this.#store.globalStamp
    while (this.#saved < stamp) {
      this.#running ??= this.#write().finally(() => {
        this.#running = null
      })
      await this.#running
    }
  }

  /** Commits that are not in the file. */
  get unsaved(): number {
    return this.#store.globalStamp - this.#saved
  }

  async #write(): Promise<void> {
    const stamp = this.#store.globalStamp
    const text = await this.#whole()
    try {
      const target = await followLinks(this.#path)
      await this.#replace(target, await writeBeside(target, text), text)
    } catch (error) {
      if (error instanceof CliError) throw error
      throw fileError(this.#path, 'written', error)
    } finally {
      this.#next = null
    }
    this.#text = text
    this.#saved = stamp
  }

  /** The edits of a person are not overwritten, nor are those that were made over HTTP lost. */
  async #replace(target: string, next: string, text: string): Promise<void> {
    const isKnown = (found: string): boolean => found === this.#text
    try {
      const found = await readEdited(target)
      if (found !== null && !isKnown(found)) throw new FileChanged(target)
      this.#next = text
      await replaceFile(target, next, isKnown)
    } catch (error) {
      if (!(error instanceof FileChanged)) {
        await rm(next, { force: true })
        throw error
      }
      // The file of another process, or of an earlier run, is kept.
      const own = (this.#unsaved ??= await freeName(`${target}.unsaved`))
      await rename(next, own)
      const theirs = error.theirs === target ? '' : ` Its version is in ${error.theirs}.`
      throw new CliError(
        `${this.#path} was changed by another program, so changes over HTTP are not written to it.${theirs} The data with these changes are in ${own}. Start the server again; with --watch it reads such changes.`,
      )
    }
  }
}
