import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, type OpenExplorer, openExplorer, patiently } from './browser.ts'
import { createOrders, type Orders } from './orders.ts'

describe.skipIf(executable === null)('a filter in the explorer', () => {
  let store: Orders
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    store = createOrders()
    site = await openExplorer(store)
    page = site.page
    await page.goto(`${site.origin}/#/Order`)
    await page.locator('.grid td').first().waitFor()
  })

  afterAll(() => site?.close())

  const filter = () => page.locator('#filter')
  const filterIs = (text: string) => expect.poll(() => filter().inputValue(), patiently).toBe(text)
  const counted = (text: string) => page.locator('.pager output', { hasText: text }).waitFor()
  const search = () => page.getByRole('searchbox', { name: 'Search all texts of Order' })
  const values = () => page.getByRole('region', { name: 'Values' })

  test('is narrowed by a search in all texts, and its conditions are removed one by one', async () => {
    await search().fill('GLASS')
    await search().press('Enter')
    await filterIs("(code = '*GLASS*' or note = '*GLASS*' or status = '*GLASS*')")
    await counted(`of ${store.Order.query("note = '*glass*'").count}`)
    await search().fill('sent')
    await search().press('Enter')
    await page.getByRole('list', { name: 'Conditions of the filter' }).waitFor()
    await filter().press('End')
    await filter().pressSequentially(' and total > 99 order by total')
    await filter().press('Enter')
    await counted(
      `of ${store.Order.query("note = '*glass*' and status = 'sent' and total > 99").count}`,
    )
    const pills = page.getByRole('list', { name: 'Conditions of the filter' })
    expect(await pills.locator('code').count()).toBe(3)
    await pills.getByRole('button', { name: /^Remove \(code = '\*GLASS/ }).click()
    await pills.getByRole('button', { name: /^Remove \(code = '\*sent/ }).click()
    await filterIs('total > 99 order by total')
    await pills.waitFor({ state: 'detached' })
  })

  test('is narrowed by the values of several attributes with their counts', async () => {
    await filter().fill('')
    await filter().press('Enter')
    await counted('of 90')
    await page.getByRole('button', { name: 'Values' }).click()
    const note = values().getByRole('group', { name: 'Values of note' })
    await note.getByRole('combobox').selectOption('status')
    const status = values().getByRole('group', { name: 'Values of status' })
    await status.getByRole('button', { name: 'paid 30' }).waitFor()
    await values().getByRole('button', { name: '+ values of' }).click()
    const second = values().getByRole('group').nth(1)
    await second.getByRole('combobox').selectOption('note')
    await note.locator('.facet').first().waitFor()
    // A value and its count have different colours.
    const colorOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).color`)
    expect(await colorOf('.facet')).not.toBe(await colorOf('.facet b'))
    await status.getByRole('button', { name: 'paid 30' }).click()
    await counted('of 30')
    // The counts are those of the selection.
    const paid = (text: string) => store.Order.query(`status = 'paid' and note = '${text}'`).count
    await note.getByRole('button', { name: `=1+1 ${paid('=1+1')}` }).waitFor()
    await page.reload()
    await page.locator('.grid td').first().waitFor()
    await page.getByRole('button', { name: 'Values' }).click()
    await note.waitFor()
    await note.getByRole('button', { name: 'No values of note' }).click()
    await note.waitFor({ state: 'detached' })
    expect(site.problems).toEqual([])
  })
})
