// The filters of the workloads as MongoDB queries, for the subjects that support them.

import { pageSize } from '../../subjects/subject.js'

export const byId = (ID) => ({ ID })
export const byLastName = (lastName) => ({ lastName })
export const bySalary = (low, high) => ({ salary: { $gte: low, $lte: high } })
/** A range for a prefix is faster than a regular expression. */
export const byPrefix = (prefix) => ({ lastName: { $gte: prefix, $lt: `${prefix}\uffff` } })
export const bornBefore = (before) => (before === null ? {} : { birthDate: { $lt: before } })
// Terms are tested in this order: the most selective one first.
export const scanned = (before, firstName) => ({
  firstName,
  birthDate: { $lt: before },
  active: true,
})
export const compound = (lastName, salary, before) => ({
  lastName,
  salary: { $gt: salary },
  active: true,
  birthDate: { $lt: before },
})
export const related = (companyIds, salary) => ({
  companyID: { $in: companyIds },
  salary: { $gt: salary },
})
/** The filter of W18b. Companies are not embedded, so it is compiled and never run. */
export const sixTerms = (number) => ({
  $and: [
    { salary: { $gt: number } },
    { active: true },
    { 'company.city': { $regex: /^A/ } },
    { birthDate: { $lt: '1990-01-01' } },
    { lastName: 'Smith' },
    { firstName: { $ne: 'Bob' } },
  ],
})

/**
 * The operations of a subject that only finds and returns the rows of a filter.
 * @param {(filter: object) => readonly import('../../data.js').EmployeeRow[]} find
 * @param {(filter: object) => readonly { ID: number }[]} findCompanies
 * @returns {import('../../subjects/subject.js').SubjectStore}
 */
export function readsByFilter(find, findCompanies) {
  const selected = (filter) => {
    const found = find(filter)
    return { count: found.length, members: found.slice(0, pageSize) }
  }
  const counted = (filter) => {
    const { count, members } = selected(filter)
    return { count, entities: members }
  }
  return {
    selectByLastName: (name) => selected(byLastName(name)),
    selectBySalary: (low, high) => selected(bySalary(low, high)),
    selectByPrefix: (prefix) => selected(byPrefix(prefix)),
    memberIds: (members) => members.map(({ ID }) => ID),
    scan: (before, firstName) => counted(scanned(before, firstName)),
    compound: (lastName, salary, before) => find(compound(lastName, salary, before)),
    related: (city, salary) => {
      const ids = findCompanies({ city }).map(({ ID }) => ID)
      return counted(related(ids, salary))
    },
    pageAsJson: (firstId) =>
      JSON.stringify(find({ ID: { $gte: firstId, $lt: firstId + pageSize } })),
  }
}
