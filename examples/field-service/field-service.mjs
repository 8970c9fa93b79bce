// A technician's visits as a replica. The office changes the plan while the train is in a tunnel.
import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { ReplicaError, replicate } from '@entia/replica'
import { createRestHandler, ReplicaState } from '@entia/rest'

const Customer = defineDataClass('Customer', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  name: attribute.string(),
  visits: attribute.relatedEntities('Visit', 'customer'),
})
const Visit = defineDataClass(
  'Visit',
  {
    ID: attribute.uuid({ key: true, autoSequence: true }),
    technician: attribute.string({ indexed: true }),
    hour: attribute.long({ min: 6, max: 20 }),
    done: attribute.bool({ default: false }),
    customer: attribute.relatedEntity('Customer'),
    notes: attribute.relatedEntities('Note', 'visit'),
  },
  {
    functions: {
      // Only the office numbers reports.
      finish: {
        on: 'entity',
        exposed: true,
        run: ({ entity, dataClass }) => {
          dataClass.update(entity.key, { done: true })
          const { count } = dataClass.query('done === true')
          return `report ${count}, notes: ${entity.notes.count}`
        },
      },
    },
  },
)
const Note = defineDataClass('Note', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  text: attribute.string({ notNull: true }),
  visit: attribute.relatedEntity('Visit', { onDelete: 'cascade' }),
})

// The office: a store on a server. ReplicaState notes which transactions it has decided.
const office = createDataStore({
  name: 'field',
  dataClasses: [Customer, Visit, Note, ReplicaState],
})
const mill = office.Customer.insert({ name: 'Mill' })
const lock = office.Customer.insert({ name: 'Lock' })
const first = office.Visit.insert({ technician: 'ann', hour: 9, customer: mill })
const second = office.Visit.insert({ technician: 'ann', hour: 11, customer: lock })
office.Visit.insert({ technician: 'bob', hour: 9, customer: lock })
const rest = createRestHandler(office, { replicas: true })

// The technician: a replica of Ann's visits, with their customers and notes.
let isInTunnel = false
const db = connect('http://office.example/rest', {
  fetch: (request) => {
    if (isInTunnel) throw new TypeError('no connection')
    return rest.fetch(request)
  },
})
const replica = await replicate(db, {
  dataClasses: [Customer, Visit, Note],
  shapes: { Visit: { filter: "technician === 'ann'", with: ['customer', 'notes'] } },
  pauses: { first: 10, longest: 50 },
})
const { store } = replica
const plan = () =>
  store.Visit.query("technician === 'ann'")
    .orderBy('hour')
    .toArray()
    .map(({ hour, customer, done }) => `${hour}:00 ${customer?.name}${done ? ' (done)' : ''}`)
    .join(', ')
console.log(`plan: ${plan()}`)

// Other visits are not here, and a query that needs them says so.
try {
  store.Visit.query('hour = 9')
} catch (error) {
  if (error instanceof ReplicaError) console.log(`${error.code}: ${error.message.split(':')[0]}`)
}

isInTunnel = true
await replica.transact((tx) => {
  tx.Note.insert({ text: 'bearing replaced', visit: first.ID })
})
const finish = await replica.callOn('Visit', first.ID, 'finish')
const later = await replica.transact((tx) => tx.Visit.update(second.ID, { hour: 12 }))
console.log(`in the tunnel: ${plan()}; ${replica.waiting.count} transactions wait`)
// Meanwhile in the office.
office.Visit.update(second.ID, { hour: 15 })

isInTunnel = false
const outcome = await later.outcome
if (outcome.kind === 'problem') {
  for (const { base, mine, theirs } of outcome.problem.conflicts)
    console.log(
      `a conflict: it was ${base?.hour}, Ann says ${mine?.hour}, the office says ${theirs?.hour}`,
    )
  await replica.solve(outcome.problem, 'theirs')
}
await replica.current()
console.log(`after it: ${plan()}`)
const finished = await finish.outcome
if (finished.kind === 'applied') console.log(`Ann gets ${finished.result}`)
console.log(`the office reads: ${office.Visit.get(first.ID)?.notes.first()?.text}`)
await replica.close()
