// The type of a subject that the harness measures. Each module's default export is a `Subject`. A
// workload that needs a missing operation of a store is printed as n/a.

/**
 * @typedef {import('../data.js').BenchData} BenchData
 * @typedef {import('../data.js').EmployeeRow} EmployeeRow
 *
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} version            the measured version, for the JSON file
 * @property {boolean} [isAsynchronous]  its operations return promises
 * @property {boolean} [handsOutItsOwn] its entities are its internal objects: it is left out of
 * workloads that need private ones
 * @property {boolean} [isIndexed] false: it has no indexes, so loading, memory and writes are not
 * comparable
 * @property {(data: BenchData, options: { spareRecords: number }) => SubjectStore |
 * Promise<SubjectStore>} open loads all companies and employees and builds the indexes: ID, email
 * (unique), salary, lastName, companyID
 *
 * @typedef {object} Selected a selection with its total count and first 100 members, without
 * entities
 * @property {number} count
 * @property {number} [known]   the count of the page, if it is separate
 * @property {unknown} members  the cheapest form; `memberIds` returns the IDs
 *
 * @typedef {object} Counted    the total count and the first 100 members as private entities
 * @property {number} count
 * @property {readonly EmployeeEntity[]} entities
 *
 * @typedef {EmployeeRow & { stamp: number }} EmployeeEntity
 *
 * @typedef {object} Aggregate
 * @property {number} count
 * @property {number} sum
 * @property {number} average
 * @property {number} min
 * @property {number} max
 *
 * @typedef {object} Group      count, average and maximum of the salaries, in any order
 * @property {string} name
 * @property {number} count
 * @property {number} average
 * @property {number} max
 *
 * @typedef {object} Change
 * @property {number} id
 * @property {number} stamp    the stamp the entity must have
 * @property {number} salary
 *
 * @typedef {object} SubjectStore   results are promises if the subject is asynchronous
 * @property {(id: number) => EmployeeEntity} [get]
 * @property {(name: string) => Selected} [selectByLastName]
 * @property {(name: string) => readonly EmployeeEntity[]} [entitiesByLastName]
 * @property {(low: number, high: number) => Selected} [selectBySalary] both ends included
 * @property {(low: number, high: number) => Counted} [entitiesBySalary]
 * @property {(prefix: string) => Selected} [selectByPrefix]                        of the last name
 * @property {(prefix: string) => Counted} [entitiesByPrefix]
 * @property {(members: unknown) => readonly number[]} [memberIds]
 * @property {(before: string, firstName: string) => Counted} [scan] active, born before, of that
 * first name
 * @property {(lastName: string, salary: number, before: string) => readonly EmployeeEntity[]}
 * [compound] of that last name, earning more, active, born before
 * @property {(city: string, salary: number) => Counted} [related] company in that city, earning
 * more
 * @property {(skip: number, top: number) => readonly EmployeeEntity[]} [pageOfAll] by salary desc,
 * lastName
 * @property {(before: string, skip: number, top: number) => readonly EmployeeEntity[]}
 * [pageOfBornBefore]
 * @property {(before: string | null) => Aggregate} [aggregate]                     of the salary
 * @property {() => readonly string[]} [distinctLastNames]
 * @property {(before: string | null) => readonly Group[]} [groupByFirstName]
 * @property {() => readonly Group[]} [groupByCity]                         of the company
 * @property {(salary: number, before: string) => void} [saveSelections] left: salary >= ; right:
 * birthDate <
 * @property {(operator: 'and' | 'or' | 'except') => number} [combine] a new selection of the two,
 * counted
 * @property {(firstId: number) => string} [pageAsJson]                             100 employees
 * @property {(text: string) => EmployeeEntity} [findByText] the text of a filter by key
 * @property {(text: string, number: number) => unknown} [compile] six terms; other languages
 * express the same terms, with a number that makes each text fresh
 * @property {(id: number, stamp: number, salary: number) => boolean} [update] false for a stale
 * stamp
 * @property {(changes: readonly Change[]) => boolean} [updateAll]                  all or nothing
 * @property {(values: EmployeeRow) => unknown} [insert]
 * @property {(values: EmployeeRow) => unknown} [reinsert] removes the employee with that ID, then
 * inserts
 * @property {(id: number) => void} [remove]
 * @property {() => void} [mark] records the state that `goBack` restores
 * @property {() => void} [goBack] undoes all writes since `mark`
 * @property {() => number} [count]                                                 employees
 * @property {() => void} [verify] throws if the store is inconsistent
 * @property {() => number | Promise<number>} [nativeBytes] native memory outside Node's figures
 * @property {() => void | Promise<void>} [close]
 */

/** The number of members or entities of a page. */
export const pageSize = 100
