/**
 * The one error class and the one table of codes. A row gives the protocol's number (`errCode`; 9000-9499 are ours,
 * 10000 and above the application's) and the message, built from checked details and never at the throw.
 */

/** Every failure a caller can provoke, with the facts its message needs. */
export interface ErrorDetails {
  // the model
  modelInvalid: {
    readonly dataClass: string
    readonly attribute: string | null
    readonly problem: string
    readonly remedy: string
  }
  dataClassNotFound: { readonly dataClass: string }
  attributeNotFound: { readonly dataClass: string; readonly attribute: string; readonly known?: readonly string[] }
  attributeNotApplicable: {
    readonly dataClass: string
    readonly attribute: string
    readonly use: string
    readonly remedy: string
  }
  attributeReadOnly: { readonly dataClass: string; readonly attribute: string; readonly remedy: string }
  attributeNotSortable: { readonly dataClass: string; readonly attribute: string; readonly remedy: string }
  functionNotFound: { readonly owner: string; readonly name: string; readonly remedy?: string }
  functionFailed: { readonly owner: string; readonly name: string; readonly problem: string }
  /** What a function of the application throws to refuse a call: clients are shown both. `errCode` from 10000. */
  functionRefused: { readonly errCode: number; readonly message: string }
  functionParameterInvalid: { readonly name: string; readonly position: number; readonly problem: string }
  promiseReturned: { readonly where: string; readonly remedy: string }
  // the query language
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
  orderBySyntax: { readonly orderBy: string; readonly offset: number; readonly expected: string }
  // entities and writes
  entityNotFound: { readonly dataClass: string; readonly key: string }
  entityCannotBeLoaded: { readonly dataClass: string; readonly key: string; readonly problem?: string }
  keyMalformed: { readonly dataClass: string; readonly key: string; readonly problem: string }
  keyNull: { readonly dataClass: string; readonly attribute: string }
  keyEmpty: { readonly dataClass: string; readonly attribute: string }
  keyNotUnique: { readonly dataClass: string; readonly key: string }
  uniqueViolation: { readonly dataClass: string; readonly attribute: string }
  notNullViolation: { readonly dataClass: string; readonly attribute: string }
  valueInvalid: {
    readonly dataClass: string
    readonly attribute: string
    readonly expected: string
    readonly found: string
  }
  valueTooSmall: { readonly dataClass: string; readonly attribute: string; readonly min: number }
  valueTooLarge: { readonly dataClass: string; readonly attribute: string; readonly max: number }
  textTooShort: { readonly dataClass: string; readonly attribute: string; readonly minLength: number }
  textTooLong: { readonly dataClass: string; readonly attribute: string; readonly maxLength: number }
  patternMismatch: { readonly dataClass: string; readonly attribute: string; readonly pattern: string }
  relationTargetMissing: {
    readonly dataClass: string
    readonly attribute: string
    readonly target: string
    readonly key: string
  }
  removeRestricted: { readonly dataClass: string; readonly key: string; readonly by: string }
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
  stampChanged: {
    readonly dataClass: string
    readonly key: string
    readonly given: number
    readonly stored: number
    readonly recordNumber: number
  }
  entityCannotBeSaved: { readonly dataClass: string; readonly key: string | null; readonly problem: string }
  entityCannotBeRemoved: { readonly dataClass: string; readonly key: string; readonly problem: string }
  validationFailed: {
    readonly dataClass: string
    readonly key: string | null
    readonly failures: readonly EntiaError[]
  }
  hookRefused: { readonly dataClass: string; readonly hook: string; readonly errCode: number; readonly message: string }
  hookFailed: { readonly dataClass: string; readonly hook: string; readonly problem: string }
  hookTooDeep: { readonly dataClass: string; readonly hook: string; readonly limit: number }
  loadRefused: { readonly dataClass: string; readonly rowNumber: number; readonly problem: string }
  sequenceExhausted: { readonly dataClass: string; readonly attribute: string }
  sequenceWouldEnd: {
    readonly dataClass: string
    readonly attribute: string
    readonly given: number
    readonly last: number
  }
  // selections, sets, history
  selectionMismatch: { readonly left: string; readonly right: string }
  entitySetNotFound: { readonly id: string }
  tooManySessions: {
    readonly limit: number
    readonly option: string
    /** Until the first of those in the way ends, if nobody uses it. */
    readonly retryAfterSeconds: number
  }
  historyTrimmed: { readonly requested: number; readonly oldest: number }
  snapshotForeign: { readonly problem: string }
  pastReadOnly: { readonly operation: string; readonly globalStamp: number }
  /** Bytes as dumps and journals have them. */
  entityTooLarge: { readonly dataClass: string; readonly key: string; readonly bytes: number; readonly limit: number }
  commitTooLarge: { readonly bytes: number; readonly limit: number }
  storeBroken: { readonly problem: string }
  storeClosed: { readonly store: string }
  notInTransaction: { readonly operation: string; readonly remedy: string }
  budgetExceeded: { readonly what: string; readonly limit: number; readonly option: string }
  argumentInvalid: { readonly argument: string; readonly expected: string; readonly found: string }
  /** `position`: how many bytes of a journal are whole. */
  dumpInvalid: {
    readonly problem: string
    readonly what?: 'journal'
    readonly remedy?: string
    readonly position?: number
  }
  journalFailed: { readonly file: string; readonly problem: string; readonly remedy: string }
  /** `isOwn`: the process is this one. */
  folderInUse: { readonly folder: string; readonly process: string; readonly file: string; readonly isOwn: boolean }
  indexInvalid: { readonly dataClass: string; readonly attribute: string; readonly problem: string }
  // requests over HTTP
  formatUnknown: { readonly format: string }
  attributeListInvalid: { readonly dataClass: string; readonly attribute: string }
  expandListInvalid: { readonly dataClass: string; readonly attribute: string }
  orderByInvalid: { readonly dataClass: string; readonly attribute: string }
  urlMalformed: { readonly problem: string }
  questionMarkMissing: { readonly found: string }
  quoteMissing: { readonly parameter: string; readonly quote: string }
  parameterUnknown: { readonly parameter: string }
  methodUnknown: { readonly method: string }
  methodNotApplicable: { readonly what: string; readonly problem: string }
  attributeListEmpty: { readonly parameter: string }
  computeActionUnknown: { readonly action: string }
  recordCannotBeSaved: { readonly dataClass: string; readonly recordNumber: number; readonly store: string }
  entitySetOfOtherClass: { readonly id: string; readonly dataClass: string }
  subEntitySetNotApplicable: { readonly problem: string }
  logicOperatorUnknown: { readonly operator: string }
  otherCollectionMissing: { readonly operator: string }
  otherCollectionInvalid: { readonly id: string; readonly dataClass: string }
  functionNotOnGet: { readonly name: string }
  loginFailed: { readonly problem: string }
  directoryMissing: { readonly option: string }
  loginRequired: { readonly what: string }
  accessDenied: { readonly action: AccessAction; readonly dataClass: string; readonly name?: string }
  attributeAccessDenied: {
    readonly dataClass: string
    readonly attribute: string
    readonly action: 'create' | 'update'
  }
  pictureTypeUnknown: { readonly found: string }
  pictureReferenceUnknown: { readonly id: string }
  blobReferenceUnknown: { readonly id: string }
  parameterInvalid: { readonly parameter: string; readonly expected: string; readonly found: string }
  parameterTwice: { readonly parameter: string }
  bodyMalformed: { readonly problem: string }
  bodyTooLarge: { readonly limit: number; readonly option: string }
  urlTooLong: { readonly limit: number; readonly option: string }
  verbNotAllowed: { readonly verb: string; readonly allowed: readonly string[]; readonly remedy: string }
  crossSiteRefused: { readonly origin: string }
  hostRefused: { readonly host: string }
  hostMissing: Record<never, never>
  requestMalformed: { readonly problem: string }
  requestTimeout: Record<never, never>
  tooManyRequests: { readonly retryAfterSeconds: number | null }
  serverBusy: {
    readonly what: string
    readonly limit: number
    readonly option: string
    readonly retryAfterSeconds: number
  }
  mediaTypeUnsupported:
    | { readonly mediaType: string; readonly remedy?: string }
    | { readonly encoding: string; readonly remedy: string }
  resourceNotFound: { readonly basePath: string; readonly known?: readonly string[] }
  insertWithKey: { readonly dataClass: string }
  preconditionFailed: { readonly dataClass: string; readonly key: string }
  internalError: { readonly problem: string }
}

