import { expect, test } from 'vitest'
import {
  type AnySelection,
  attribute,
  createDataStore,
  defineDataClass,
  keyOf,
  stampOf,
} from '../../src/index.ts'

const Firm = defineDataClass('Firm', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  open: attribute.bool(),
  staff: attribute.relatedEntities('Clerk', 'firm'),
  size: attribute.computed('long', {
    get: (firm: { readonly staff: { readonly count: number } }) => firm.staff.count,
  }),
})
const Clerk = defineDataClass('Clerk', {
  ID: attribute.long({ key: true }),
  wage: attribute.number({ indexed: true }),
  firm: attribute.relatedEntity('Firm', { foreignKey: 'firmID' }),
  firmID: attribute.long(),
  firmName: attribute.alias('firm.name'),
  place: attribute.computed('string', {
    get: (clerk: { readonly firm: { readonly name: string | null } | null }) =>
      clerk.firm?.name ?? 'nowhere',
  }),
})

/** Firm 2 is closed; clerks 1 and 3 work there, 2 and 4 at firm 1, 5 nowhere. */
function market() {
  const store = createDataStore({ name: 'market', dataClasses: [Firm, Clerk] })
  store.Firm.load([
    { ID: 1, name: 'Open Ltd', open: true },
    { ID: 2, name: 'Shut Ltd', open: false },
  ])
  store.Clerk.load(
    [1, 2, 3, 4, 5].map((ID) => ({
      ID,
      wage: ID * 10,
      firm: ID === 5 ? null : ID % 2 === 0 ? 1 : 2,
    })),
  )
  return store
}
const OPEN = { rows: { Firm: 'open' } } as const

test('a hidden entity is absent, and relations to it are empty', () => {
  const view = market().view(OPEN)
  const clerks = view.dataClass('Clerk')
  expect(view.dataClass('Firm').count).toBe(1)
  expect(clerks.query('firm = null').keys()).toEqual([1, 3, 5])
  expect(clerks.query('firm != null').keys()).toEqual([2, 4])
  expect(clerks.query('firm = 2').keys()).toEqual([])
  expect(clerks.query('firm.ID = 2 or firm.ID = 1').keys()).toEqual([2, 4])
  expect(clerks.query('firm != 7').keys()).toEqual([2, 4])
  expect(clerks.query('firmName = null and wage < 40').keys()).toEqual([1, 3])
  expect(clerks.all().orderBy('firm.name desc, ID').keys()).toEqual([2, 4, 1, 3, 5])
  expect(clerks.all().distinct('firmName')).toEqual(['Open Ltd'])
  expect(clerks.from([1]).select('firm.name, firmName')).toEqual([{ firm: null, firmName: null }])
  expect(clerks.get(1)?.firm).toBeNull()
})

test('a foreign key attribute stays readable unless it is hidden itself', () => {
  const store = market()
  expect(store.view(OPEN).dataClass('Clerk').query('firmID = 2').keys()).toEqual([1, 3])
  const view = store.view({ ...OPEN, hides: ({ name }) => name === 'firmID' })
  expect(() => view.dataClass('Clerk').query('firmID = 2')).toThrow(/firmID/)
  expect(view.dataClass('Clerk').query('firm = 1').keys()).toEqual([2, 4])
})

test('computed values read what the caller may see; those in a row filter read everything', () => {
  const store = market()
  const view = store.view(OPEN)
  expect(view.dataClass('Clerk').query('place = nowhere').keys()).toEqual([1, 3, 5])
  expect(view.dataClass('Clerk').all().distinct('place')).toEqual(['nowhere', 'Open Ltd'])
  expect(view.dataClass('Clerk').all().orderBy('place, ID desc').keys()).toEqual([5, 3, 1, 4, 2])
  const few = store.view({ rows: { Clerk: 'wage < 30', Firm: 'size = 2' } })
  expect(few.dataClass('Firm').all().select('ID, size')).toEqual([
    { ID: 1, size: 1 },
    { ID: 2, size: 1 },
  ])
  expect(few.dataClass('Firm').query('size = 2').count).toBe(0)
  expect(few.dataClass('Clerk').query('firm.size = 1').keys()).toEqual([1, 2])
})

