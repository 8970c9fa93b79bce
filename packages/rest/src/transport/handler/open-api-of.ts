import type { AnyDataStore } from '@entia/core'
import { Names, type Served } from '@entia/engine'
import { openApiOfCaller } from '../../render/render.ts'
import { limitsOf } from '../../request/limits.ts'
import { checkOptions, checkStore } from './check-options.ts'
import { mountPointsOf } from './mount-points.ts'
import { plainServiceOf } from './plain-service.ts'
import type { RestOptions } from './rest-options.ts'

/**
 * The OpenAPI 3.1 document of a handler with these options, for callers who may know everything
 * exposed. JSON: an object of `openapi`, `info`, `paths`, `components`. Throws argumentInvalid as
 * `createRestHandler` does.
 *
 * @example
 * ```ts
 * const document = openApiOf(store, { openapi: true }) as { readonly openapi: string }
 * document.openapi // → 3.1.0
 * ```
 */
export function openApiOf(
  store: AnyDataStore | Served,
  options: RestOptions = {},
): { readonly [member: string]: unknown } {
  checkStore(store)
  checkOptions(options)
  const { catalog } = store
  const limits = limitsOf(options.limits)
  const plain = plainServiceOf(options, catalog, limits)
  const { page } = mountPointsOf(options, limits, catalog.name, plain)('')
  return openApiOfCaller(new Names(catalog, null), page)
}