/** What a permission is asked for. */
export type AccessAction = 'describe' | 'read' | 'create' | 'update' | 'delete' | 'lock' | 'call'

export type ErrorCode = keyof ErrorDetails

interface ErrorRow<D> {
  /** The protocol's number; a function where the details carry it. */
  readonly errCode: number | ((details: D) => number)
  readonly message: (details: D) => string
}

const caret = (text: string, offset: number): string => {
  const from = Math.max(0, offset - 60)
  const shown = text.slice(from, offset + 60).replace(/[\t\r\n]/g, ' ')
  return `\n  ${from > 0 ? '…' : ''}${shown}\n  ${' '.repeat(offset - from + (from > 0 ? 1 : 0))}^`
}
const list = (names: readonly string[] | undefined): string =>
  names === undefined || names.length === 0
    ? ''
    : ` Known: ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}.`

const ACCESS_CODES: { readonly [A in AccessAction]: number } = {
  read: 1557,
  update: 1558,
  create: 1559,
  delete: 1560,
  call: 1561,
  describe: 1609,
  lock: 1558,
}

const ERROR_TABLE: { readonly [C in ErrorCode]: ErrorRow<ErrorDetails[C]> } = {
  modelInvalid: {
    errCode: 9001,
    message: (d) =>
      `Dataclass "${d.dataClass}"${d.attribute === null ? '' : `, attribute "${d.attribute}"`}: ${d.problem}. ${d.remedy}`,
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
  attributeReadOnly: {
    errCode: 1516,
    message: (d) => `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass is read-only. ${d.remedy}`,
  },
  attributeNotSortable: {
    errCode: 1594,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass cannot be used for sorting. ${d.remedy}`,
  },
  functionNotFound: {
    errCode: 1827,
    message: (d) => `${d.owner} has no function "${d.name}".${d.remedy === undefined ? '' : ` ${d.remedy}`}`,
  },
  functionFailed: {
    errCode: 9010,
    message: (d) => `Function "${d.name}" of ${d.owner.replace(/^The /, 'the ')} failed: ${d.problem}`,
  },
  functionRefused: { errCode: (d) => d.errCode, message: (d) => d.message },
  functionParameterInvalid: {
    errCode: 9111,
    message: (d) => `Parameter ${d.position} of function "${d.name}" cannot be used: ${d.problem}`,
  },
  promiseReturned: {
    errCode: 9011,
    message: (d) => `${d.where} returned a promise, but the store is synchronous. ${d.remedy}`,
  },
  filterSyntax: {
    errCode: 1162,
    message: (d) =>
      `The filter is malformed at character ${d.offset + 1}: expected ${d.expected}.${caret(d.filter, d.offset)}`,
  },
  filterOperator: {
    errCode: 1112,
    message: (d) =>
      d.expected === undefined
        ? `The filter has a wrong comparison operator "${d.found}" at character ${d.offset + 1}. Use =, ===, !=, !==, >, >=, <, <=, begin, %, in or is.${caret(d.filter, d.offset)}`
        : `The filter has "${d.found}" at character ${d.offset + 1} where ${d.expected} is expected. Put a text of several words in quotes.${caret(d.filter, d.offset)}`,
  },
  filterCannotBeAnalysed: {
    errCode: 1201,
    message: (d) =>
      `The filter cannot be analysed at character ${d.offset + 1}: ${d.problem}${caret(d.filter, d.offset)}`,
  },
  filterTooLarge: {
    errCode: 9020,
    message: (d) => `The filter has too many or too deep ${d.what}: the limit is ${d.limit} (option "${d.option}").`,
  },
  placeholderMissing: {
    errCode: 1279,
    message: (d) => `Placeholder "${d.placeholder}" has no value: ${d.problem}`,
  },
  placeholderWrongType: {
    errCode: 1280,
    message: (d) => `The value of placeholder "${d.placeholder}" has a wrong type: ${d.problem}`,
  },
  formulaNotAllowed: {
    errCode: 1278,
    message: (d) =>
      `Formulas are not allowed in a filter (character ${d.offset + 1}). Write comparisons.${caret(d.filter, d.offset)}`,
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
  entityCannotBeLoaded: {
    errCode: 1543,
    message: (d) =>
      `Cannot load entity# ${d.key} in the "${d.dataClass}" dataclass${d.problem === undefined ? '' : `: ${d.problem}`}.`,
  },
  keyMalformed: {
    errCode: 1541,
    message: (d) => `The key "${d.key}" is malformed for the "${d.dataClass}" dataclass: ${d.problem}.`,
  },
  keyNull: {
    errCode: 1544,
    message: (d) => `The primary key "${d.attribute}" of the "${d.dataClass}" dataclass cannot be null.`,
  },
  keyEmpty: {
    errCode: 9038,
    message: (d) =>
      `The primary key "${d.attribute}" of the "${d.dataClass}" dataclass cannot be an empty text. Give it at least one character.`,
  },
  keyNotUnique: {
    errCode: 1545,
    message: (d) => `An entity with key "${d.key}" exists already in the "${d.dataClass}" dataclass.`,
  },
  uniqueViolation: {
    errCode: 9030,
    message: (d) =>
      `The value of "${d.attribute}" is already used by another entity of the "${d.dataClass}" dataclass; it must be unique.`,
  },
  notNullViolation: {
    errCode: 9031,
    message: (d) => `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass cannot be null.`,
  },
  valueInvalid: {
    errCode: 9032,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass takes ${d.expected}, not ${d.found}.`,
  },
  valueTooSmall: { errCode: 1568, message: (d) => `The value of "${d.attribute}" cannot be less than ${d.min}.` },
  valueTooLarge: { errCode: 1569, message: (d) => `The value of "${d.attribute}" cannot be greater than ${d.max}.` },
  textTooShort: {
    errCode: 1591,
    message: (d) => `The text of "${d.attribute}" must have at least ${d.minLength} characters.`,
  },
  textTooLong: {
    errCode: 1592,
    message: (d) => `The text of "${d.attribute}" must have at most ${d.maxLength} characters.`,
  },
  patternMismatch: {
    errCode: 1571,
    message: (d) => `The text of "${d.attribute}" does not match the pattern ${d.pattern}.`,
  },
  relationTargetMissing: {
    errCode: 9033,
    message: (d) =>
      `The "${d.attribute}" relation of the "${d.dataClass}" dataclass points to "${d.key}", which does not exist in the "${d.target}" dataclass.`,
  },
  removeRestricted: {
    errCode: 9034,
    message: (d) =>
      `Entity# ${d.key} of the "${d.dataClass}" dataclass is still referred to by "${d.by}" (onDelete: 'restrict').`,
  },
  entityLocked: {
    errCode: 9035,
    message: (d) => `Entity# ${d.key} of the "${d.dataClass}" dataclass is locked by another session.`,
  },
  stampChanged: {
    errCode: 1263,
    message: (d) =>
      `Given stamp ${d.given} does not match current one (${d.stored}) for record# ${d.recordNumber} of table ${d.dataClass}.`,
  },
  entityCannotBeSaved: {
    errCode: (d) => (d.key === null ? 1534 : 1517),
    message: (d) =>
      `${d.key === null ? `The new entity of the "${d.dataClass}" dataclass` : `The entity# ${d.key} in the "${d.dataClass}" dataclass`} cannot be saved. ${d.problem}`,
  },
  entityCannotBeRemoved: {
    errCode: 1518,
    message: (d) => `The entity# ${d.key} in the "${d.dataClass}" dataclass cannot be deleted. ${d.problem}`,
  },
  validationFailed: {
    errCode: 1570,
    message: (d) =>
      `${d.key === null ? `The new entity of the "${d.dataClass}" dataclass` : `Entity# ${d.key} of the "${d.dataClass}" dataclass`} fails validation: ${d.failures.map((f) => f.message).join(' ')}`,
  },
  hookRefused: { errCode: (d) => d.errCode, message: (d) => d.message },
  hookFailed: {
    errCode: 9040,
    message: (d) => `The hook "${d.hook}" of the "${d.dataClass}" dataclass failed: ${d.problem}`,
  },
  hookTooDeep: {
    errCode: 9041,
    message: (d) =>
      `The hook "${d.hook}" of the "${d.dataClass}" dataclass called the store more than ${d.limit} levels deep.`,
  },
  loadRefused: {
    errCode: 9042,
    message: (d) =>
      `Nothing was loaded into the "${d.dataClass}" dataclass: row ${d.rowNumber} is refused. ${d.problem}`,
  },
  sequenceExhausted: {
    errCode: 9043,
    message: (d) => `The automatic sequence of "${d.attribute}" in the "${d.dataClass}" dataclass has no next value.`,
  },
  sequenceWouldEnd: {
    errCode: 9044,
    message: (d) =>
      `The value ${d.given} of "${d.attribute}" would end the automatic sequence of the "${d.dataClass}" dataclass: no later number would be left. Give a number below ${d.last}, or none.`,
  },
  selectionMismatch: {
    errCode: 1587,
    message: (d) =>
      `A selection of "${d.left}" cannot be combined with one of "${d.right}": they must be of one dataclass and one store, and of one view of its past.`,
  },
  entitySetNotFound: {
    errCode: 1802,
    message: (d) => `The "${d.id}" entity set cannot be found: it expired, was released or never created.`,
  },
  tooManySessions: {
    errCode: 1823,
    message: (d) => `There are ${d.limit} such sessions already, and none that could make room (option "${d.option}").`,
  },
  historyTrimmed: {
    errCode: 9050,
    message: (d) =>
      `The history no longer reaches back to global stamp ${d.requested}; the oldest kept is ${d.oldest}. Raise the option "history", read earlier, or call settle() on a selection that you hold.`,
  },
  snapshotForeign: { errCode: 9051, message: (d) => `The snapshot cannot be restored: ${d.problem}` },
  pastReadOnly: {
    errCode: 9061,
    message: (d) =>
      `"${d.operation}" is not possible on the store as it was at global stamp ${d.globalStamp}, which can only be read.`,
  },
  storeBroken: {
    errCode: 9052,
    message: (d) => `The store refuses every call since a change failed half-way and could not be undone: ${d.problem}`,
  },
  storeClosed: { errCode: 9053, message: (d) => `The store "${d.store}" is closed.` },
  notInTransaction: {
    errCode: 9054,
    message: (d) => `${d.operation} is not possible inside a transaction. ${d.remedy}`,
  },
  budgetExceeded: {
    errCode: 9055,
    message: (d) => `The request is too expensive: ${d.what} above ${d.limit} (option "${d.option}").`,
  },
  argumentInvalid: { errCode: 9056, message: (d) => `${d.argument} must be ${d.expected}, not ${d.found}.` },
  dumpInvalid: {
    errCode: 9057,
    message: (d) =>
      `The ${d.what ?? 'dump'} cannot be opened: ${d.problem}${d.remedy === undefined ? '' : ` ${d.remedy}`}`,
  },
  journalFailed: {
    errCode: 9059,
    message: (d) =>
      `The journal cannot be written to ${d.file}: ${d.problem} What is committed since is kept in memory only; ${d.remedy}`,
  },
  folderInUse: {
    errCode: 9060,
    message: (d) =>
      d.isOwn
        ? `The folder ${d.folder} is in use by another journal of this process. Close that one first, or keep this store in a folder of its own.`
        : `The folder ${d.folder} is in use by process ${d.process}. Stop that one, or remove ${d.file} if there is no such process.`,
  },
  entityTooLarge: {
    errCode: 9066,
    message: (d) =>
      `The entity with the key "${d.key}" of the "${d.dataClass}" dataclass takes ${d.bytes} bytes; the limit is ${d.limit} (option "sizes.entityBytes"). Keep large values in entities or files of their own.`,
  },
  commitTooLarge: {
    errCode: 9067,
    message: (d) =>
      `The commit takes ${d.bytes} bytes; the limit is ${d.limit} (option "sizes.commitBytes"). Write the entities in several transactions.`,
  },
  indexInvalid: {
    errCode: 9058,
    message: (d) => `The index on "${d.attribute}" of the "${d.dataClass}" dataclass: ${d.problem}`,
  },
  formatUnknown: { errCode: 1801, message: (d) => `The format "${d.format}" is not supported. Use json or dashboard.` },
  attributeListInvalid: {
    errCode: 1804,
    message: (d) =>
      `Cannot completely build a list of attributes with "${d.attribute}" for the "${d.dataClass}" dataclass.`,
  },
  expandListInvalid: {
    errCode: 1805,
    message: (d) => `Cannot completely build an expand list with "${d.attribute}" for the "${d.dataClass}" dataclass.`,
  },
  orderByInvalid: {
    errCode: 1810,
    message: (d) => `Cannot order by "${d.attribute}" in the "${d.dataClass}" dataclass.`,
  },
  urlMalformed: { errCode: 1806, message: (d) => `The address is malformed: ${d.problem}.` },
  questionMarkMissing: {
    errCode: 1807,
    message: (d) => `The parameters must begin with "?", not with "${d.found}".`,
  },
  quoteMissing: {
    errCode: (d) => (d.quote === "'" ? 1808 : 1809),
    message: (d) =>
      `The value of "${d.parameter}" lacks a closing ${d.quote}. Write ${d.quote === "'" ? '\\u0027' : '\\u0022'} for a quote inside the value.`,
  },
  parameterUnknown: {
    errCode: 1811,
    message: (d) => `The parameter "${d.parameter}" is unknown. Names are case-sensitive.`,
  },
  methodUnknown: {
    errCode: 1812,
    message: (d) =>
      `The $method "${d.method}" is unknown. Use delete, entityset, insert, release, subentityset or update.`,
  },
  methodNotApplicable: { errCode: 1813, message: (d) => `${d.what} is not applicable: ${d.problem}.` },
  attributeListEmpty: {
    errCode: 1816,
    message: (d) => `"${d.parameter}" needs an attribute: name it in the path or in $attributes.`,
  },
  computeActionUnknown: {
    errCode: 1817,
    message: (d) => `The $compute action "${d.action}" is unknown. Use $all, average, count, max, min or sum.`,
  },
  recordCannotBeSaved: {
    errCode: 1046,
    message: (d) => `Cannot save record ${d.recordNumber} in table ${d.dataClass} of database ${d.store}.`,
  },
  entitySetOfOtherClass: {
    errCode: 1803,
    message: (d) => `The "${d.id}" entity set does not belong to the "${d.dataClass}" dataclass.`,
  },
  subEntitySetNotApplicable: {
    errCode: 1815,
    message: (d) => `$method=subentityset is not applicable: ${d.problem}.`,
  },
  logicOperatorUnknown: {
    errCode: 1818,
    message: (d) => `"${d.operator}" is no $logicOperator. Use AND, OR, EXCEPT or INTERSECT.`,
  },
  otherCollectionMissing: {
    errCode: 1819,
    message: (d) => `$logicOperator=${d.operator} needs $otherCollection, the id of a second entity set.`,
  },
  otherCollectionInvalid: {
    errCode: 1820,
    message: (d) =>
      `$otherCollection "${d.id}" is no entity set of the "${d.dataClass}" dataclass: it expired, was released or never created.`,
  },
  functionNotOnGet: {
    errCode: 1829,
    message: (d) => `Function "${d.name}" cannot be called by GET. Use POST.`,
  },
  directoryMissing: {
    errCode: 1814,
    message: (d) => `There is no directory of users, so nobody can log in (option "${d.option}").`,
  },
  loginFailed: { errCode: 1822, message: (d) => `The login is refused: ${d.problem}.` },
  loginRequired: { errCode: 9120, message: (d) => `${d.what} needs a login: POST to $directory/login first.` },
  accessDenied: {
    errCode: (d) => ACCESS_CODES[d.action],
    message: (d) =>
      d.action === 'call'
        ? `No permission to execute function "${d.name ?? ''}" of the ${d.dataClass === '' ? 'datastore' : `"${d.dataClass}" dataclass`}.`
        : `No permission to ${d.action} entities of the "${d.dataClass}" dataclass.`,
  },
  attributeAccessDenied: {
    errCode: 1608,
    message: (d) => `No permission to ${d.action} the "${d.attribute}" attribute of the "${d.dataClass}" dataclass.`,
  },
  pictureTypeUnknown: {
    errCode: 1824,
    message: (d) => `${d.found} is none of the images that are stored: PNG, JPEG, GIF, TIFF, WebP and BMP.`,
  },
  pictureReferenceUnknown: {
    errCode: 1825,
    message: (d) => `The uploaded image "${d.id}" cannot be found: it expired or was never sent.`,
  },
  blobReferenceUnknown: {
    errCode: 1826,
    message: (d) => `The uploaded BLOB "${d.id}" cannot be found: it expired or was never sent.`,
  },
  parameterInvalid: {
    errCode: 9100,
    message: (d) => `The parameter "${d.parameter}" takes ${d.expected}, not ${d.found}.`,
  },
  parameterTwice: { errCode: 9101, message: (d) => `The parameter "${d.parameter}" is given more than once.` },
  bodyMalformed: { errCode: 9102, message: (d) => `The request body is malformed: ${d.problem}.` },
  bodyTooLarge: {
    errCode: 9103,
    message: (d) => `The request body is too large: the limit is ${d.limit} bytes (option "${d.option}").`,
  },
  urlTooLong: {
    errCode: 9104,
    message: (d) => `The address is too long: the limit is ${d.limit} characters (option "${d.option}").`,
  },
  verbNotAllowed: {
    errCode: 9105,
    message: (d) => `${d.verb} is not allowed here. ${d.remedy}`,
  },
  crossSiteRefused: {
    errCode: 9106,
    message: () =>
      'A request that changes state was sent by a page of another site. Add its origin to the option "allowedOrigins".',
  },
  hostRefused: {
    errCode: 9113,
    message: (d) => `Host "${d.host}" is not served here. Add it to the option "allowedHosts".`,
  },
  requestTimeout: { errCode: 9115, message: () => 'The request took too long to arrive.' },
  hostMissing: { errCode: 9116, message: () => 'The request names no host. Send the header "Host".' },
  requestMalformed: { errCode: 9117, message: (d) => `The request is malformed: ${d.problem}.` },
  tooManyRequests: {
    errCode: 9114,
    message: (d) =>
      d.retryAfterSeconds === null
        ? 'Too many requests.'
        : `Too many requests: try again in ${d.retryAfterSeconds} seconds.`,
  },
  serverBusy: {
    errCode: 9121,
    message: (d) =>
      `The server has no room for ${d.what} (limit ${d.limit}, option "${d.option}"). Try again in ${d.retryAfterSeconds} seconds.`,
  },
  mediaTypeUnsupported: {
    errCode: 9107,
    message: (d) =>
      'encoding' in d
        ? `Content-Encoding ${d.encoding} is not supported. ${d.remedy}`
        : `A body of type "${d.mediaType}" is not supported here. ${d.remedy ?? 'Send JSON.'}`,
  },
  resourceNotFound: {
    errCode: 9108,
    message: (d) =>
      d.known === undefined
        ? `There is no such resource. Addresses begin with "${d.basePath}/".`
        : `There is no such resource. Known here: ${d.known.map((known) => `${d.basePath}/${known}`).join(', ')}.`,
  },
  insertWithKey: {
    errCode: 9109,
    message: (d) =>
      `$method=insert creates entities of the "${d.dataClass}" dataclass only: leave out __KEY, or use $method=update.`,
  },
  preconditionFailed: {
    errCode: 9110,
    message: (d) => `Entity# ${d.key} of the "${d.dataClass}" dataclass has another stamp than If-Match asks for.`,
  },
  internalError: { errCode: 9199, message: (d) => `Internal error. ${d.problem}` },
}

/**
 * The error of every refused call. `code` is its name, `errCode` the protocol's number, `details` the facts;
 * `cause` holds the deeper error where one led to this one.
 */
export class EntiaError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'EntiaError'
  readonly code: C
  readonly errCode: number
  readonly details: ErrorDetails[C]

  constructor(code: C, details: ErrorDetails[C], options?: { cause?: unknown }) {
    const row = ERROR_TABLE[code]
    super(row.message(details), options)
    this.code = code
    this.details = details
    this.errCode = typeof row.errCode === 'number' ? row.errCode : row.errCode(details)
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
