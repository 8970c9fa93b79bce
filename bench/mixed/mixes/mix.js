// The shapes of a mix, of its operations, and of a subject that runs them.

/**
 * @typedef {object} Operation
 * @property {string} kind   the name of the method of the subject that runs it, which takes the operation itself
 *
 * @typedef {object} Mix
 * @property {string} id
 * @property {string} title
 * @property {'office' | 'records'} family                 which data, and which `open` of a subject
 * @property {ReadonlyMap<string, OperationKind>} kinds
 * @property {number} [rows]                               where the size is not that of the run
 * @property {readonly string[]} [needs]                   methods of a subject beside those of the kinds
 * @property {boolean} [isReadOnly]
 * @property {boolean} [isOverHttp]                        servers are asked, not stores
 * @property {(size: number) => object} makeData           what a subject loads
 * @property {(data: object) => () => Operation} operations
 *           the operations, in an order that is the same for every subject; must not keep the rows in memory
 * @property {(data: object) => Reference} reference
 * @property {(store: object, data: object) => void} [prepare]   once, after loading; not timed
 * @property {(rows: readonly object[]) => string} digest  of all rows that are there at the end
 *
 * @typedef {object} OperationKind
 * @property {string} title
 * @property {number} [share]                                    of the operations, in percent
 * @property {(answer: unknown, operation: Operation) => string} [describe]   left out: the answer does not matter
 * @property {(answer: unknown) => number} [read]                timed: reads what was handed out
 * @property {boolean} [isWrite]
 * @property {boolean} [isReset]                                 everything is as it was loaded
 *
 * @typedef {object} Reference
 * @property {(operation: Operation) => unknown} run
 * @property {() => readonly object[]} all
 *
 * @typedef {object} MixSubject
 * @property {string} name
 * @property {string} version
 * @property {boolean} [isAsynchronous]                          its methods return promises, and are awaited
 * @property {(data: object, mix: Mix) => object} [office]       loads employees and companies, and answers the methods
 * @property {(data: object, mix: Mix) => object} [records]      loads the records of YCSB
 */

export {}
