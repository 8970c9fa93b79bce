import type { AnyDataStore } from '@entia/core'
import { Names } from '../../engine/names.ts'
import { openApiDocument } from '../../render/openapi/document.ts'
import { limitsOf } from '../../request/limits.ts'
import { checkOptions, checkStore } from './check-options.ts'
import { MountPoints } from './mount-points.ts'
import type { RestOptions } from './rest-options.ts'

/**
 * The OpenAPI 3.1 document of a handler with these options, for callers who may know everything
 * exposed. JSON: an object of `openapi`, `info`, `paths`, `components`. Throws argumentInvalid as
 * `createRestHandler` does.
 */
export function openApiOf(
  store: AnyDataStore,
  options: RestOptions = {},
): { readonly [member: string]: unknown } {
  checkStore(store)
  checkOptions(options)
  const { page } = new MountPoints(options, limitsOf(options.limits), store.catalog.name).of('')
  const { info = {}, hasUsers = false, cookie = '' } = page.openApi ?? {}
  return openApiDocument(new Names(store.catalog, null), info, { ...page, hasUsers, cookie })
}
