import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Airport = defineDataClass('Airport', {
  code: attribute.string({ key: true }),
  state: attribute.string({ indexed: true }),
})
const Flight = defineDataClass('Flight', {
  ID: attribute.long({ key: true, autoSequence: true }),
  date: attribute.date({ dateOnly: true }),
  delay: attribute.long(),
  origin: attribute.relatedEntity('Airport'),
})
const store = createDataStore({ name: 'flights', dataClasses: [Airport, Flight] })
store.Airport.load([
  { code: 'DFW', state: 'TX' },
  { code: 'HOU', state: 'TX' },
  { code: 'SFO', state: 'CA' },
])
store.Flight.load([
  { date: '2001-01-15', delay: 40, origin: 'DFW' },
  { date: '2001-01-20', delay: 10, origin: 'HOU' },
  { date: '2001-02-03', delay: 5, origin: 'SFO' },
])

// Groups along a relation, and by month.
const late = store.Flight.query('delay > 0')
console.log(late.groupBy('origin.state', { count: true, delay: ['average', 'max'] }).toArray())
const byMonth = late.groupBy('date.month', { delay: 'sum' }).orderBy('delay.sum desc')
console.log(byMonth.first())
