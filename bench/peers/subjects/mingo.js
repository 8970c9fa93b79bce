import { aggregate, Query } from 'mingo'
import {
  bornBefore,
  byId,
  byLastName,
  byPrefix,
  bySalary,
  compound,
  related,
  scanned,
  sixTerms,
} from '../operations/mongo-filters.js'
import { versionOf } from '../package-version.js'

const pageSize = 100
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

/**
 * mingo: MongoDB queries over a plain array. Nothing is indexed, every answer is a scan, and the rows themselves are handed out.
 *
 * It keeps no data, so that loading, memory and writes have no meaning.
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
    const selected = (filter) => {
      const found = find(filter).all()
      return { count: found.length, members: found.slice(0, pageSize) }
    }
    const counted = (filter) => {
      const { count, members } = selected(filter)
      return { count, entities: members }
    }
    const ordered = (filter, skip, top) => find(filter).sort({ salary: -1, lastName: 1 }).skip(skip).limit(top).all()
    return {
      get: (id) => find(byId(id)).next(),
      selectByLastName: (name) => selected(byLastName(name)),
      selectBySalary: (low, high) => selected(bySalary(low, high)),
      selectByPrefix: (prefix) => selected(byPrefix(prefix)),
      memberIds: (members) => members.map(({ ID }) => ID),
      scan: (before, firstName) => counted(scanned(before, firstName)),
      compound: (lastName, salary, before) => find(compound(lastName, salary, before)).all(),
      related: (city, salary) => {
        const ids = new Query({ city })
          .find(companies)
          .all()
          .map(({ ID }) => ID)
        return counted(related(ids, salary))
      },
      pageOfAll: (skip, top) => ordered({}, skip, top),
      pageOfBornBefore: (before, skip, top) => ordered(bornBefore(before), skip, top),
      aggregate: (before) => aggregate(rows, [{ $match: bornBefore(before) }, aggregates])[0],
      distinctLastNames: () => aggregate(rows, [{ $group: { _id: '$lastName' } }]).map(({ _id }) => _id),
      pageAsJson: (firstId) => JSON.stringify(find({ ID: { $gte: firstId, $lt: firstId + pageSize } }).all()),
      compile: (_text, number) => new Query(sixTerms(number)),
    }
  },
}
