// The types of a mix, of its operations, and of a subject.

/**
 * @typedef {object} Operation
 * @property {string} kind   the name of the subject's method, which takes the operation
 *
 * @typedef {object} Mix
 * @property {string} id
 * @property {string} title
 * @property {'office' | 'records'} family the data, and the subject's method to open it
 * @property {ReadonlyMap<string, OperationKind>} kinds
 * @property {number} [rows]                               if it differs from that of the run
 * @property {readonly string[]} [needs] methods of a subject in addition to those of the kinds
 * @property {boolean} [isReadOnly]
 * @property {boolean} [isOverHttp]                        runs on servers and not on stores
 * @property {(size: number) => object} makeData           the data that a subject loads
 * @property {(data: object) => () => Operation} operations
 *           the same sequence for every subject; must not keep the rows in memory
 * @property {(data: object) => Reference} reference
 * @property {(store: object, data: object) => void} [prepare]   once, after loading; not timed
 * @property {(rows: readonly object[]) => string} digest  a checksum of the final rows
 *
 * @typedef {object} OperationKind
 * @property {string} title
 * @property {number} [share]                                    of the operations, in percent
 * @property {(answer: unknown, operation: Operation) => string} [describe] if missing, answers are
 * not compared
 * @property {(answer: unknown) => number} [read]                timed: reads the answer
 * @property {boolean} [isWrite]
 * @property {boolean} [isReset]                                 restores the loaded state
 *
 * @typedef {object} Reference
 * @property {(operation: Operation) => unknown} run
 * @property {() => readonly object[]} all
 *
 * @typedef {object} MixSubject
 * @property {string} name
 * @property {string} version
 * @property {boolean} [isAsynchronous]                          its methods return promises
 * @property {(data: object, mix: Mix) => object} [office] loads employees and companies, and
 * returns the methods
 * @property {(data: object, mix: Mix) => object} [records]      loads the records of YCSB
 */

export {}
