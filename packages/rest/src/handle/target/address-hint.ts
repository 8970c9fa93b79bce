import { EntiaError, isEntiaError } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'
import type { DataRequest } from '../../request/request.ts'

/**
 * The error of a name in a path that is not an attribute, with what the caller may have meant: the
 * key of an entity, `/Book/7`, or a function that is not exposed. Other errors are returned as they
 * are. The hint depends on the request alone, so it does not reveal what is hidden.
 */
export function withAddressHint(error: unknown, { address, verb }: DataRequest): unknown {
  if (!(error instanceof EntiaError) || !isEntiaError(error.cause, 'attributeNotFound'))
    return error
  const { cause } = error
  const { attribute, dataClass } = cause.details
  const isPart = address.parts.some(
    (part) => part.kind === 'names' && part.names.length === 1 && part.names[0] === attribute,
  )
  if (!isPart || dataClass !== address.dataClass) return error
  if (verb !== 'POST' && address.selector !== null) return error
  const hint =
    verb === 'POST'
      ? 'Clients can call functions with "exposed: true".'
      : `An entity is addressed by its key in brackets: ${dataClass}[…].`
  const details = { dataClass, attribute }
  const explained = new EntiaError('attributeNotFound', cause.details, undefined, {
    errCode: cause.errCode,
    message: () => `${cause.message} ${hint}`,
  })
  return restError('attributeListInvalid', details, { cause: explained })
}
