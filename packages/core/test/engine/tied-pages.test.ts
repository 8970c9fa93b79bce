import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { runs } from '../runs.ts'

const Worker = defineDataClass('Worker', {
  ID: attribute.long({ key: true }),
  salary: attribute.long({ indexed: true }),
  name: attribute.string(),
})

// From few ties to long ones: pages begin and end within them.
const staff = fc
  .record({ count: fc.nat(120), salaries: fc.integer({ min: 1, max: 90 }) })
  .chain(({ count, salaries }) =>
    fc.array(
      fc.record({
        salary: fc.nat(salaries - 1),
        name: fc.constantFrom('ann', 'ben', 'cho', 'dee'),
      }),
      {
        minLength: count,
        maxLength: count,
      },
    ),
  )

test('a page from an index orders equal entities by the further terms, then by record', () => {
  fc.assert(
    fc.property(
      staff,
      fc.nat(130),
      fc.nat(40),
      fc.boolean(),
      fc.boolean(),
      (rows, skip, top, isDown, isNamed) => {
        const store = createDataStore({ name: 'office', dataClasses: [Worker] })
        const workers = rows.map((row, i) => ({ ID: i + 1, ...row }))
        store.Worker.load(workers)
        const sign = isDown ? -1 : 1
        const sorted = workers.toSorted(
          (a, b) =>
            sign * (a.salary - b.salary) ||
            (isNamed ? -Number(a.name > b.name) + Number(a.name < b.name) : 0) ||
            a.ID - b.ID,
        )
        const text = `salary${isDown ? ' desc' : ''}${isNamed ? ', name desc' : ''}`
        const page = store.Worker.all().orderBy(text).page(skip, top)
        expect(page.keys()).toEqual(sorted.slice(skip, skip + top).map(({ ID }) => ID))
      },
    ),
    runs(300),
  )
})
