import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, type OpenExplorer, openExplorer, patiently, violationsOf } from './browser.ts'
import { createOrders, type Orders } from './orders.ts'

describe.skipIf(executable === null)('a chart in the explorer', () => {
  let store: Orders
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createOrders()
    store.Visit.load(
      Array.from({ length: 12_000 }, (_, at) => ({
        ID: 10 + at,
        day: new Date(Date.UTC(2000, 0, 1 + (at % 4000))).toISOString().slice(0, 10),
      })),
    )
    site = await openExplorer(store)
    page = site.page
  })

  afterAll(() => site?.close())

  const chart = (title: string) =>
    page.getByRole('img', { name: new RegExp(`^Chart: ${title}, \\d+ values$`) })
  const rows = () => page.locator('figure tbody tr').allTextContents()
  const sum = (texts: readonly string[]) =>
    texts.reduce((all, text) => all + Number(text.replace(/.*\D(?=\d+$)/, '')), 0)

  test('of dates counts every entity, on an axis in proportion to time', async () => {
    await page.goto(`${site.origin}/#/Visit?view=chart&chart=day,count,day`)
    await chart('count by day').waitFor()
    const counts = await page.locator('figure tbody tr td:last-child').allTextContents()
    expect(sum(counts)).toBe(12_002)
    const ticks = await page.locator('figure svg g text[text-anchor=middle]').allTextContents()
    expect(ticks).toContain('2005')
    expect(await violationsOf(page)).toEqual([])
  })

  test('of text has a bar for each value, the largest first', async () => {
    await page.goto(`${site.origin}/#/Order?view=chart&chart=note,count,total`)
    await chart('count by note').waitFor()
    await expect
      .poll(rows, patiently)
      .toEqual(['null2323', 'empty2323', '=1+12222', 'fragile, "glass"2222'])
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('average')
    await chart('average of total by note').waitFor()
  })

  test('of numbers is a histogram of the filtered entities', async () => {
    const filter = encodeURIComponent('total > 99 order by code')
    await page.goto(`${site.origin}/#/Order?view=chart&chart=total,count,total&filter=${filter}`)
    await chart('count by total').waitFor()
    const counts = await page.locator('figure tbody tr td:last-child').allTextContents()
    expect(counts.length).toBeGreaterThan(10)
    expect(sum(counts)).toBe(store.Order.query('total > 99').count)
    expect(site.problems).toEqual([])
  })
})
