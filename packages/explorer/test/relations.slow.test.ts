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
  const cell = (row: number, column: number) =>
    page.locator('.grid tbody tr').nth(row).locator('td').nth(column)
  const editor = () => page.locator('.cell-editor')
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

  test('to one entity show its label, and sort by it', async () => {
    await page.goto(`${site.origin}/#/Order?columns=code,customer`)
    const shown = page.locator('.grid td a')
    await expect
      .poll(async () => (await shown.allInnerTexts()).slice(0, 2), patiently)
      .toEqual(['Ada Byron →', "O'Neill & Sons →"])
    await page.getByRole('button', { name: 'customer' }).click()
    await expect.poll(() => page.url()).toContain('order=customer.name%20asc')
    await expect
      .poll(async () => (await shown.allInnerTexts()).slice(0, 2), patiently)
      .toEqual(['Ada Byron →', 'Ada Byron →'])
    const header = page.locator('.grid th', { hasText: 'customer' })
    expect(await header.getAttribute('aria-sort')).toBe('ascending')
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
    await page.goto(`${site.origin}/#/Order?columns=code,customer&order=code%20asc`)
    await panel().waitFor({ state: 'detached' })
    await cell(0, 1).focus()
    await page.keyboard.press('F2')
    await editor().getByRole('combobox').fill('ada')
    await editor().getByRole('option', { name: 'Ada Byron' }).waitFor()
    await editor().getByRole('combobox').press('Tab')
    await expect.poll(() => store.Order.get('A-001')?.customer?.ID, patiently).toBe(1)
    expect(site.problems).toEqual([])
  })

  test('are typed over a label that arrives after the editor has opened', async () => {
    await page.keyboard.press('Escape')
    await editor().waitFor({ state: 'detached' })
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const labels = (url: URL) => url.pathname.endsWith('/Customer[1]')
    await page.route(labels, async (route) => {
      await held
      await route.continue()
    })
    await cell(0, 1).focus()
    await page.keyboard.press('F2')
    const input = editor().getByRole('combobox')
    await expect.poll(() => input.inputValue(), patiently).toBe('1')
    answer()
    await expect.poll(() => input.inputValue(), patiently).toBe('Ada Byron (1)')
    await page.unroute(labels)
    await page.keyboard.type('zo')
    await expect.poll(() => input.inputValue(), patiently).toBe('zo')
    await editor().getByRole('option', { name: 'Zoë' }).waitFor()
  })

  test('that are found stay when a reload moves the row', async () => {
    const input = editor().getByRole('combobox')
    expect(await input.inputValue()).toBe('zo')
    store.Order.insert({ code: 'A-000', total: 1, status: 'new', customer: 2 })
    await page.getByRole('button', { name: 'Refresh' }).dispatchEvent('click')
    await page.locator('.grid tbody tr', { hasText: 'A-000' }).waitFor()
    await page.evaluate('document.activeElement.blur()')
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("role")'))
      .toBe('combobox')
    await editor().getByRole('option', { name: 'Zoë' }).waitFor()
    await input.press('Enter')
    await input.press('Enter')
    await expect.poll(() => store.Order.get('A-001')?.customer?.ID, patiently).toBe(3)
    expect(site.problems).toEqual([])
  })
})
