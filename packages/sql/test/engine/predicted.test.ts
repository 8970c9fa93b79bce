import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { predictedOfSave, predictedOfWrite } from '../../src/engine/predicted.ts'

const number = attribute.long({ key: true, autoSequence: true })
const Numbered = defineDataClass('Numbered', { ID: number })
const Named = defineDataClass('Named', { ID: attribute.string({ key: true }) })
const Universal = defineDataClass('Universal', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
})
const Counted = defineDataClass('Counted', {
  ID: attribute.string({ key: true }),
  place: attribute.long({ autoSequence: true }),
})

test('a new entity needs the next number of a sequence only where numbers are counted', () => {
  const { catalog } = createDataStore({
    name: 'keys',
    dataClasses: [Numbered, Named, Universal, Counted],
  })
  const needed = catalog.classes.map((dataClass) => {
    const values = new Map()
    const items = [{ reference: null, values }]
    const ofWrite = predictedOfWrite({ dataClass, items } as never)
    expect(predictedOfSave(dataClass, null, values)).toEqual(ofWrite)
    return [dataClass.name, ofWrite.map(({ kind }) => kind)]
  })
  expect(Object.fromEntries(needed)).toEqual({
    Numbered: ['sequence'],
    Named: [],
    Universal: [],
    Counted: ['sequence'],
  })
})
