// The dataclasses of the office, which the page has too.
import { attribute, defineDataClass } from '@entia/core'

const Customer = defineDataClass('Customer', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  visits: attribute.relatedEntities('Visit', 'customer'),
})
const Visit = defineDataClass(
  'Visit',
  {
    ID: attribute.uuid({ key: true, autoSequence: true }),
    technician: attribute.string({ indexed: true, notNull: true }),
    hour: attribute.long({ notNull: true, min: 6, max: 20 }),
    report: attribute.string(),
    customer: attribute.relatedEntity('Customer'),
    notes: attribute.relatedEntities('Note', 'visit'),
    photos: attribute.relatedEntities('Photo', 'visit'),
  },
  {
    functions: {
      // Only the office numbers reports.
      finish: {
        on: 'entity',
        exposed: true,
        run: ({ entity, dataClass }) => {
          const { notes, photos } = entity
          const number = dataClass.query('report !== null').count + 1
          const report = `Report ${number}: ${notes.count} notes, ${photos.count} photos`
          dataClass.update(entity.key, { report })
          return report
        },
      },
    },
  },
)
const Note = defineDataClass('Note', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  text: attribute.string({ notNull: true, minLength: 1 }),
  visit: attribute.relatedEntity('Visit', { onDelete: 'cascade' }),
})
// A replica holds no images. A photo of some kilobytes can be a text: a data URL.
const Photo = defineDataClass('Photo', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  dataUrl: attribute.string({ notNull: true, maxLength: 200_000 }),
  visit: attribute.relatedEntity('Visit', { onDelete: 'cascade' }),
})

export const dataClasses = /** @type {const} */ ([Customer, Visit, Note, Photo])
