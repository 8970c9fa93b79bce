import { count, create, getByID, insert, insertMultiple, search } from '@orama/orama'
import { pageSize } from '../../subjects/subject.js'
import { versionOf } from '../package-version.js'

/** Documents per batch; the pause between batches is disabled. */
const batchSize = 10_000

/**
 * Orama: a search engine over documents, with AVL trees for numbers and maps for enums. Only
 * indexed attributes can be queried, so terms on first name and birth date are tested on the
 * results. It returns its internal documents.
 *
 * This version loses other documents when it removes from its number trees (a range then counts too
 * few), so updates and removals are not measured. There are no unique attributes, joins,
 * aggregates, transactions or text queries; a sort uses one attribute.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'orama',
  version: versionOf('@orama/orama'),
  handsOutItsOwn: true,
  async open({ companies, employees }) {
    const companyIndex = create({ schema: { city: 'enum' }, sort: { enabled: false } })
    await insertMultiple(
      companyIndex,
      companies.map((row) => ({ id: String(row.ID), ...row })),
      batchSize,
      undefined,
      true,
      0,
    )
    const index = create({
      schema: { lastName: 'enum', email: 'enum', salary: 'number', companyID: 'enum' },
      sort: { enabled: false },
    })
    await insertMultiple(index, employees.map(documentOf), batchSize, undefined, true, 0)
    return operationsOn(companyIndex, index)
  },
}

const documentOf = (row) => ({ id: String(row.ID), ...row, stamp: 1 })

/** @returns {import('../../subjects/subject.js').SubjectStore} */
function operationsOn(companyIndex, index) {
  const get = (id) => getByID(index, String(id))
  const find = (where, limit) => search(index, { where, limit })
  const documents = ({ hits }) => hits.map(({ document }) => document)
  const selected = (where) => {
    const found = find(where, pageSize)
    return { count: found.count, members: found.hits }
  }
  const counted = (where) => {
    const found = find(where, pageSize)
    return { count: found.count, entities: documents(found) }
  }
  const salaryIn = (low, high) => ({ salary: { between: [low, high] } })
  // Orama allocates an array of this length, so it is as short as the longest result allows.
  const most = 1_000

  return {
    get,
    selectByLastName: (name) => selected({ lastName: { eq: name } }),
    entitiesByLastName: (name) => documents(find({ lastName: { eq: name } }, most)),
    selectBySalary: (low, high) => selected(salaryIn(low, high)),
    entitiesBySalary: (low, high) => counted(salaryIn(low, high)),
    memberIds: (hits) => hits.map(({ document }) => document.ID),
    compound: (lastName, salary, before) =>
      documents(find({ lastName: { eq: lastName }, salary: { gt: salary } }, most)).filter(
        ({ active, birthDate }) => active && birthDate < before,
      ),
    related: (city, salary) => {
      const found = search(companyIndex, { where: { city: { eq: city } }, limit: most })
      return counted({
        companyID: { in: found.hits.map(({ document }) => document.ID) },
        salary: { gt: salary },
      })
    },
    pageAsJson: (firstId) =>
      JSON.stringify(Array.from({ length: pageSize }, (_, offset) => get(firstId + offset))),
    insert: (values) => insert(index, documentOf(values)),
    count: () => count(index),
  }
}
