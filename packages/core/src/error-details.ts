/** What is wrong with an attribute. */
export interface OfAttribute {
  readonly dataClass: string
  readonly attribute: string
}

/** The codes that this package throws, each with the facts of its message. */
export interface CoreErrorDetails {
  // thrown by several modules: texts below
  argumentInvalid: { readonly argument: string; readonly expected: string; readonly found: string }
  budgetExceeded: { readonly what: string; readonly limit: number; readonly option: string }
  dataClassNotFound: { readonly dataClass: string; readonly known?: readonly string[] }
  attributeNotFound: OfAttribute & { readonly known?: readonly string[] }
  attributeNotApplicable: OfAttribute & { readonly use: string; readonly remedy: string }
  attributeNotSortable: OfAttribute & { readonly remedy: string }
  attributeReadOnly: OfAttribute & { readonly remedy: string }
  functionNotFound: { readonly owner: string; readonly name: string; readonly remedy?: string }
  /**
   * What a function of the application throws to refuse a call: adapters show both. `errCode` is at
   * least 10000.
   */
  functionRefused: { readonly errCode: number; readonly message: string }
  promiseReturned: { readonly where: string; readonly remedy: string }
  orderBySyntax: { readonly orderBy: string; readonly offset: number; readonly expected: string }
  entityNotFound: {
    readonly dataClass: string
    readonly key: string
    /** Of a key whose type no entity has. */
    readonly hint?: string
  }
  entitySetNotFound: { readonly id: string }
  valueInvalid: OfAttribute & { readonly expected: string; readonly found: string }
  relationTargetMissing: OfAttribute & { readonly target: string; readonly key: string }
  validationFailed: {
    readonly dataClass: string
    readonly key: string | null
    readonly failures: readonly NestedError[]
  }
  hookTooDeep: { readonly dataClass: string; readonly hook: string; readonly limit: number }
  // model/names.ts
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
  filterCannotBeAnalysed: {
    readonly filter: string
    readonly offset: number
    readonly problem: string
  }
  filterTooLarge: { readonly what: string; readonly limit: number; readonly option: string }
  placeholderMissing: { readonly placeholder: string; readonly problem: string }
  placeholderWrongType: { readonly placeholder: string; readonly problem: string }
  parameterUnused: { readonly parameter: string; readonly remedy: string }
  formulaNotAllowed: { readonly filter: string; readonly offset: number }
  // write/write-errors.ts
  keyNull: OfAttribute
  keyEmpty: OfAttribute
  keyNotUnique: { readonly dataClass: string; readonly key: string }
  uniqueViolation: OfAttribute
  notNullViolation: OfAttribute
  valueTooSmall: OfAttribute & { readonly min: number }
  valueTooLarge: OfAttribute & { readonly max: number }
  textTooShort: OfAttribute & { readonly minLength: number }
  textTooLong: OfAttribute & { readonly maxLength: number }
  patternMismatch: OfAttribute & { readonly pattern: string }
  removeRestricted: { readonly dataClass: string; readonly key: string; readonly by: string }
  stampChanged: {
    readonly dataClass: string
    readonly key: string
    readonly given: number
    readonly stored: number
    readonly recordNumber: number
  }
  sequenceExhausted: OfAttribute
  sequenceWouldEnd: OfAttribute & { readonly given: number; readonly last: number }
  hookRefused: {
    readonly dataClass: string
    /** What the refusal is about, if the hook names it. */
    readonly attribute?: string
    readonly hook: string
    readonly errCode: number
    readonly message: string
  }
  hookFailed: { readonly dataClass: string; readonly hook: string; readonly problem: string }
  // write/write-errors.ts, loads
  loadRefused: {
    readonly dataClass: string
    readonly rowNumber: number
    readonly problem: string
    /** Rows of earlier commits of the same load, which stay; none unless given. */
    readonly stored?: number
  }
  // storage/stored-key.ts
  historyTrimmed: { readonly requested: number; readonly oldest: number }
  /** Bytes as dumps and journals have them. */
  entityTooLarge: {
    readonly dataClass: string
    readonly key: string
    readonly bytes: number
    readonly limit: number
  }
  commitTooLarge: { readonly bytes: number; readonly limit: number }
  // query/selection-port.ts
  selectionMismatch: { readonly left: string; readonly right: string }
  // write/write-errors.ts, of the store
  storeBroken: { readonly problem: string }
  storeClosed: { readonly store: string }
  notInTransaction: { readonly operation: string; readonly remedy: string }
  // write/write-errors.ts, snapshots
  snapshotForeign: { readonly problem: string }
  // storage/stored-key.ts, indexes
  indexInvalid: OfAttribute & { readonly problem: string }
  // server-state/server-state-limits.ts
  tooManySessions: {
    readonly limit: number
    readonly option: string
    /** Until the first of these sessions ends if it is not used. */
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
  // view/past-store.ts
  pastReadOnly: { readonly operation: string; readonly globalStamp: number }
  // store/dump/line-writer.ts
  /**
   * `position`: how many bytes of a journal are whole. `isOtherModel`: it is whole, and of other
   * dataclasses.
   */
  dumpInvalid: {
    readonly problem: string
    readonly what?: 'journal'
    readonly remedy?: string
    readonly position?: number
    readonly isOtherModel?: true
  }
  // persistence/journal/journal-errors.ts
  /** `isKept`: only the dump of a compaction failed, and the journal files keep every commit. */
  journalFailed: {
    readonly file: string
    readonly problem: string
    readonly remedy: string
    readonly isKept?: boolean
  }
  /** `isOwn`: the process is this one. */
  folderInUse: {
    readonly folder: string
    readonly process: string
    readonly file: string
    readonly isOwn: boolean
  }
  notWriter: { readonly journal: string; readonly problem: string; readonly remedy: string }
  outcomeUnknown: { readonly journal: string; readonly problem: string }
  journalRemoved: { readonly journal: string }
}

/**
 * The codes of every package in the program: a package adds its own by declaration merging, as
 * `@entia/rest` does.
 */
export interface ErrorDetails extends CoreErrorDetails {}

export type ErrorCode = keyof ErrorDetails

/** An `EntiaError` within the details of another one. */
export interface NestedError extends Error {
  readonly name: 'EntiaError'
  readonly code: ErrorCode
  readonly errCode: number
  readonly errors: readonly ErrorEntry[]
  readonly details: ErrorDetails[ErrorCode]
}

/** One of the errors that led to another one. */
export interface ErrorEntry {
  readonly message: string
  readonly errCode: number
}

/**
 * The members that `EntiaError` shares with the errors of stores elsewhere. Code that reads only
 * these works with every `AsyncStore`.
 */
export interface StoreError extends Error {
  /** The number of the error, the same in both; null if there is none. */
  readonly errCode: number | null
  /** The errors that led to this one, the deepest cause first. */
  readonly errors: readonly ErrorEntry[]
}

/**
 * How an error of one code reads. `errCode` is the protocol's number; 9000 to 9499 are ours, from
 * 10 000 on the application's.
 */
export interface ErrorText<D> {
  readonly errCode: number | ((details: D) => number)
  readonly message: (details: D) => string
}

/** The texts of some codes. */
export type ErrorTexts<C extends ErrorCode> = { readonly [K in C]: ErrorText<ErrorDetails[K]> }
