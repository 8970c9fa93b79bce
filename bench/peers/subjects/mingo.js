import { aggregate, Query } from 'mingo'
import { bornBefore, byId, readsByFilter, sixTerms } from '../operations/mongo-filters.js'
import { versionOf } from '../package-version.js'

const aggregates = {
  $group: {
    _id: null,
    count: { $sum: 1 },
    sum: { $sum: '$salary' },
    average: { $avg: '$salary' },
    min: { $min: '$salary' },
    max: { $max: '$salary' },
  },
}

const groupsBy = (attribute) => [
  {
    $group: {
      _id: `$${attribute}`,
      count: { $sum: 1 },
      average: { $avg: '$salary' },
      max: { $max: '$salary' },
    },
  },
  { $project: { _id: 0, name: '$_id', count: 1, average: 1, max: 1 } },
]

/**
 * mingo: MongoDB queries over a plain array. It has no indexes: every query is a scan that returns
 * the rows themselves. It stores no data, so loading, memory and writes do not apply.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'mingo',
  version: versionOf('mingo'),
  handsOutItsOwn: true,
  isIndexed: false,
  open({ companies, employees }) {
    const rows = employees.map((row) => ({ ...row, stamp: 1 }))
    const find = (filter) => new Query(filter).find(rows)
    const ordered = (filter, skip, top) =>
      find(filter).sort({ salary: -1, lastName: 1 }).skip(skip).limit(top).all()
    return {
      ...readsByFilter(
        (filter) => find(filter).all(),
        (filter) => new Query(filter).find(companies).all(),
      ),
      get: (id) => find(byId(id)).next(),
      pageOfAll: (skip, top) => ordered({}, skip, top),
      pageOfBornBefore: (before, skip, top) => ordered(bornBefore(before), skip, top),
      aggregate: (before) => aggregate(rows, [{ $match: bornBefore(before) }, aggregates])[0],
      groupByFirstName: (before) =>
        aggregate(
          rows,
          before === null
            ? groupsBy('firstName')
            : [{ $match: bornBefore(before) }, ...groupsBy('firstName')],
        ),
      distinctLastNames: () =>
        aggregate(rows, [{ $group: { _id: '$lastName' } }]).map(({ _id }) => _id),
      compile: (_text, number) => new Query(sixTerms(number)),
    }
  },
}
