import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  choose,
  executable,
  type OpenExplorer,
  openExplorer,
  patiently,
  resize,
} from './browser.ts'
import { createPeople } from './people.ts'

describe.skipIf(executable === null)('the toolbar of a selection', () => {
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    site = await openExplorer(createPeople())
    page = site.page
    await page.goto(`${site.origin}/#/Employee?open=3`)
    await page.locator('.panel form').waitFor()
  })

  afterAll(() => site?.close())

  const more = () => page.getByRole('button', { name: 'More' })
  const menu = () => page.getByRole('menu')
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  const hasFocus = (text: string) => expect.poll(focused, patiently).toBe(text)

  test('has one line in a window of 1280 and of 800 pixels', async () => {
    for (const width of [1280, 800]) {
      await resize(page, { width, height: 800 })
      const middles = await page.evaluate<number[]>(
        `[...document.querySelectorAll('[role=toolbar] :is(a, button, summary)')]
          .filter((item) => item.checkVisibility())
          .map((item) => item.getBoundingClientRect())
          .map(({ top, height }) => top + height / 2)`,
      )
      expect(middles.length).toBeGreaterThan(8)
      // A second line would be 30 pixels lower.
      expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(9)
    }
    await resize(page, { width: 1280, height: 800 })
  })

  test('has a menu for the keyboard, whose Escape returns the focus to its button', async () => {
    await more().focus()
    await page.keyboard.press('ArrowDown')
    await hasFocus('Keep this selection')
    expect(await more().getAttribute('aria-expanded')).toBe('true')
    for (const [key, text] of [
      ['ArrowUp', 'Delete…'],
      ['ArrowDown', 'Keep this selection'],
      ['ArrowDown', 'Export…'],
      ['End', 'Delete…'],
      ['Home', 'Keep this selection'],
      // A letter moves in the menu; on the page it would find a dataclass.
      ['c', 'Copy link'],
    ] as const) {
      await page.keyboard.press(key)
      await hasFocus(text)
    }
    await page.keyboard.press('Escape')
    await menu().waitFor({ state: 'detached' })
    await hasFocus('More')
    // The same Escape does not close the open entity.
    expect(await page.locator('.panel form').count()).toBe(1)
    await page.keyboard.press('ArrowUp')
    await hasFocus('Delete…')
    await page.keyboard.press('Tab')
    await menu().waitFor({ state: 'detached' })
  })

  test('closes the menu of columns on a click elsewhere, and not on one inside', async () => {
    await page.locator('summary', { hasText: 'Columns' }).click()
    const columns = page.locator('details.menu[open]')
    await columns.locator('fieldset').click({ position: { x: 3, y: 3 } })
    expect(await columns.count()).toBe(1)
    await page.locator('.pager').click()
    await columns.waitFor({ state: 'detached' })
  })

  test('closes its menu on a click elsewhere, and returns the focus after a dialog', async () => {
    await more().click()
    await menu().waitFor()
    await page.locator('.foot').click({ position: { x: 4, y: 4 } })
    await menu().waitFor({ state: 'detached' })
    await choose(page, 'Export…')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await hasFocus('More')
    await page.goto(`${site.origin}/#/Employee?filter=ID%20%3D%200`)
    await page.locator('.empty').waitFor()
    await more().click()
    // There is nothing to export or delete.
    expect(await menu().locator(':disabled').allInnerTexts()).toEqual(['Export…', 'Delete…'])
    await page.keyboard.press('Escape')
    expect(site.problems).toEqual([])
  })
})
