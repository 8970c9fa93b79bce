import { readFile, rename, writeFile } from 'node:fs/promises'
import type { AnyDataStore } from '@entia/core'
import { createRestHandler, type PlainRestOptions } from '@entia/rest'
import { CliError, fileError } from '../cli-error.ts'

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
  /** The text that was written last, or read. */
  #text: string
  #saved: number
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
    return text === this.#text
  }

  /**
   * Resolves when every commit so far is in the file. The file is complete at any time. Calls at
   * the same time share a write. Rejects with `CliError`.
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

  /** The edits of a person are not overwritten. Throws `CliError`. */
  async #refuseForeign(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => null)
    if (text === null || this.isOwn(text)) return
    throw new CliError(
      `${this.#path} was changed by another program, so changes over HTTP are not written to it. Start the server again; with --watch it reads such changes.`,
    )
  }

  async #write(): Promise<void> {
    await this.#refuseForeign()
    const stamp = this.#store.globalStamp
    const text = await this.#whole()
    const next = `${this.#path}.new`
    // Before the rename: a watcher may see the new file first.
    this.#text = text
    try {
      await writeFile(next, text)
      await rename(next, this.#path)
    } catch (error) {
      throw fileError(this.#path, 'written', error)
    }
    this.#saved = stamp
  }
}
