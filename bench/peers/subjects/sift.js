import sift from 'sift'
import {
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

/**
 * sift: a MongoDB query made into a function, for `filter` and `find` of a plain array. The rows themselves are handed out.
 *
 * It keeps no data, and neither sorts nor aggregates.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'sift',
  version: versionOf('sift'),
  handsOutItsOwn: true,
  isIndexed: false,
  open({ companies, employees }) {
    const rows = employees.map((row) => ({ ...row, stamp: 1 }))
    const selected = (filter) => {
      const found = rows.filter(sift(filter))
      return { count: found.length, members: found.slice(0, pageSize) }
    }
    const counted = (filter) => {
      const { count, members } = selected(filter)
      return { count, entities: members }
    }
    return {
      get: (id) => rows.find(sift(byId(id))),
      selectByLastName: (name) => selected(byLastName(name)),
      selectBySalary: (low, high) => selected(bySalary(low, high)),
      selectByPrefix: (prefix) => selected(byPrefix(prefix)),
      memberIds: (members) => members.map(({ ID }) => ID),
      scan: (before, firstName) => counted(scanned(before, firstName)),
      compound: (lastName, salary, before) => rows.filter(sift(compound(lastName, salary, before))),
      related: (city, salary) =>
        counted(
          related(
            companies.filter(sift({ city })).map(({ ID }) => ID),
            salary,
          ),
        ),
      pageAsJson: (firstId) => JSON.stringify(rows.filter(sift({ ID: { $gte: firstId, $lt: firstId + pageSize } }))),
      compile: (_text, number) => sift(sixTerms(number)),
    }
  },
}
