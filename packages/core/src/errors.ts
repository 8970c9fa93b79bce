/**
 * The one error class, the codes of this package, and the texts of those codes that several modules throw. The text of any other code stands
 * in the module that throws it, so that a bundler drops the text with the module. `error-tables.ts` lists all of them.
 */

/** The codes that this package throws, each with the facts of its message. */
export interface CoreErrorDetails {
  // thrown by several modules: texts below
  argumentInvalid: { readonly argument: string; readonly expected: string; readonly found: string }
  budgetExceeded: { readonly what: string; readonly limit: number; readonly option: string }
  dataClassNotFound: { readonly dataClass: string }
  attributeNotFound: { readonly dataClass: string; readonly attribute: string; readonly known?: readonly string[] }
  attributeNotApplicable: {
    readonly dataClass: string
    readonly attribute: string
    readonly use: string
    readonly remedy: string
  }
  attributeNotSortable: { readonly dataClass: string; readonly attribute: string; readonly remedy: string }
  attributeReadOnly: { readonly dataClass: string; readonly attribute: string; readonly remedy: string }
  functionNotFound: { readonly owner: string; readonly name: string; readonly remedy?: string }
  /** What a function of the application throws to refuse a call: adapters show both. `errCode` is at least 10000. */
  functionRefused: { readonly errCode: number; readonly message: string }
  promiseReturned: { readonly where: string; readonly remedy: string }
  orderBySyntax: { readonly orderBy: string; readonly offset: number; readonly expected: string }
  entityNotFound: { readonly dataClass: string; readonly key: string }
  entitySetNotFound: { readonly id: string }
  valueInvalid: {
    readonly dataClass: string
    readonly attribute: string
    readonly expected: string
    readonly found: string
  }
  relationTargetMissing: {
    readonly dataClass: string
    readonly attribute: string
    readonly target: string
    readonly key: string
  }
  validationFailed: {
    readonly dataClass: string
    readonly key: string | null
    readonly failures: readonly EntiaError[]
  }
  hookTooDeep: { readonly dataClass: string; readonly hook: string; readonly limit: number }
  // model/model-invalid.ts
  modelInvalid: {
    readonly dataClass: string
    readonly attribute: string | null
    readonly problem: string
    readonly remedy: string
  }
  // filter/filter-errors.ts
  filterSyntax: { readonly filter: string; readonly offset: number; readonly expected: string }
  /** `expected` is given where no comparison operator can stand. */
  filterOperator: {
    readonly filter: string
    readonly offset: number
    readonly found: string
    readonly expected?: string
  }
  filterCannotBeAnalysed: { readonly filter: string; readonly offset: number; readonly problem: string }
  filterTooLarge: { readonly what: string; readonly limit: number; readonly option: string }
  placeholderMissing: { readonly placeholder: string; readonly problem: string }
  placeholderWrongType: { readonly placeholder: string; readonly problem: string }
  formulaNotAllowed: { readonly filter: string; readonly offset: number }
  // transaction/write-errors.ts
  keyNull: { readonly dataClass: string; readonly attribute: string }
  keyEmpty: { readonly dataClass: string; readonly attribute: string }
  keyNotUnique: { readonly dataClass: string; readonly key: string }
  uniqueViolation: { readonly dataClass: string; readonly attribute: string }
  notNullViolation: { readonly dataClass: string; readonly attribute: string }
  valueTooSmall: { readonly dataClass: string; readonly attribute: string; readonly min: number }
  valueTooLarge: { readonly dataClass: string; readonly attribute: string; readonly max: number }
  textTooShort: { readonly dataClass: string; readonly attribute: string; readonly minLength: number }
  textTooLong: { readonly dataClass: string; readonly attribute: string; readonly maxLength: number }
  patternMismatch: { readonly dataClass: string; readonly attribute: string; readonly pattern: string }
  removeRestricted: { readonly dataClass: string; readonly key: string; readonly by: string }
  stampChanged: {
    readonly dataClass: string
    readonly key: string
    readonly given: number
    readonly stored: number
    readonly recordNumber: number
  }
  sequenceExhausted: { readonly dataClass: string; readonly attribute: string }
  sequenceWouldEnd: {
    readonly dataClass: string
    readonly attribute: string
    readonly given: number
    readonly last: number
  }
  hookRefused: { readonly dataClass: string; readonly hook: string; readonly errCode: number; readonly message: string }
  hookFailed: { readonly dataClass: string; readonly hook: string; readonly problem: string }
  // transaction/load-errors.ts
  loadRefused: { readonly dataClass: string; readonly rowNumber: number; readonly problem: string }
  // storage/storage-errors.ts
  historyTrimmed: { readonly requested: number; readonly oldest: number }
  /** Bytes as dumps and journals have them. */
  entityTooLarge: { readonly dataClass: string; readonly key: string; readonly bytes: number; readonly limit: number }
  commitTooLarge: { readonly bytes: number; readonly limit: number }
  // selection/selection-errors.ts
  selectionMismatch: { readonly left: string; readonly right: string }
  // write/store-errors.ts
  storeBroken: { readonly problem: string }
  storeClosed: { readonly store: string }
  notInTransaction: { readonly operation: string; readonly remedy: string }
  // write/snapshot-errors.ts
  snapshotForeign: { readonly problem: string }
  // store/index-errors.ts
  indexInvalid: { readonly dataClass: string; readonly attribute: string; readonly problem: string }
  // server-state/server-state-errors.ts
  tooManySessions: {
    readonly limit: number
    readonly option: string
    /** Until the first of those in the way ends, if nobody uses it. */
    readonly retryAfterSeconds: number
  }
  entityLocked: {
    readonly dataClass: string
    readonly key: string
    readonly recordNumber: number
    /** The session that holds the lock, without its secret. */
    readonly holder: {
      readonly id: string
      readonly host: string
      readonly ipAddress: string
      readonly userAgent: string
    }
  }
  // past/past-errors.ts
  pastReadOnly: { readonly operation: string; readonly globalStamp: number }
  // dump/dump-errors.ts
  /** `position`: how many bytes of a journal are whole. */
  dumpInvalid: {
    readonly problem: string
    readonly what?: 'journal'
    readonly remedy?: string
    readonly position?: number
  }
  // node/journal-errors.ts
  journalFailed: { readonly file: string; readonly problem: string; readonly remedy: string }
  /** `isOwn`: the process is this one. */
  folderInUse: { readonly folder: string; readonly process: string; readonly file: string; readonly isOwn: boolean }
}

