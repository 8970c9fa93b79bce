import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const FULL = 'FF000000000000000000000000000000'
const Badge = defineDataClass('Badge', {
  ID: attribute.long({ key: true }),
  token: attribute.uuid(),
  shown: attribute.computed('uuid', {
    get: (e: { readonly token: string | null }) => e.token?.toLowerCase() ?? null,
  }),
})

test('a computed UUID is compared as a stored one, by every operator', () => {
  const store = createDataStore({ name: 'badges', dataClasses: [Badge] })
  store.Badge.load([
    { ID: 1, token: FULL },
    { ID: 2, token: '0011FF00000000000000000000000000' },
    { ID: 3, token: null },
  ])
  const tests = [
    `= '${FULL}'`,
    '= ff@',
    "begin 'FF'",
    `> '${FULL.replace('FF', 'FE')}'`,
    `in ['${FULL.toLowerCase()}', '@00@']`,
  ]
  for (const test of [...tests, `!= '${FULL}'`, 'is null'])
    expect(store.Badge.query(`shown ${test}`).keys(), test).toEqual(
      store.Badge.query(`token ${test}`).keys(),
    )
  expect(store.Badge.query(`shown = '${FULL}'`).keys()).toEqual([1])
})