test('row filters take parameters, can use hidden names, and can be absent', () => {
  const store = market()
  const named = store.view({
    rows: new Map([
      ['Clerk', { filter: 'firm.name = :firm', parameters: { firm: "Shut' or 'Ltd" } }],
    ]),
  })
  expect(named.dataClass('Clerk').count).toBe(0)
  const hidden = store.view({ rows: { Clerk: 'wage > 30' }, hides: ({ name }) => name === 'wage' })
  expect(hidden.dataClass('Clerk').all().keys()).toEqual([4, 5])
  expect(() => hidden.dataClass('Clerk').query('wage > 30')).toThrow(/wage/)
  const nobody = store.view({ rows: { Firm: false } })
  expect(nobody.dataClass('Firm').all().count).toBe(0)
  expect(nobody.dataClass('Clerk').query('firm != null').count).toBe(0)
  expect(store.view({ rows: { Firm: ' ' } }).restrictsRows).toBe(false)
})

test('an entity from outside the view is read as the caller may see it', () => {
  const store = market()
  const view = store.view(OPEN)
  const clerk = store.Clerk.update(1, { wage: 11 })
  expect(clerk.firm?.name).toBe('Shut Ltd')
  expect(view.related(clerk, 'firm')).toBeNull()
  expect(view.relatedKey(clerk, 'firm')).toBeNull()
  expect(view.valueOf(clerk, 'firmName')).toBeNull()
  expect(view.valueOf(clerk, 'place')).toBe('nowhere')
  expect(view.valueOf(clerk, 'wage')).toBe(11)
  const preview = store.Clerk.preview(2, { wage: 1, firm: 2 })
  expect([view.valueOf(preview, 'wage'), view.valueOf(preview, 'place')]).toEqual([1, 'nowhere'])
  const staff = view.related(store.Firm.get(2)!, 'staff') as AnySelection
  expect(staff.keys()).toEqual([1, 3])
  expect(staff.first()?.firm).toBeNull()
  const seen = view.dataClass('Clerk').get(2)!
  expect([keyOf(seen), stampOf(seen), JSON.stringify(seen)]).toEqual([
    2,
    1,
    JSON.stringify(store.Clerk.get(2)),
  ])
  expect(seen.firm?.staff.toArray().map((other) => other.firm?.name)).toEqual([
    'Open Ltd',
    'Open Ltd',
  ])
  expect(() => view.related(seen, 'wage')).toThrow(/wage/)
  expect(() => view.valueOf(seen, 'firm')).toThrow(/related/)
})

test('inside a transaction a view sees what is staged', () => {
  const store = market()
  const view = store.view(OPEN)
  store.transact((tx) => {
    tx.Firm.update(2, { open: true })
    tx.Firm.insert({ ID: 3, name: 'New', open: true })
    expect(view.dataClass('Firm').get(2)?.name).toBe('Shut Ltd')
    expect(view.dataClass('Firm').has(3)).toBe(true)
    expect(view.dataClass('Clerk').get(1)?.firm?.name).toBe('Shut Ltd')
  })
  expect(view.dataClass('Firm').all().keys()).toEqual([1, 2, 3])
})

