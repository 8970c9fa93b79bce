import type { Entries } from './remote-result.ts'
import { checkOrigin, resultOf, resultsOf } from './results.ts'
import type { AnySelection, Page } from './selection.ts'

/** What `dehydrate` returns, as JSON: entities by key, by the text of their selection. */
export interface Dehydrated {
  readonly [text: string]: Entries
}

/**
 * Requests the results of selections before a component shows them: in a route's loader, in an
 * event handler, or at the start of a component that shows several. Resolves when all have arrived;
 * rejects if one is refused, and the component that shows it throws the same error. What no
 * component shows within ten seconds is dropped.
 *
 * @example
 * ```ts
 * await preload(client.Employee.all(), client.Company.all())
 * ```
 */
export function preload(...selections: readonly AnySelection[]): Promise<void> {
  return loadAll(selections.map((selection) => [selection, null]))
}

/**
 * The same for one page of a selection.
 *
 * @example
 * ```ts
 * await preloadPage(client.Employee.all().orderBy('lastName'), { skip: 0, top: 20 })
 * ```
 */
export function preloadPage(selection: AnySelection, page: Page): Promise<void> {
  if (!isObject(page) || typeof page.skip !== 'number' || typeof page.top !== 'number')
    throw new TypeError('The page must be { skip, top }: two numbers.')
  return loadAll([[selection, page]])
}

function loadAll(requests: readonly (readonly [AnySelection, Page | null])[]): Promise<void> {
  const results = requests.map(([selection, page]) => resultOf(selection, page).load())
  const loaded = Promise.all(results).then(() => {})
  // Callers that render do not wait for it.
  loaded.catch(() => {})
  return loaded
}

/**
 * The results that a connection has loaded, to send them with the page that shows them.
 *
 * @example
 * ```ts
 * import { preload } from '@entia/react'
 * await preload(client.Employee.all())
 * const sent = JSON.stringify(dehydrate(client)).replaceAll('<', '\\u003c')
 * ```
 */
export function dehydrate(connection: object): Dehydrated {
  checkOrigin(connection)
  return Object.fromEntries(resultsOf(connection).loaded())
}

/**
 * Takes the results that the server sent with the page, before `hydrateRoot`. Throws a `TypeError`
 * if they are not from `dehydrate`.
 *
 * @example
 * ```ts
 * import { dehydrate } from '@entia/react'
 * hydrate(client, JSON.parse(JSON.stringify(dehydrate(client))))
 * ```
 */
export function hydrate(connection: object, dehydrated: Dehydrated): void {
  checkOrigin(connection)
  if (!isObject(dehydrated)) throw new TypeError('The results must be what dehydrate() returned.')
  const results = resultsOf(connection)
  for (const [text, entries] of Object.entries<unknown>(dehydrated)) {
    if (!isEntries(entries))
      throw new TypeError(
        `The results of "${text}" are not a list of keys and entities. Pass what dehydrate() returned.`,
      )
    results.hydrate(text, entries)
  }
}

const isEntries = (value: unknown): value is Entries => Array.isArray(value) && value.every(isEntry)

const isEntry = (entry: unknown): boolean =>
  Array.isArray(entry) && (entry.length === 2 || (entry.length === 3 && isObject(entry[2])))
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
