import type {
  CoreErrorDetails,
  ErrorCode,
  ErrorDetails,
  ErrorEntry,
  ErrorText,
  ErrorTexts,
  StoreError,
} from './error-details.ts'

/**
 * The one error class. `error-details.ts` has the codes of this package, `COMMON_ERRORS` the
 * texts of those that several modules throw. The text of any other code stands in the module that
 * throws it, so that a bundler drops the text with the module. `error-tables.ts` lists all of them.
 */

export type { ErrorEntry, ErrorTexts } from './error-details.ts'

/** The codes that `new EntiaError(code, details)` takes without a text. */
export type CommonErrorCode = keyof typeof COMMON_ERRORS

/** Creates the errors of one table of texts. */
export type ErrorFactory<C extends ErrorCode> = <K extends C>(
  code: K,
  details: ErrorDetails[K],
  options?: ErrorOptions,
) => EntiaError<K>

/**
 * The error of every call that fails because of its caller. `code` is the name of the error,
 * `errCode` its number, `details` the facts of its message. `cause` is the deeper error, if one led
 * to this one.
 */
export class EntiaError<C extends ErrorCode = ErrorCode> extends Error implements StoreError {
  override readonly name = 'EntiaError'
  readonly code: C
  readonly errCode: number
  readonly details: ErrorDetails[C]

  /** An error of which core has the text in every bundle, such as `functionRefused`. */
  constructor(code: C & CommonErrorCode, details: ErrorDetails[C], options?: ErrorOptions)
  /** Any other error. The caller gives the text. */
  constructor(
    code: C,
    details: ErrorDetails[C],
    options: ErrorOptions | undefined,
    text: ErrorText<ErrorDetails[C]>,
  )
  constructor(
    code: C,
    details: ErrorDetails[C],
    options?: ErrorOptions,
    given?: ErrorText<ErrorDetails[C]>,
  ) {
    const text = given ?? (COMMON_ERRORS as Partial<ErrorTexts<ErrorCode>>)[code]
    if (text === undefined)
      throw new TypeError(`EntiaError "${code}" needs a text: give it as the fourth argument.`)
    super(text.message(details), options)
    this.code = code
    this.details = details
    this.errCode = typeof text.errCode === 'number' ? text.errCode : text.errCode(details)
  }

  /** The errors that led to this one, the deepest cause first, and this one. */
  get errors(): readonly ErrorEntry[] {
    const { cause, details, message, errCode } = this
    const { failures = [] } = details as { readonly failures?: readonly unknown[] }
    const inner = [cause, ...failures].flatMap((each) => (isEntiaError(each) ? each.errors : []))
    return [...inner, { message, errCode }]
  }
}

/**
 * True for an `EntiaError`, and if a code is given, only for one with this code. Narrows `details`.
 *
 * @example
 * ```ts
 * let failure: unknown
 * try { store.Employee.insert({ salary: -1 }) } catch (error) { failure = error }
 * isEntiaError(failure, 'validationFailed') // → true
 * ```
 */
export function isEntiaError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: C,
): error is EntiaError<C> {
  return error instanceof EntiaError && (code === undefined || error.code === code)
}

const MISUSES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'argumentInvalid',
  'attributeNotApplicable',
  'attributeNotFound',
  'attributeNotSortable',
  'dataClassNotFound',
  'filterCannotBeAnalysed',
  'filterOperator',
  'filterSyntax',
  'filterTooLarge',
  'formulaNotAllowed',
  'functionNotFound',
  'orderBySyntax',
  'parameterUnused',
  'placeholderMissing',
  'placeholderWrongType',
  'selectionMismatch',
])

/**
 * True for an error about the names, filters and arguments of a call. If code of the application
 * made the call, the fault is its own and not that of its caller, who must not see its words.
 */
export const isMisuse = (error: unknown): error is EntiaError =>
  isEntiaError(error) && MISUSES.has(error.code)