test('removed members keep their place if the same filter showed them, and hidden ones have none', () => {
  const store = market()
  const rows = { Clerk: 'wage < 50' }
  const own = store.view({ rows }).dataClass('Clerk').all().orderBy('wage desc')
  const foreign = store.Clerk.all()
  const other = store
    .view({ rows: { Clerk: 'wage < 45' } })
    .dataClass('Clerk')
    .all()
  store.Clerk.remove(2)
  store.Clerk.remove(5)
  store.Clerk.insert({ ID: 6, wage: 1 })
  store.Clerk.update(3, { wage: 99 })
  const view = store.view({ rows })
  const places = (selection: AnySelection) =>
    view
      .apply(selection)
      .members()
      .map((entity) => entity?.key)
  // 3 was hidden since; 2 was removed and had been visible.
  expect(places(own)).toEqual([4, undefined, 1])
  expect(view.apply(own).count).toBe(3)
  expect(
    view
      .apply(own)
      .page(1, 2)
      .members()
      .map((entity) => entity?.key),
  ).toEqual([undefined, 1])
  expect(view.apply(own).clean().count).toBe(2)
  expect(
    view
      .apply(own)
      .orderBy('wage')
      .members()
      .map((entity) => entity?.key),
  ).toEqual([1, 4, undefined])
  // It is unknown whether 2 and 5 were visible.
  expect(places(foreign)).toEqual([1, 4])
  expect(view.apply(foreign).count).toBe(2)
  expect(places(other)).toEqual([1, 4])
  // Without restrictions a selection stays as it is.
  expect(store.view().apply(foreign).count).toBe(5)
  expect(
    store
      .view({ rows: { Firm: false } })
      .apply(foreign)
      .members().length,
  ).toBe(5)
})

test('an entity set shows each caller what that caller may see', () => {
  const store = market()
  const mine = store.entitySets.create(
    store
      .view({ rows: { Clerk: 'wage > 20' } })
      .dataClass('Clerk')
      .all(),
  )
  const all = store.entitySets.create(store.Clerk.all())
  const view = store.view({ rows: { Clerk: 'wage < 40' } })
  // The set keeps the members, not the view.
  expect(store.entitySets.get(mine)?.query('wage < 40').keys()).toEqual([3])
  expect(store.entitySets.get(mine)?.first()?.firm?.staff.count).toBe(2)
  expect(view.apply(store.entitySets.get(mine)!).keys()).toEqual([3])
  expect(view.apply(store.entitySets.get(all)!).query('ID > 1').keys()).toEqual([2, 3])
  expect(view.apply(store.entitySets.combine(all, 'EXCEPT', mine)).keys()).toEqual([1, 2])
})

test('a plan shows the query and its counts, and nothing hidden', () => {
  const store = market()
  const view = store.view({
    rows: { Clerk: { filter: 'firm.name = Shut@', wildcards: true }, Firm: 'open' },
  })
  const table = view.dataClass('Clerk')
  const filter = 'wage >= 20 and place = nowhere'
  const reported = [
    table.explain(filter),
    table.query(filter).orderBy('wage').explain(),
    ...table.plans(filter),
  ]
  for (const plan of reported) {
    expect(plan.root).toMatchObject({
      operator: 'view',
      estimatedRows: 1,
      actualRows: 1,
      milliseconds: null,
      inputs: [],
    })
    // Without the index: the chosen one depends on the number of entities.
    expect(plan.condition).toEqual(
      JSON.parse(
        JSON.stringify(store.Clerk.explain(filter).condition).replace('"Clerk.wage"', 'null'),
      ),
    )
    expect(JSON.stringify(plan) + String(plan)).not.toMatch(/shut|open|name/i)
  }
  // A foreign key does not show whether the entity is visible, so the relation is followed.
  expect(table.explain('firm = null').condition).toMatchObject({
    kind: 'join',
    source: 'Clerk',
    target: 'Firm',
  })
  expect(JSON.stringify(table.explain('firm = null'))).not.toMatch(/shut|open|name/i)
  expect(table.all().explain().condition).toBeNull()
})

test('applying a view to its own selection changes nothing', () => {
  const view = market().view({ rows: { Clerk: 'wage < 30' } })
  const table = view.dataClass('Clerk').all().dataClass
  expect([table.name, table.count, table.get(5)]).toEqual(['Clerk', 2, undefined])
})
