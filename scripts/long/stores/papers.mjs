/** A store of large values with the default limits: replaced values must be freed. */
import { attribute, createDataStore, defineDataClass } from '@entia/core'

export const PAPERS = 4

const Paper = defineDataClass('Paper', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
  notes: attribute.object(),
  scan: attribute.blob(),
})

const store = createDataStore({ name: 'papers', dataClasses: [Paper] })
store.Paper.load(Array.from({ length: PAPERS }, () => ({ text: 'nothing yet' })))

export default store