/** The codes of every package in the program: a package adds its own by declaration merging, as `@entia/rest` does. */
export interface ErrorDetails extends CoreErrorDetails {}

export type ErrorCode = keyof ErrorDetails

/** How an error of one code reads. `errCode` is the protocol's number; 9000 to 9499 are ours, from 10 000 on the application's. */
export interface ErrorText<D> {
  readonly errCode: number | ((details: D) => number)
  readonly message: (details: D) => string
}

/** The texts of some codes. */
export type ErrorTexts<C extends ErrorCode> = { readonly [K in C]: ErrorText<ErrorDetails[K]> }

/** Creates the errors of one table of texts. */
export type ErrorFactory<C extends ErrorCode> = <K extends C>(
  code: K,
  details: ErrorDetails[K],
  options?: ErrorOptions,
) => EntiaError<K>

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
  argumentInvalid: { errCode: 9056, message: (d) => `${d.argument} must be ${d.expected}, not ${d.found}.` },
  budgetExceeded: {
    errCode: 9055,
    message: (d) => `The request is too expensive: ${d.what} above ${d.limit} (option "${d.option}").`,
  },
  dataClassNotFound: { errCode: 1800, message: (d) => `The "${d.dataClass}" dataclass cannot be found.` },
  attributeNotFound: {
    errCode: 1500,
    message: (d) => `The "${d.attribute}" attribute cannot be found in the "${d.dataClass}" dataclass.${list(d.known)}`,
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
    message: (d) => `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass is read-only. ${d.remedy}`,
  },
  functionNotFound: {
    errCode: 1827,
    message: (d) => `${d.owner} has no function "${d.name}".${d.remedy === undefined ? '' : ` ${d.remedy}`}`,
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
    message: (d) => `Cannot find entity with "${d.key}" key in the "${d.dataClass}" dataclass.`,
  },
  entitySetNotFound: {
    errCode: 1802,
    message: (d) => `The "${d.id}" entity set cannot be found: it expired, was released or never created.`,
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

/** The codes that `new EntiaError(code, details)` takes without a text. */
export type CommonErrorCode = keyof typeof COMMON_ERRORS

/**
 * The error of every refused call. `code` is its name, `errCode` the protocol's number, `details` the facts;
 * `cause` holds the deeper error where one led to this one.
 */
export class EntiaError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'EntiaError'
  readonly code: C
  readonly errCode: number
  readonly details: ErrorDetails[C]

  constructor(code: C & CommonErrorCode, details: ErrorDetails[C], options?: ErrorOptions)
  constructor(code: C, details: ErrorDetails[C], options: ErrorOptions | undefined, text: ErrorText<ErrorDetails[C]>)
  constructor(code: C, details: ErrorDetails[C], options?: ErrorOptions, given?: ErrorText<ErrorDetails[C]>) {
    const text = given ?? (COMMON_ERRORS as Partial<ErrorTexts<ErrorCode>>)[code]
    if (text === undefined) throw new TypeError(`EntiaError "${code}" needs a text: give it as the fourth argument.`)
    super(text.message(details), options)
    this.code = code
    this.details = details
    this.errCode = typeof text.errCode === 'number' ? text.errCode : text.errCode(details)
  }
}

/** True for an `EntiaError`, of one code when named; narrows `details`. */
export function isEntiaError<C extends ErrorCode = ErrorCode>(error: unknown, code?: C): error is EntiaError<C> {
  return error instanceof EntiaError && (code === undefined || error.code === code)
}

/** A broken promise of our own code: never the caller's fault. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Entia invariant broken: ${message}`)
}

/** Ends a switch over a union: a forgotten variant does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Entia invariant broken: unexpected variant ${String(value)}`)
}
