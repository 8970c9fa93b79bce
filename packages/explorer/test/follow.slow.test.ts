import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { choose, executable, openPage, patiently } from './browser.ts'
import { createPeople, type People, serveExplorer } from './people.ts'

describe.skipIf(executable === null)('the grid', () => {
  let store: People
  let live: Awaited<ReturnType<typeof serveExplorer>>
  let other: People
  let plain: typeof live

  beforeAll(async () => {
    store = createPeople()
    live = await serveExplorer(store, { live: true })
    other = createPeople()
    plain = await serveExplorer(other)
  })

  afterAll(() => {
    live?.close()
    plain?.close()
  })

  const open = async (site: typeof live, hash: string) => {
    const watched = await openPage(site.origin, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await watched.page.goto(`${site.origin}/${hash}`)
    await watched.page.locator('table.grid td').first().waitFor()
    return watched
  }
  const toggle = (page: Page) => page.getByRole('button', { name: 'Live' })
  const follows = (page: Page) =>
    page.locator('.live[title="Shows changes as they happen"]').waitFor()
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')
  const row = (page: Page, text: string) => page.locator('tbody tr', { hasText: text })
  const filter = (page: Page) => page.getByRole('combobox', { name: /^Filter of/ })
  const panel = (page: Page) => page.locator('aside.panel')

  test('follows changes with their mark, and keeps the focus on its entity', async () => {
    const { page, close, problems } = await open(live, '#/Employee?order=salary%20asc')
    await follows(page)
    await row(page, 'Name 004').locator('td').nth(1).focus()
    store.Employee.update(4, { lastName: 'Followed' })
    await row(page, 'Followed').waitFor()
    expect(await row(page, 'Followed').getAttribute('class')).toMatch(/^fresh/)
    expect(await page.locator('tr.fresh').count()).toBe(1)
    expect(await focused(page)).toBe('Followed')
    // The row moves to the end of the page; the focus moves with it.
    store.Employee.update(4, { salary: 49_500 })
    await expect
      .poll(() => page.locator('tbody tr').nth(48).innerText(), patiently)
      .toContain('Followed')
    expect(await focused(page)).toBe('Followed')
    store.Employee.insert({ lastName: 'First', salary: 1 })
    await row(page, 'First').waitFor()
    await page.locator('.pager', { hasText: 'of 121' }).waitFor()
    await page.locator('.classes [aria-current]', { hasText: '121' }).waitFor()
    expect(await focused(page)).toBe('Followed')
    expect(problems).toEqual([])
    await close()
  })

  test('keeps an edit in progress, and shows the changes of others in an unchanged form', async () => {
    const { page, close } = await open(live, '#/Employee?open=7')
    await follows(page)
    const name = panel(page).getByLabel(/^lastName/)
    await name.waitFor()
    store.Employee.update(7, { lastName: 'By others' })
    await expect.poll(() => name.inputValue(), patiently).toBe('By others')
    await name.fill('Mine')
    store.Employee.update(7, { lastName: 'By others again' })
    await row(page, 'By others again').waitFor()
    expect(await name.inputValue()).toBe('Mine')
    await close()
  })

  test('without events, checks for changes only after following is turned on', async () => {
    const { page, close, problems, refusals } = await openPage(plain.origin, { isOwn: true })
    await page.clock.install()
    await page.goto(`${plain.origin}/#/Employee`)
    await page.locator('table.grid td').first().waitFor()
    await expect.poll(() => toggle(page).getAttribute('aria-pressed'), patiently).toBe('false')
    other.Employee.update(2, { lastName: 'Refreshed' })
    await page.clock.runFor(20_000)
    expect(await row(page, 'Refreshed').count()).toBe(0)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await row(page, 'Refreshed').waitFor()
    await toggle(page).click()
    await page.locator('.live[title="Shows changes within five seconds"]').waitFor()
    other.Employee.update(2, { lastName: 'Checked' })
    // The check and the reload after it are two timers, with a response between them.
    await expect
      .poll(async () => {
        await page.clock.runFor(5000)
        return row(page, 'Checked').count()
      }, patiently)
      .toBe(1)
    expect(problems).toEqual([])
    // A server without live queries is not asked for one.
    expect(refusals).toEqual([])
    await close()
  })

  test('keeps its rows while the server does not answer, and loads them again when it does', async () => {
    const { page, close } = await openPage(live.origin, { isOwn: true })
    await page.clock.install()
    await page.goto(`${live.origin}/#/Employee`)
    await follows(page)
    await page.context().setOffline(true)
    const problem = page.getByText('The server does not answer.')
    await expect
      .poll(async () => {
        await page.clock.runFor(5000)
        return problem.count()
      }, patiently)
      .toBe(1)
    expect(await page.locator('tbody tr').count()).toBe(50)
    store.Employee.update(9, { lastName: 'Meanwhile' })
    await page.context().setOffline(false)
    await expect
      .poll(async () => {
        await page.clock.runFor(5000)
        return [await problem.count(), await row(page, 'Meanwhile').count()]
      }, patiently)
      .toEqual([0, 1])
    await close()
  })

  test('keeps its rows while a filter is wrong, with the text and place of the error', async () => {
    const { page, close } = await open(plain, '#/Employee')
    await filter(page).fill('salary > 5 and cty = x')
    await filter(page).press('Escape')
    await filter(page).press('Enter')
    await page.locator('.filter-error mark', { hasText: 'cty' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(50)
    await page.getByText('The entities shown before this error.').waitFor()
    await filter(page).fill('salary > 119000')
    await filter(page).press('Escape')
    await filter(page).press('Enter')
    await page.locator('.pager', { hasText: 'of 1' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await close()
  })

  test('is one tab stop, one Tab after the filter', async () => {
    const { page, close } = await open(plain, '#/Employee')
    await page.keyboard.press('/')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('1')
    await page.keyboard.press('End')
    await page.keyboard.press('PageDown')
    const key = () =>
      page.evaluate<string>('document.activeElement.closest("tr").querySelector("td").textContent')
    expect(Number(await key())).toBeGreaterThan(10)
    await page.keyboard.press('Control+End')
    expect(await key()).toBe('50')
    await page.keyboard.press('PageDown')
    await page.locator('.pager', { hasText: '51–100' }).waitFor()
    await expect.poll(key, patiently).toBe('51')
    await page.keyboard.press('PageUp')
    await page.locator('.pager', { hasText: '1–50' }).waitFor()
    await expect.poll(key, patiently).toBe('50')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.locator('th[aria-sort="ascending"]').waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await key()).toBe('1')
    await page.keyboard.press('Tab')
    expect(await page.evaluate<boolean>('document.activeElement.closest(".grid") === null')).toBe(
      true,
    )
    await close()
  })

  test('opens an entity with Space; Escape closes it and returns to the cell', async () => {
    const { page, close } = await open(plain, '#/Employee')
    const cell = row(page, 'Name 005').locator('td').nth(1)
    await cell.focus()
    await page.keyboard.press('Space')
    await panel(page).getByRole('heading', { name: 'Employee 5' }).waitFor()
    await panel(page)
      .getByLabel(/^lastName/)
      .focus()
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('Name 005')
    const create = page.getByRole('button', { name: 'New Employee' })
    await create.focus()
    await page.keyboard.press('Enter')
    await panel(page).getByRole('heading', { name: 'New Employee' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page), patiently).toBe('New')
    await close()
  })

  test('lists the keys with ?, and turns single keys off', async () => {
    const { page, close } = await open(plain, '#/Employee')
    const cell = row(page, 'Name 003').locator('td').nth(1)
    await cell.focus()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard' })
    await dialog.getByRole('checkbox').uncheck()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('Name 003')
    await page.keyboard.press('/')
    expect(await focused(page)).toBe('Name 003')
    await close()
  })

  test('resizes the panel by pointer and keys, and remembers its width', async () => {
    const { page, close } = await open(plain, '#/Employee?open=3')
    const width = async () => (await panel(page).boundingBox())?.width
    const separator = page.getByRole('separator', { name: 'Width of the panel' })
    await separator.press('ArrowLeft')
    expect(await width()).toBe(414)
    const box = await separator.boundingBox()
    await page.mouse.move(box?.x ?? 0, 400)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) - 86, 400, { steps: 3 })
    await page.mouse.up()
    expect(await width()).toBe(500)
    await page.reload()
    await panel(page).waitFor()
    expect(await width()).toBe(500)
    await close()
  })

  test('copies a link to what is shown, and a row as JSON', async () => {
    const { page, close } = await open(
      plain,
      '#/Employee?filter=salary%20%3E%205000&order=salary%20desc&page=2&open=9',
    )
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
    await choose(page, 'Copy link')
    await page.locator('.notice', { hasText: 'Copied the link' }).waitFor()
    expect(await clipboard()).toBe(page.url())
    await row(page, 'Name 070').locator('td').nth(1).focus()
    await page.keyboard.press('Control+c')
    await page.locator('.notice', { hasText: 'Copied Employee 70 as JSON.' }).waitFor()
    expect(JSON.parse(await clipboard())).toMatchObject({
      ID: 70,
      lastName: 'Name 070',
      hired: '2020-04-01',
      employer: '2',
    })
    await panel(page).getByRole('button', { name: 'Copy' }).click()
    await page.locator('.notice', { hasText: 'Copied Employee 9 as JSON.' }).waitFor()
    expect(JSON.parse(await clipboard())).toMatchObject({ ID: 9, lastName: 'Name 009' })
    await close()
  })
})
