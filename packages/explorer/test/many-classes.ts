import { attribute, createDataStore, defineDataClass } from '@entia/core'

const subjects = [
  'Customer',
  'Order',
  'Invoice',
  'Product',
  'Supplier',
  'Shipment',
  'Employee',
  'Project',
  'Contract',
  'Payment',
]
const parts = [
  '',
  'Line',
  'Address',
  'Note',
  'Category',
  'History',
  'Attachment',
  'Status',
  'Approval',
  'PriceAgreementItem',
  'Contact',
  'Account',
  'Schedule',
  'Region',
  'Tag',
  'Version',
  'Rule',
  'Event',
  'Summary',
  'Archive',
]

/** The names of 200 dataclasses: ten subjects with nineteen parts each. */
const manyNames: readonly string[] = subjects.flatMap((subject) =>
  parts.map((part) => `${subject}${part}`),
)

/** A store of 200 dataclasses; each part leads to its subject, and each subject to the next one. */
export function createManyClasses() {
  const dataClasses = manyNames.map((name, at) => {
    const isSubject = at % parts.length === 0
    const target = isSubject
      ? manyNames[(at + parts.length) % manyNames.length]
      : manyNames[at - (at % parts.length)]
    const width = 3 + (at % 7)
    return defineDataClass(name, {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ notNull: true, indexed: true }),
      ...Object.fromEntries(
        Array.from({ length: width }, (_, one) => [`value${one + 1}`, attribute.number()]),
      ),
      parent: attribute.relatedEntity(target ?? name),
    })
  })
  const store = createDataStore({ name: 'many', dataClasses })
  manyNames.forEach((name, at) => {
    const rows = Array.from({ length: at % 13 }, (_, one) => ({ name: `${name} ${one + 1}` }))
    store.dataClass(name).load(rows)
  })
  return store
}
