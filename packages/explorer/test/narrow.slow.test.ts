import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineOf } from '../src/page/export-data.ts'
import { narrowed } from '../src/page/narrow.ts'
import {
  choose,
  executable,
  type OpenExplorer,
  openExplorer,
  patiently,
  violationsOf,
} from './browser.ts'
import { createOrders, type Orders } from './orders.ts'

test('a condition is added before the order, and around alternatives', () => {
  expect(narrowed('', 'a = 1')).toBe('a = 1')
  expect(narrowed('b = 2', 'a = 1')).toBe('b = 2 and a = 1')
  expect(narrowed('b = 2 or c = 3 order by b', 'a = 1')).toBe(
    '(b = 2 or c = 3) and a = 1 order by b',
  )
  expect(narrowed("b = 'x or order by'", 'a = 1')).toBe("b = 'x or order by' and a = 1")
  expect(narrowed('order by b', 'a = 1')).toBe('a = 1 order by b')
})

test('a line of CSV quotes commas, quotes and line breaks', () => {
  expect(lineOf(['a', 'b,c', 'd"e', 'f\ng'], 'csv')).toBe('a,"b,c","d""e","f\ng"\r\n')
})

describe.skipIf(executable === null)('a selection in the explorer', () => {
  let store: Orders
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createOrders()
    store.Visit.load(Array.from({ length: 2500 }, (_, at) => ({ ID: 10 + at })))
    site = await openExplorer(store)
    page = site.page
  })

  afterAll(() => site?.close())

  const filter = () => page.getByRole('combobox', { name: /^Filter of/ })
  const counted = (text: string) => page.locator('.pager output', { hasText: text }).waitFor()
  const cell = (row: number, column: number) =>
    page.locator('.grid tbody tr').nth(row).locator('td').nth(column)
  const toolbar = () => page.getByRole('toolbar')

  test('is filtered by the value of a cell, or without it', async () => {
    await page.goto(`${site.origin}/#/Order?columns=code,note,placed,customer`)
    await counted('of 90')
    await cell(2, 1).click({ button: 'right' })
    const menu = page.getByRole('dialog', { name: 'Filter by note' })
    expect(await violationsOf(page)).toEqual([])
    await menu.getByRole('button', { name: 'Only note =1+1' }).click()
    await counted('of 22')
    expect(await filter().inputValue()).toBe("note === '=1+1'")
    await cell(0, 3).click({ button: 'right' })
    await page.getByRole('button', { name: 'Exclude customer' }).click()
    await expect
      .poll(() => filter().inputValue(), patiently)
      .toMatch(/^note === '=1\+1' and not customer\.ID === '\d'$/)
    await cell(0, 2).click({ button: 'right' })
    await page.getByRole('button', { name: 'Only placed' }).click()
    await counted('of 1')
    await page.goto(`${site.origin}/#/Order?columns=code,note`)
    await counted('of 90')
    await cell(0, 1).click({ button: 'right' })
    await page.getByRole('button', { name: 'Only note null' }).click()
    await counted('of 23')
  })

  test('shows the most frequent values; a click narrows it, also by a range', async () => {
    await page.goto(`${site.origin}/#/Order`)
    await counted('of 90')
    await toolbar().getByRole('button', { name: 'Values' }).click()
    const values = page.getByRole('region', { name: 'Values' })
    await values.getByRole('combobox').selectOption('status')
    await expect
      .poll(() => values.locator('.facet').allInnerTexts(), patiently)
      .toEqual(['new 30', 'paid 30', 'sent 30'])
    await values.getByRole('button', { name: 'paid 30' }).click()
    await counted('of 30')
    await values.getByRole('combobox').selectOption('total')
    await values.getByLabel('from').fill('100')
    await values.getByLabel('to', { exact: true }).fill('200')
    await values.getByRole('button', { name: 'Apply' }).click()
    await expect
      .poll(() => filter().inputValue(), patiently)
      .toBe("status === 'paid' and total >= 100 and total <= 200")
    await counted(
      `of ${store.Order.query("status = 'paid' and total >= 100 and total <= 200").count}`,
    )
    await values.getByRole('combobox').selectOption('placed')
    await values.getByLabel('from').fill('2022-06-01T00:00')
    await values.getByRole('button', { name: 'Apply' }).click()
    await expect
      .poll(() => filter().inputValue(), patiently)
      .toContain("placed >= '2022-06-01T00:00:00Z'")
    expect(await violationsOf(page)).toEqual([])
  })

  test('has completions of values, also over relations and inside quotes', async () => {
    await page.goto(`${site.origin}/#/Order`)
    await filter().fill('customer.name = o')
    await page.getByRole('option', { name: "O'Neill & Sons" }).waitFor()
    await filter().press('Tab')
    expect(await filter().inputValue()).toBe("customer.name = 'O\\u0027Neill & Sons' ")
    await filter().press('Enter')
    await counted('of 60')
    await filter().fill("status = 'pa")
    await page.getByRole('option', { name: 'paid' }).waitFor()
    await filter().press('Tab')
    expect(await filter().inputValue()).toBe("status = 'paid' ")
  })

  const exported = async (format: string) => {
    await choose(page, 'Export…')
    const download = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name: format }).click()
    const file = await download
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
  }

  test('is exported completely, as CSV and JSON', async () => {
    await page.goto(`${site.origin}/#/Order?columns=code,note,placed,customer`)
    await counted('of 90')
    const { name, text } = await exported('CSV')
    const lines = text.split('\r\n')
    expect([name, lines.length]).toEqual(['Order.csv', 92])
    expect(lines.slice(0, 5)).toEqual([
      'code,note,placed,customer',
      'A-001,,2021-01-01T00:00:00.000Z,1',
      'A-002,,2022-06-02T01:00:00.000Z,2',
      "A-003,'=1+1,2023-11-03T02:00:00.000Z,2",
      'A-004,"fragile, ""glass""",2021-04-04T03:00:00.000Z,1',
    ])
    await page.goto(`${site.origin}/#/Visit`)
    await counted('of 2,503')
    const json = JSON.parse((await exported('JSON')).text)
    expect(json).toHaveLength(2503)
    expect(json[0]).toEqual({ ID: 1, day: '2024-02-29', customer: '1' })
    await page.locator('.notice', { hasText: 'Exported 2,503 of Visit.' }).waitFor()
    expect(site.problems).toEqual([])
  })
})
