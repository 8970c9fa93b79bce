import { makeData } from '../../data.js'
import { digestEmployees } from '../describe.js'
import { OfficeReference } from '../reference/office.js'
import { drawnOperations, officeKinds } from './office-operations.js'

const seed = 31

/** In percent. */
const shares = [
  ['pageByName', 12],
  ['pageBornBefore', 12],
  ['pageByCity', 12],
  ['pageByPrefix', 12],
  ['pageBySalary', 12],
  ['get', 15],
  ['companyOf', 5],
  ['staffOf', 5],
  ['update', 10],
  ['insert', 3],
  ['remove', 1],
  ['aggregateOfCity', 0.5],
  ['aggregateBornBefore', 0.5],
]

/** The requests of a web application: mostly pages. @type {import('./mix.js').Mix} */
export const web = {
  id: 'web',
  title:
    'a web application: 60 % pages, 15 % get, 10 % relations, 10 % update, 3 % insert, 1 % delete, 1 % aggregates',
  family: 'office',
  kinds: new Map(shares.map(([kind, share]) => [kind, { ...officeKinds[kind], share }])),
  makeData: (size) => makeData(size),
  operations: (data) => drawnOperations(data, shares, seed),
  reference: (data) => new OfficeReference(data),
  digest: digestEmployees,
}
