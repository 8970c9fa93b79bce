import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, type OpenExplorer, openExplorer, patiently, violationsOf } from './browser.ts'
import { createOrders, type Orders } from './orders.ts'

describe.skipIf(executable === null)('relations in the explorer', () => {
  let store: Orders
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createOrders()
    site = await openExplorer(store)
    page = site.page
  }, 120_000)

  afterAll(() => site?.close())

  const panel = () => page.locator('aside.panel')
  const picker = () => panel().getByRole('combobox', { name: /^customer/ })
  const options = () => panel().getByRole('option').allInnerTexts()

  test('show their counts, with one request for each relation and page', async () => {
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('groupby')) asked.push(request.url())
    })
    await page.goto(`${site.origin}/#/Customer`)
    await page.getByRole('link', { name: '30 orders ⇉' }).waitFor()
    await page.getByRole('link', { name: '2 visits ⇉' }).waitFor()
    expect(await page.locator('.grid tbody tr').nth(2).innerText()).toMatch(/0 orders.*1 visits/s)
    expect(asked).toHaveLength(2)
  })

  test('are chosen by label with the keyboard', async () => {
    await page.goto(`${site.origin}/#/Order?open=A-001`)
    await expect.poll(() => picker().inputValue(), patiently).toBe('Ada Byron (1)')
    await picker().fill('o')
    await expect.poll(options, patiently).toEqual([expect.stringMatching(/^O'Neill & Sons\s2$/)])
    expect(await violationsOf(page)).toEqual([])
    await picker().press('Enter')
    expect(await picker().inputValue()).toBe("O'Neill & Sons (2)")
    await panel().getByRole('button', { name: 'Save' }).click()
    await page.locator('.notice', { hasText: 'Saved.' }).waitFor()
    expect(store.Order.get('A-001')?.customer?.ID).toBe(2)
    await picker().press('ArrowDown')
    await expect.poll(options, patiently).toHaveLength(3)
    await picker().press('Escape')
    await picker().fill('')
    await panel().getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => store.Order.get('A-001')?.customer, patiently).toBeNull()
  })

  test('are chosen by key, and in a cell', async () => {
    await picker().fill('3')
    await expect.poll(options, patiently).toEqual([expect.stringMatching(/^Zoë\s3$/)])
    await panel().getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => store.Order.get('A-001')?.customer?.ID, patiently).toBe(3)
    await expect.poll(() => picker().inputValue(), patiently).toBe('Zoë (3)')
    await page.goto(`${site.origin}/#/Order?columns=code,customer`)
    await panel().waitFor({ state: 'detached' })
    const editor = page.locator('.cell-editor')
    // A reading of rows that ends late, on a busy machine, takes the focus from the cell.
    const isOffered = async () => {
      if ((await editor.count()) === 0) {
        await page.locator('.grid tbody tr').first().locator('td').nth(1).focus()
        await page.keyboard.press('F2')
      }
      await editor.getByRole('combobox').fill('ada', { timeout: 3000 })
      await editor.getByRole('option', { name: 'Ada Byron' }).waitFor({ timeout: 3000 })
      return true
    }
    await expect.poll(() => isOffered().catch(() => false), patiently).toBe(true)
    await editor.getByRole('combobox').press('Tab')
    await expect.poll(() => store.Order.get('A-001')?.customer?.ID, patiently).toBe(1)
    expect(site.problems).toEqual([])
  })
})
