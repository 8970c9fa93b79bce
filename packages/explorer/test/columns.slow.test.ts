import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { movedColumn } from '../src/page/column-layout.ts'
import { executable, type OpenExplorer, openExplorer, patiently } from './browser.ts'
import { createPeople } from './people.ts'

test('a moved column takes the place of another, and stays within the grid', () => {
  const columns = ['a', 'b', 'c']
  expect(movedColumn(columns, 0, 2)).toEqual(['b', 'c', 'a'])
  expect(movedColumn(columns, 2, 0)).toEqual(['c', 'a', 'b'])
  expect([movedColumn(columns, 0, -1), movedColumn(columns, 2, 3)]).toEqual([columns, columns])
})

describe.skipIf(executable === null)('the columns of the grid', () => {
  let site: OpenExplorer
  let page: Page

  beforeAll(async () => {
    site = await openExplorer(createPeople())
    page = site.page
    await page.goto(`${site.origin}/#/Employee?columns=ID,lastName,salary`)
    await page.locator('.grid td').first().waitFor()
  })

  afterAll(() => site?.close())

  const heads = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('.grid thead th:not(.pick)')].map((head) =>
        head.textContent.replace(/[^A-Za-z]/g, ''))`,
    )
  const are = (names: readonly string[]) => expect.poll(heads, patiently).toEqual(names)
  const head = (name: string) => page.getByRole('columnheader', { name: new RegExp(`^${name}`) })
  const width = async (name: string) => Math.round((await head(name).boundingBox())?.width ?? 0)

  test('move with the keyboard and by dragging, and are hidden', async () => {
    await page.locator('.grid tbody td').nth(0).focus()
    await page.keyboard.press('Control+Shift+ArrowRight')
    await are(['lastName', 'ID', 'salary'])
    // The focus stays in the moved column.
    await expect.poll(() => page.locator('td:focus').innerText(), patiently).toBe('1')
    await head('salary').dragTo(head('lastName'))
    await are(['salary', 'lastName', 'ID'])
    await page.locator('.grid tbody td').nth(0).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Delete')
    await are(['lastName', 'ID'])
    await page.goBack()
    await are(['salary', 'lastName', 'ID'])
  })

  test('are sized by pointer and keyboard, which reload and links keep', async () => {
    const before = await width('lastName')
    const edge = await head('lastName').locator('.column-edge').boundingBox()
    const [x, y] = [(edge?.x ?? 0) + 3, (edge?.y ?? 0) + 9]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 60, y)
    await page.mouse.up()
    await expect.poll(() => width('lastName'), patiently).toBe(before + 60)
    await page.locator('.grid tbody td').nth(1).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Shift+ArrowLeft')
    await expect.poll(() => width('lastName'), patiently).toBe(before + 36)
    await page.reload()
    await page.locator('.grid td').first().waitFor()
    await expect.poll(() => width('lastName'), patiently).toBe(before + 36)
    await are(['salary', 'lastName', 'ID'])
  })

  test('belong to a view with a name in the address', async () => {
    await page.locator('#filter').fill('ID < 9')
    await page.locator('#filter').press('Enter')
    await page.locator('.pager output', { hasText: 'of 8' }).waitFor()
    await page.getByText('Views', { exact: true }).click()
    await page.getByLabel('Name of the view').fill('First eight')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('navigation', { name: 'Trail' }).getByText('First eight').waitFor()
    expect(page.url()).toContain('name=First%20eight')
    const address = page.url()
    await page.goto(`${site.origin}/#/`)
    await page.goto(`${site.origin}/#/Employee`)
    await page.locator('.pager output', { hasText: 'of 120' }).waitFor()
    await page.getByText('Columns', { exact: true }).waitFor()
    await page.getByText('Views', { exact: true }).click()
    await page.getByRole('link', { name: 'First eight' }).click()
    await page.locator('.pager output', { hasText: 'of 8' }).waitFor()
    await are(['salary', 'lastName', 'ID'])
    expect(page.url()).toBe(address)
    await page.getByRole('button', { name: 'Remove the view First eight' }).click()
    await page.getByRole('link', { name: 'First eight' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('button', { name: 'Default columns' }).click()
    await are(['ID', 'lastName', 'salary', 'active', 'hired', 'photo', 'employer'])
    expect(site.problems).toEqual([])
  })
})