/**
 * Throws if a condition is false that our own code guarantees: a mistake of ours, never of the
 * caller.
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Entia invariant broken: ${message}`)
}

/** The error for work beyond a limit. `option` names what raises it. */
export const overBudget = (what: string, limit: number, option: string): EntiaError =>
  new EntiaError('budgetExceeded', { what, limit, option })

/** Ends a switch over a union: a forgotten variant does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Entia invariant broken: unexpected variant ${String(value)}`)
}

/** The text around a place in it, with a caret below that place. */
export const caret = (text: string, offset: number): string => {
  const from = Math.max(0, offset - 60)
  const shown = text.slice(from, offset + 60).replace(/[\t\r\n]/g, ' ')
  return `\n  ${from > 0 ? '…' : ''}${shown}\n  ${' '.repeat(offset - from + (from > 0 ? 1 : 0))}^`
}
const list = (names: readonly string[] | undefined): string =>
  names === undefined || names.length === 0
    ? ''
    : ` Known: ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}.`

/** Texts of the errors that several modules throw, other packages and applications among them. */
export const COMMON_ERRORS = {
  argumentInvalid: {
    errCode: 9056,
    message: (d) => `${d.argument} must be ${d.expected}, not ${d.found}.`,
  },
  budgetExceeded: {
    errCode: 9055,
    message: (d) =>
      `The request is too expensive: ${d.what} above ${d.limit} (option "${d.option}").`,
  },
  dataClassNotFound: {
    errCode: 1800,
    message: (d) => `The "${d.dataClass}" dataclass cannot be found.${list(d.known)}`,
  },
  attributeNotFound: {
    errCode: 1500,
    message: (d) =>
      `The "${d.attribute}" attribute cannot be found in the "${d.dataClass}" dataclass.${list(d.known)}`,
  },
  attributeNotApplicable: {
    errCode: 1508,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass cannot be used for ${d.use}. ${d.remedy}`,
  },
  attributeNotSortable: {
    errCode: 1594,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass cannot be used for sorting. ${d.remedy}`,
  },
  attributeReadOnly: {
    errCode: 1516,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass is read-only. ${d.remedy}`,
  },
  functionNotFound: {
    errCode: 1827,
    message: (d) =>
      `${d.owner} has no function "${d.name}".${d.remedy === undefined ? '' : ` ${d.remedy}`}`,
  },
  functionRefused: { errCode: (d) => d.errCode, message: (d) => d.message },
  promiseReturned: {
    errCode: 9011,
    message: (d) => `${d.where} returned a promise, but the store is synchronous. ${d.remedy}`,
  },
  orderBySyntax: {
    errCode: 1810,
    message: (d) =>
      `The order is malformed at character ${d.offset + 1}: expected ${d.expected}.${caret(d.orderBy, d.offset)}`,
  },
  entityNotFound: {
    errCode: 1542,
    message: (d) =>
      `Cannot find entity with "${d.key}" key in the "${d.dataClass}" dataclass.${d.hint === undefined ? '' : ` ${d.hint}`}`,
  },
  entitySetNotFound: {
    errCode: 1802,
    message: (d) =>
      `The "${d.id}" entity set cannot be found: it expired, was released or never created.`,
  },
  valueInvalid: {
    errCode: 9032,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass takes ${d.expected}, not ${d.found}.`,
  },
  relationTargetMissing: {
    errCode: 9033,
    message: (d) =>
      `The "${d.attribute}" relation of the "${d.dataClass}" dataclass points to "${d.key}", which does not exist in the "${d.target}" dataclass.`,
  },
  validationFailed: {
    errCode: 1570,
    message: (d) =>
      `${d.key === null ? `The new entity of the "${d.dataClass}" dataclass` : `Entity# ${d.key} of the "${d.dataClass}" dataclass`} fails validation: ${d.failures.map((f) => f.message).join(' ')}`,
  },
  hookTooDeep: {
    errCode: 9041,
    message: (d) =>
      `The hook "${d.hook}" of the "${d.dataClass}" dataclass called the store more than ${d.limit} levels deep.`,
  },
} satisfies Partial<ErrorTexts<keyof CoreErrorDetails>>
