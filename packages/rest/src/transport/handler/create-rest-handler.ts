import type { AnyDataStore } from '@entia/core'
import type { AnyClaims } from '../../engine/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import { hostEvery, hostNextSlice } from '../../engine/time-slices.ts'
import { createLocalEngine } from '../../local-engine/create-local-engine.ts'
import { limitsOf } from '../../request/limits.ts'
import { checkCatalogNames } from './catalogs.ts'
import { checkOptions, checkStore } from './check-options.ts'
import { createHandlerOf, type RestHandler } from './rest-handler.ts'
import type { RestOptions } from './rest-options.ts'

/**
 * Serves a store. It does not listen on a port: pass `handle`, `fetch` or `toNodeHandler` to a
 * host. Throws argumentInvalid for an invalid store, and for unknown or invalid options.
 */
export function createRestHandler<Context = unknown, Claims extends object = AnyClaims>(
  store: AnyDataStore,
  options: RestOptions<Context, Claims> = {},
): RestHandler {
  checkStore(store)
  checkOptions(options)
  const { maxWaitingReads } = limitsOf(options.limits)
  const engineOf = (served: AnyDataStore): Engine =>
    createLocalEngine(served, hostNextSlice, hostEvery, maxWaitingReads)
  const { catalogs = {}, ...own } = options
  checkCatalogNames(catalogs, store.catalog)
  const further = Object.entries(catalogs).map(
    ([name, served]) => [name, engineOf(served)] as const,
  )
  return createHandlerOf(engineOf(store), own, new Map(further))
}
