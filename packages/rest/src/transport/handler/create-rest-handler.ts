import type { AnyDataStore } from '@entia/core'
import { needCapabilities } from '@entia/core/kit'
import type { AnyClaims } from '../../engine/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import { DEFAULT_HOST, type HandlerHost } from '../../engine/host.ts'
import { ENGINE, type EngineOptions, type Served } from '../../engine/served.ts'
import { createLocalEngine } from '../../local-engine/create-local-engine.ts'
import { limitsOf } from '../../request/limits.ts'
import { checkCatalogNames } from './catalogs.ts'
import { checkOptions, checkStore } from './check-options.ts'
import { createHandlerOf, type RestHandler } from './rest-handler.ts'
import type { RestOptions } from './rest-options.ts'

/**
 * Serves a store in memory, or any store with an engine of its own. It does not listen on a port:
 * pass `handle`, `fetch` or `toNodeHandler` to a host. Throws argumentInvalid for an invalid store,
 * and for unknown or invalid options.
 */
export function createRestHandler<Context = unknown, Claims extends object = AnyClaims>(
  store: AnyDataStore | Served,
  options: RestOptions<Context, Claims> = {},
): RestHandler {
  checkStore(store)
  checkOptions(options)
  const { maxWaitingReads } = limitsOf(options.limits)
  const host = hostOf(store)
  const { catalogs = {}, ...own } = options
  checkCatalogNames(catalogs, store.catalog)
  const further = Object.entries(catalogs).map(
    ([name, served]) => [name, engineOf(served, { host, maxWaitingReads })] as const,
  )
  return createHandlerOf(engineOf(store, { host, maxWaitingReads }), own, {
    host,
    further: new Map(further),
  })
}

/** The capabilities whose members the local engine uses. */
const NEEDED = [
  ...['serverState', 'views', 'slicedReads', 'texts', 'aggregates', 'grouping'],
  ...['explaining', 'liveQueries', 'observing', 'functions'],
]

const isServed = (store: AnyDataStore | Served): store is Served => ENGINE in store

function engineOf(store: AnyDataStore | Served, options: EngineOptions): Engine {
  if (isServed(store)) return store[ENGINE](options)
  needCapabilities(store, 'createRestHandler', NEEDED)
  return createLocalEngine(store, options.host.nextSlice, options.maxWaitingReads)
}

/** A store in memory has a clock of its own, which tests may have set. */
function hostOf(store: AnyDataStore | Served): HandlerHost {
  if (isServed(store)) return DEFAULT_HOST
  return { ...DEFAULT_HOST, monotonic: () => store.figures.uptimeMilliseconds }
}
