import { count, create, getByID, insert, insertMultiple, search } from '@orama/orama'
import { versionOf } from '../package-version.js'

const pageSize = 100
/** Documents in one go; the pause between goes is switched off. */
const batchSize = 10_000

/**
 * Orama: a search engine over documents. Numbers are kept in AVL trees, enums in maps; only what is indexed can be asked for, so that
 * terms without an index (first name, birth date) are tested on the documents found. It hands out the documents it keeps.
 *
 * Removing from its number trees loses other documents in this version (a range then counts too few), so that updates and removals
 * are not measured. There are no unique attributes, joins, aggregates, transactions, texts; a sort is by one attribute.
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
  // Orama makes an array of this length: it is as short as the longest answer allows.
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
      return counted({ companyID: { in: found.hits.map(({ document }) => document.ID) }, salary: { gt: salary } })
    },
    pageAsJson: (firstId) => JSON.stringify(Array.from({ length: pageSize }, (_, offset) => get(firstId + offset))),
    insert: (values) => insert(index, documentOf(values)),
    count: () => count(index),
  }
}
