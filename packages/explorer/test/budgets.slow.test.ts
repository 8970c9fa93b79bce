import { createRestHandler } from '@entia/rest'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryOf } from '../src/page/addresses.ts'
import { type Ask, Refusal } from '../src/page/api.ts'
import { readChart } from '../src/page/chart-query.ts'
import { attributeOf, isScalar, readModel } from '../src/page/model.ts'
import { placeOf } from '../src/page/place.ts'
import { readerOfAll } from '../src/page/reader.ts'
import { readerOfSample, readSample } from '../src/page/sample.ts'
import { executable, type OpenExplorer, openExplorer, patiently } from './browser.ts'
import { createFlights } from './flights.ts'
import { createOrders } from './orders.ts'

test('a sample that holds the whole selection is summarized as the server does', async () => {
  const rest = createRestHandler(createOrders())
  const ask: Ask = async (path, { parameters = {} } = {}) => {
    const address = `http://localhost/rest/${path}${queryOf(parameters)}`
    const answer = await rest.fetch(new Request(address))
    const content: unknown = await answer.json()
    if (!answer.ok) throw new Refusal(answer.status, content)
    return content
  }
  const model = readModel(await ask('$catalog/$all'))
  let compared = 0
  for (const dataClass of model.classes.values()) {
    const dimensions = dataClass.attributes.filter(isScalar)
    const names = dimensions.map(({ name }) => name)
    const place = placeOf(dataClass.name)
    const all = readerOfAll(ask, place, new AbortController().signal)
    const sample = readerOfSample(await readSample(ask, place, names))
    for (const x of dimensions)
      for (const how of ['count', 'sum', 'average', 'min', 'max'] as const) {
        const y = dataClass.name === 'Order' ? 'total' : (dataClass.key ?? '')
        if (x.name === y || attributeOf(dataClass, y) === undefined) continue
        const choice = { x: x.name, y, how }
        expect(await readChart(sample, x, choice), JSON.stringify(choice)).toEqual(
          await readChart(all, x, choice),
        )
        compared++
      }
  }
  expect(compared).toBeGreaterThan(30)
})

test('a refusal does not name an option of the server', () => {
  const refusal = (message: string, errCode: number) =>
    new Refusal(400, { __ERROR: [{ message, errCode }] })
  const tooMuch =
    'The request is too expensive: records looked at above 9 (option "reading.maxRowVisits").'
  expect(refusal(tooMuch, 9055)).toMatchObject({
    isTooExpensive: true,
    message: 'The server does not read this much for one request.',
  })
  const tooLong =
    'The request is too expensive: characters of a filter above 9 (option "limits.maxFilterCharacters").'
  expect(refusal(tooLong, 9055)).toMatchObject({
    isTooExpensive: false,
    message: 'The request is too expensive: characters of a filter above 9.',
  })
  const busy =
    'The server has no room for reads (limit 9, option "limits.maxWaitingReads"). Try again.'
  expect(refusal(busy, 9121).message).toBe('The server has no room for reads (limit 9). Try again.')
})

describe.skipIf(executable === null)('what the budget of the server refuses', () => {
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    site = await openExplorer(createFlights())
    page = site.page
  })

  afterAll(() => site?.close())

  const show = (hash: string) => page.goto(`${site.origin}/#/Flight${hash}`)
  const refused = () => page.getByText('The server does not read this much').first().waitFor()
  const click = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
  const counted = (text: string) => page.locator('.pager output', { hasText: text }).waitFor()
  const sampled = () => page.getByText('From a sample: 10,000 of 60,000 entities.').waitFor()

  test('is shown without its order, or for a part of the dataclass', async () => {
    await show('?order=origin.name%20asc')
    await refused()
    expect(await page.locator('body').innerText()).not.toMatch(/option|reading\./)
    await click('Without the order')
    await counted('1–50 of 60,000')
    expect(page.url()).not.toContain('order=')
    await page.goBack()
    await refused()
    await click('Filter: a tenth')
    await counted('1–50 of 6,001')
    expect(await page.locator('#filter').inputValue()).toBe('ID <= 6001')
    expect(decodeURIComponent(page.url())).toContain('order=origin.name asc')
    await show('?filter=delay%20%3E%203')
    await refused()
    expect(await page.locator('.filter-error').count()).toBe(0)
    await click('Filter: a hundredth')
    await counted('of 596')
  })

  test('is drawn from a sample that says it is one', async () => {
    await show('?view=chart')
    await refused()
    await click('Show a sample')
    await sampled()
    await page.getByRole('img', { name: 'Chart: average of delay by date' }).waitFor()
    expect(await page.locator('.facts').first().innerText()).toMatch(/delay\t10,000\t2,\d{3},\d{3}/)
    await click('Read all')
    await refused()
    await click('Filter: a tenth')
    await page.getByRole('img', { name: 'Chart: average of delay by date' }).waitFor()
    expect(await page.getByText('From a sample').count()).toBe(0)
  })

  test('has the most frequent values of a sample', async () => {
    await show('')
    await counted('of 60,000')
    await click('Values')
    await page.getByLabel('Values of', { exact: true }).selectOption('distance')
    await refused()
    await click('Show a sample')
    await sampled()
    await expect.poll(() => page.locator('.facet').count(), patiently).toBe(12)
    await page.locator('.facet').first().click()
    await counted('of 20')
  })

  test('in the console has a smaller query', async () => {
    await page.goto(`${site.origin}/#/$console`)
    await page.getByLabel('Dataclass', { exact: true }).selectOption('Flight')
    await page.getByLabel('Order').fill('origin.name')
    await click('Run')
    await refused()
    await click('Without the order')
    await page.getByRole('status').filter({ hasText: '60,000 entities' }).waitFor()
    await page.locator('#filter').fill('delay > 3')
    await click('Run')
    await refused()
    await click('Filter: a hundredth')
    await page.getByRole('status').filter({ hasText: '596 entities' }).waitFor()
    expect(await page.locator('#filter').inputValue()).toBe('delay > 3 and ID <= 601')
  })

  test('is not narrowed twice to the same part', async () => {
    const message = 'The request is too expensive: records looked at above 9 (option "x").'
    const body = JSON.stringify({ __ERROR: [{ message, errCode: 9055 }] })
    await page.route('**groupby**', (route) => route.fulfill({ status: 400, body }))
    await show('?filter=ID%20%3C%3D%206001&view=chart')
    await refused()
    await click('Filter: a tenth')
    await page.locator('.notice', { hasText: 'for this part already' }).waitFor()
    expect(await page.locator('#filter').inputValue()).toBe('ID <= 6001')
    await page.unroute('**groupby**')
  })

  test('has a plan for a part', async () => {
    await show('?filter=delay%20%3E%203&view=plan')
    await refused()
    await click('Filter: a hundredth')
    await page.getByText('The parts have no counts').waitFor()
    expect(await page.locator('.plan svg').first().textContent()).toContain('596 found')
    expect(site.problems).toEqual([])
  })
})
