import { expect, test } from 'vitest'
import { createOffice } from './office.ts'
import { expected, held, opened } from './steps.ts'
import { until } from './waiting.ts'

test('of 100 000 entities of which 100 have changed, less than 150 kB are exchanged', async () => {
  const office = createOffice({}, 10)
  const cities = ['Paris', 'Rome', 'Oslo', 'Lima']
  const companies = office.store.Company
  companies.load(
    Array.from({ length: 100_000 }, (_, at) => ({
      name: `C${at}`,
      city: cities[at % 4]!,
      revenue: at * 1000,
    })),
  )
  const one = await opened(office, 0)
  one.cut()
  const keys = companies.all().keys()
  for (let at = 0; at < 100; at++)
    companies.update(keys[(at * 997) % keys.length]!, { revenue: at + 0.5 })
  await until(() => one.replica.state === 'offline')
  one.wire.lines.length = 0
  one.wire.sent.length = 0
  one.connect()
  await until(() => one.replica.state === 'current')
  expect(one.wire.lines.join('')).toContain('"mode":"compare"')
  expect(held(one)).toEqual(expected(office.store, one))
  const bytes = [...one.wire.sent, ...one.wire.lines].join('').length
  expect(bytes).toBeLessThan(150_000)
  expect(one.errors).toEqual([])
  await one.replica.close()
})
