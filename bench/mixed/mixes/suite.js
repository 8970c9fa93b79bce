import { makeData, randomNumbers } from '../../data.js'
import { digestEmployees } from '../describe.js'
import { LivingIds } from '../draws.js'
import { OfficeReference } from '../reference/office.js'
import { kindDraws, makeOffice, officeKinds, pageKinds } from './office-operations.js'

const seed = 41
const writesPerTest = 20

const writeShares = [
  ['update', 60],
  ['insert', 25],
  ['remove', 15],
]
const readShares = [...pageKinds.map((kind) => [kind, 15]), ['get', 25]]
const restoreKind = { title: 'restore', isReset: true }

/**
 * Tests that share one store: each writes and queries twenty times, then restores the store. @type
 * {import('./mix.js').Mix}
 */
export const suite = {
  id: 'suite',
  title: `a test suite over 10 000 rows: ${writesPerTest} writes, ${writesPerTest} queries, restore`,
  family: 'office',
  rows: 10_000,
  kinds: new Map([
    ...[...writeShares, ...readShares].map(([kind]) => [kind, officeKinds[kind]]),
    ['restore', restoreKind],
  ]),
  needs: ['mark'],
  prepare: (store) => store.mark(),
  makeData: (size) => makeData(size),
  operations: ({ vocabulary, employeeCount, companies: { length: companyCount } }) => {
    const random = randomNumbers(seed)
    const make = makeOffice(vocabulary, companyCount, random)
    const ids = new LivingIds(employeeCount).mark()
    const write = kindDraws(writeShares, random)
    const read = kindDraws(readShares, random)
    let step = 0
    return () => {
      if (step === 2 * writesPerTest) {
        step = 0
        ids.undo()
        return { kind: 'restore' }
      }
      return make[step++ % 2 === 0 ? write() : read()](ids)
    }
  },
  reference: (data) => new OfficeReference(data),
  digest: digestEmployees,
}
