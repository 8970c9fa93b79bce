import type { LiveResult } from './live-result.ts'
import { LocalResult } from './local-result.ts'
import { type Entries, RemoteResult, type RemoteSharing } from './remote-result.ts'
import {
  type AnySelection,
  isRemote,
  type LocalSelection,
  type Page,
  type RemoteSelection,
} from './selection.ts'

/** The results of one store or connection, by the text of what they follow. */
export class Results {
  readonly #byText = new Map<string, LiveResult>()
  /** What a server sent with the page, until a component shows it. */
  readonly #hydrated = new Map<string, Entries>()
  readonly #lost = new Set<LiveResult>()
  readonly #listeners = new Set<() => void>()

  /** False while an event stream is lost. */
  readonly isConnected = (): boolean => this.#lost.size === 0
  readonly subscribe = (listener: () => void): (() => void) => {
    const own = (): void => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  get(text: string): LiveResult | undefined {
    return this.#byText.get(text)
  }
  /** Shares a result, unless another one has its place. */
  keep(text: string, result: LiveResult): void {
    if (!this.#byText.has(text)) this.#byText.set(text, result)
  }
  hydrate(text: string, entries: Entries): void {
    this.#hydrated.set(text, entries)
  }
  takeHydrated(text: string): Entries | undefined {
    const entries = this.#hydrated.get(text)
    this.#hydrated.delete(text)
    return entries
  }
  *loaded(): Iterable<readonly [string, Entries]> {
    for (const [text, result] of this.#byText) {
      const entries = result instanceof RemoteResult ? result.entries() : null
      if (entries !== null) yield [text, entries]
    }
  }

  /** The functions by which a result keeps its place here. */
  sharing(text: string): RemoteSharing {
    return {
      text,
      keep: (result) => this.keep(text, result),
      forget: (result) => {
        if (this.#byText.get(text) === result) this.#byText.delete(text)
      },
      isConnected: this.isConnected,
      setConnected: (result, isConnected) => {
        const before = this.isConnected()
        if (isConnected) this.#lost.delete(result)
        else this.#lost.add(result)
        if (this.isConnected() !== before) for (const listener of [...this.#listeners]) listener()
      },
    }
  }
}

const byOrigin = new WeakMap<object, Results>()

/** Refuses what is neither a store nor a connection. Throws a TypeError. */
export function checkOrigin(origin: object): void {
  if (typeof (origin as { dataClass?: unknown } | null | undefined)?.dataClass !== 'function')
    throw new TypeError('The connection must be what connect returned, or a store.')
}

/** The results of a store or connection. */
export function resultsOf(origin: object): Results {
  const results = byOrigin.get(origin) ?? new Results()
  byOrigin.set(origin, results)
  return results
}

/**
 * The result of a selection, or of a page of it; components with equal selections share it. Throws
 * what starting a live query of the selection throws.
 */
export function resultOf(selection: AnySelection, page: Page | null, select?: string): LiveResult {
  if (typeof selection?.liveIdentity !== 'function')
    throw new TypeError(
      'The hooks follow selections that have live queries, such as store.Employee.all().',
    )
  if (select !== undefined && isRemote(selection))
    throw new TypeError(
      'The option select is for stores in this process. Over HTTP, select from the selection: selection.select(paths).',
    )
  const result = isRemote(selection)
    ? remoteResult(selection, page ?? { skip: 0, top: Number.MAX_SAFE_INTEGER })
    : localResult(selection, page, select)
  result.expectUse()
  return result
}

function localResult(
  selection: LocalSelection,
  page: Page | null,
  select: string | undefined,
): LiveResult {
  const { isPage } = selection.liveIdentity()
  const followed =
    page !== null
      ? selection.page(page.skip, page.top)
      : isPage
        ? selection
        : selection.page(0, Number.POSITIVE_INFINITY)
  const identity = followed.liveIdentity()
  const results = resultsOf(identity.origin)
  const text = select === undefined ? identity.text : `${identity.text} select ${select}`
  const options = select === undefined ? {} : { select }
  const known = results.get(text)
  const result =
    known instanceof LocalResult
      ? known
      : new LocalResult(followed, identity, results.sharing(text), options)
  results.keep(text, result)
  result.refresh()
  return result
}

function remoteResult(selection: RemoteSelection, page: Page): LiveResult {
  const identity = selection.liveIdentity()
  const text = `${identity.text} ${page.skip} ${page.top}`
  const results = resultsOf(identity.origin)
  const known = results.get(text)
  if (known !== undefined) return known
  const hydrated = results.takeHydrated(text)
  const result = new RemoteResult(selection, identity, page, results.sharing(text), hydrated)
  results.keep(text, result)
  return result
}
