import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  choose,
  executable,
  type OpenExplorer,
  openExplorer,
  patiently,
  violationsOf,
} from './browser.ts'
import { createOrders, type Orders } from './orders.ts'

describe.skipIf(executable === null)('a deletion in the explorer', () => {
  let store: Orders
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createOrders()
    site = await openExplorer(store)
    page = site.page
  })

  afterAll(() => site?.close())

  const dialog = () => page.getByRole('dialog')
  const undo = () => page.locator('.notice').getByRole('button', { name: 'Undo' })

  test('lists what it removes, and can be cancelled', async () => {
    await page.goto(`${site.origin}/#/Customer?open=1`)
    await page.locator('.panel').getByRole('button', { name: 'Delete…' }).click()
    await dialog().getByRole('heading', { name: 'Delete Customer 1?' }).waitFor()
    expect(await dialog().locator('li').allInnerTexts()).toEqual(['1 Ada Byron'])
    expect(await dialog().innerText()).toMatch(/30 of Order refer to it by customer/)
    expect(await dialog().innerText()).toMatch(/2 of Visit refer to it by customer/)
    expect(await violationsOf(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect(store.Customer.get(1)?.name).toBe('Ada Byron')
  })

  test('can be undone: the entity, cascaded entities with BLOBs, and emptied references', async () => {
    store.Order.update('A-001', { scan: new Uint8Array([1, 2, 3]) })
    const before = store.Order.query('customer.ID = 1')
      .toArray()
      .map(({ code }) => code)
    await page.locator('.panel').getByRole('button', { name: 'Delete…' }).click()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await undo().waitFor()
    expect([store.Customer.get(1), store.Order.count, store.Visit.get(1)?.customer]).toEqual([
      undefined,
      60,
      null,
    ])
    store.Visit.update(2, { customer: 3 })
    await undo().click()
    await page
      .locator('.notice', { hasText: 'Left alone: Visit 2: somebody has set its customer since.' })
      .waitFor()
    expect(store.Customer.get(1)?.city).toBe('London')
    expect(
      store.Order.query('customer.ID = 1')
        .toArray()
        .map(({ code }) => code),
    ).toEqual(before)
    expect(store.Order.get('A-001')?.scan?.size).toBe(3)
    expect(store.Visit.get(1)?.customer?.ID).toBe(1)
    // Another user has set it since.
    expect(store.Visit.get(2)?.customer?.ID).toBe(3)
  })

  test('of a changed entity is refused and shows its new state', async () => {
    await page.goto(`${site.origin}/#/Visit?open=3`)
    await page.locator('.panel').getByRole('button', { name: 'Delete…' }).click()
    await dialog().getByRole('heading', { name: 'Delete Visit 3?' }).waitFor()
    store.Visit.update(3, { day: '2024-04-01' })
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog().getByRole('alert').waitFor()
    expect(store.Visit.get(3)?.day).toBe('2024-04-01')
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await undo().waitFor()
    await undo().click()
    await page.locator('.notice', { hasText: 'Undone: Visit 3 deleted.' }).waitFor()
    expect(store.Visit.get(3)?.day).toBe('2024-04-01')
  })

  test('of a selection removes exactly the counted entities', async () => {
    await page.goto(`${site.origin}/#/Order?filter=${encodeURIComponent('total > 400')}`)
    const all = store.Order.query('total > 400')
      .toArray()
      .map(({ code }) => code)
    await choose(page, 'Delete…')
    await dialog()
      .getByRole('heading', { name: `Delete ${all.length} of Order?` })
      .waitFor()
    store.Order.insert({ code: 'B-1', total: 450, status: 'new' })
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await undo().waitFor()
    expect(
      store.Order.query('total > 400')
        .toArray()
        .map(({ code }) => code),
    ).toEqual(['B-1'])
    await undo().click()
    await page.locator('.notice', { hasText: `Undone: ${all.length} of Order deleted.` }).waitFor()
    await expect.poll(() => store.Order.count, patiently).toBe(91)
    expect(site.problems).toEqual([])
  })

  test('of more entities than undo restores says so before, and leaves nothing to undo', async () => {
    const many = Array.from({ length: 201 }, () => ({ day: '2024-05-01' }))
    store.Visit.load(many)
    await page.goto(`${site.origin}/#/Visit?filter=${encodeURIComponent("day = '2024-05-01'")}`)
    await choose(page, 'Delete…')
    await dialog().getByRole('heading', { name: 'Delete 201 of Visit?' }).waitFor()
    await dialog().getByText('This cannot be undone: undo restores at most 200').waitFor()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await page.locator('.notice', { hasText: '201 of Visit deleted.' }).waitFor()
    expect(await undo().count()).toBe(0)
    expect(store.Visit.query("day = '2024-05-01'").count).toBe(0)
    // One less can be undone.
    store.Visit.load(many.slice(1))
    await page.goto(`${site.origin}/#/Visit?filter=${encodeURIComponent("day >= '2024-05-01'")}`)
    await choose(page, 'Delete…')
    await dialog().getByRole('heading', { name: 'Delete 200 of Visit?' }).waitFor()
    await dialog().getByText('You can undo this until you leave the page').waitFor()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await undo().click()
    await page.locator('.notice', { hasText: 'Undone: 200 of Visit deleted.' }).waitFor()
    expect(store.Visit.query("day = '2024-05-01'").count).toBe(200)
  })
  test('of more entities than a server writes together runs in batches, with its numbers', async () => {
    store.Visit.load(Array.from({ length: 3500 }, () => ({ day: '2024-06-01' })))
    await page.goto(`${site.origin}/#/Visit?filter=${encodeURIComponent("day = '2024-06-01'")}`)
    await choose(page, 'Delete…')
    await dialog().getByText('They are deleted in batches of 1,000').waitFor()
    const left = () => store.Visit.query("day = '2024-06-01'").count
    // The second batch fails: nothing of it is deleted.
    let batches = 0
    await page.route('**/Visit?*delete*', async (route) => {
      const numbers = await dialog().locator('.progress').innerText()
      expect(numbers).toContain(`${['0', '1,000', '1,000', '2,000', '3,000'][batches]} of 3,500`)
      if (++batches === 2) await route.abort()
      else await route.continue()
    })
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog().getByText('1,000 of 3,500 are deleted. The server does not answer.').waitFor()
    expect(left()).toBe(2500)
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await page.locator('.notice', { hasText: '3,500 of Visit deleted.' }).waitFor()
    expect(left()).toBe(0)
    await page.unroute('**/Visit?*delete*')
  })
})
