import sift from 'sift'
import { byId, readsByFilter, sixTerms } from '../operations/mongo-filters.js'
import { versionOf } from '../package-version.js'

/**
 * sift: compiles a MongoDB query to a function for `filter` and `find` of a plain array. It returns
 * the rows themselves. It stores no data, and neither sorts nor aggregates.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'sift',
  version: versionOf('sift'),
  handsOutItsOwn: true,
  isIndexed: false,
  open({ companies, employees }) {
    const rows = employees.map((row) => ({ ...row, stamp: 1 }))
    return {
      ...readsByFilter(
        (filter) => rows.filter(sift(filter)),
        (filter) => companies.filter(sift(filter)),
      ),
      get: (id) => rows.find(sift(byId(id))),
      compile: (_text, number) => sift(sixTerms(number)),
    }
  },
}
