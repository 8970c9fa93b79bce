import { EntiaError, type ErrorCode, type ErrorDetails } from '@entia/core'
import { describe, expect, test } from 'vitest'
import { restError } from '../../src/errors/rest-error.ts'
import { renderError } from '../../src/render/render.ts'
import {
  errorStack,
  publicError,
  saveStatusOf,
  statusOfBatch,
  statusOfError,
} from '../../src/render/status.ts'

/** An error whose text core does not show to clients. */
const ofCore = <C extends ErrorCode>(
  code: C,
  errCode: number,
  details: ErrorDetails[C],
  cause?: unknown,
) => new EntiaError(code, details, { cause }, { errCode, message: () => code })

const unknown = new EntiaError('attributeNotFound', { dataClass: 'C', attribute: 'a' })
const missing = new EntiaError('entityNotFound', { dataClass: 'C', key: '9' })
const small = ofCore('valueTooSmall', 1568, { dataClass: 'C', attribute: 'a', min: 1 })
const short = ofCore('textTooShort', 1591, { dataClass: 'C', attribute: 'b', minLength: 1 })
const invalid = new EntiaError('validationFailed', {
  dataClass: 'C',
  key: null,
  failures: [small, short],
})
const unsaved = (cause: EntiaError) =>
  restError('entityCannotBeSaved', { dataClass: 'C', key: null, problem: cause.message }, { cause })

describe('statuses', () => {
  test('an unknown attribute is 404 in addresses and lists, 400 in filters and bodies', () => {
    const list = restError(
      'attributeListInvalid',
      { dataClass: 'C', attribute: 'a' },
      { cause: unknown },
    )
    const filter = ofCore(
      'filterCannotBeAnalysed',
      1201,
      { filter: 'a=1', offset: 0, problem: '' },
      unknown,
    )
    expect([list, filter, unsaved(unknown)].map(statusOfError)).toEqual([404, 400, 400])
  })

  test('a malformed key is 404 in an address, 400 in a body', () => {
    const key = restError('keyMalformed', { dataClass: 'C', key: 'x', problem: '' })
    expect([key, unsaved(key)].map(statusOfError)).toEqual([404, 400])
  })

  test('a batch has the status of its first failure, or 207 if some items were saved', () => {
    expect(statusOfBatch([], true)).toBe(200)
    expect(statusOfBatch([missing, unsaved(invalid)], false)).toBe(404)
    expect(statusOfBatch([unsaved(invalid), missing], false)).toBe(422)
    expect(statusOfBatch([missing], true)).toBe(207)
  })

  test('the number of a failed save is that of its deepest cause', () => {
    expect(saveStatusOf(unsaved(invalid))).toEqual({
      status: 7,
      statusText: 'Mild Validation Error',
    })
    expect(saveStatusOf(missing)).toBeNull()
  })
})

describe('__ERROR', () => {
  test('lists the deepest cause first, every broken rule among them', () => {
    expect(errorStack(unsaved(invalid)).map(({ errCode }) => errCode)).toEqual([
      1568, 1591, 1570, 1534,
    ])
  })

  test('only protocol numbers carry the component of the protocol', () => {
    const ours = restError('parameterTwice', { parameter: '$top' })
    const theirs = ofCore('hookRefused', 10001, {
      dataClass: 'C',
      hook: 'validateSave',
      errCode: 10001,
      message: 'no',
    })
    expect(
      [unknown, ours, theirs].flatMap(errorStack).map((entry) => entry.componentSignature),
    ).toEqual(['dbmg', 'entia', 'app'])
  })

  test('a defect of the server is reported without its message', () => {
    const reply = renderError(publicError(new TypeError('x is not a function')))
    expect(reply.status).toBe(500)
    expect(reply.body).not.toContain('not a function')
  })
})
