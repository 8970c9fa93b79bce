// The filters of the workloads as MongoDB queries, for the subjects that take these.

export const byId = (ID) => ({ ID })
export const byLastName = (lastName) => ({ lastName })
export const bySalary = (low, high) => ({ salary: { $gte: low, $lte: high } })
/** A prefix is asked for as a range: that is faster than a regular expression. */
export const byPrefix = (prefix) => ({ lastName: { $gte: prefix, $lt: `${prefix}\uffff` } })
export const bornBefore = (before) => (before === null ? {} : { birthDate: { $lt: before } })
// The terms are tested in this order: the most selective one first.
export const scanned = (before, firstName) => ({ firstName, birthDate: { $lt: before }, active: true })
export const compound = (lastName, salary, before) => ({
  lastName,
  salary: { $gt: salary },
  active: true,
  birthDate: { $lt: before },
})
export const related = (companyIds, salary) => ({ companyID: { $in: companyIds }, salary: { $gt: salary } })
/** The filter of W18b; companies are embedded nowhere, so that this one is compiled and never run. */
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
