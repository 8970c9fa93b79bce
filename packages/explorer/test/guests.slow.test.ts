import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, openPage } from './browser.ts'
import { createPeople, serveExplorer } from './people.ts'

describe.skipIf(executable === null)('the explorer in a browser', () => {
  let site: Awaited<ReturnType<typeof serveExplorer>>
  let guarded: typeof site
  let proxied: typeof site

  beforeAll(async () => {
    site = await serveExplorer(createPeople())
    const users = [{ name: 'ada', password: 'engine', fullName: 'Ada Byron', groups: [] }]
    guarded = await serveExplorer(createPeople(), { users, forceLogin: true })
    proxied = await serveExplorer(createPeople(), {
      identify({ header }) {
        const ID = header('x-forwarded-user')
        return ID === null ? null : { ID, fullName: `${ID} of the proxy` }
      },
      authorize: ({ user, action }) => user !== null || action === 'describe',
    })
  })

  afterAll(() => {
    site?.close()
    guarded?.close()
    proxied?.close()
  })

  test('offers no login without users', async () => {
    const { page, close } = await openPage(site.origin)
    await page.goto(`${site.origin}/#/Employee`)
    await page.locator('.pager', { hasText: 'of 120' }).waitFor()
    expect(await page.getByRole('button', { name: 'Log in' }).count()).toBe(0)
    await close()
  })

  test('requires a login if guests may not read, and shows the user until logout', async () => {
    const { page, close, problems } = await openPage(guarded.origin)
    await page.goto(`${guarded.origin}/#/Employee`)
    const dialog = page.getByRole('dialog', { name: 'Log in' })
    await dialog.getByText('The server asks who you are.').waitFor()
    await dialog.getByLabel('Name').fill('ada')
    await dialog.getByLabel('Password').fill('wrong')
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await dialog.getByText('The login is refused').waitFor()
    await dialog.getByLabel('Password').fill('engine')
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await page.locator('.user', { hasText: 'Ada Byron' }).waitFor()
    await page.locator('.pager', { hasText: 'of 120' }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page
      .getByRole('banner')
      .getByRole('button', { name: 'Log in' })
      .waitFor({ state: 'attached' })
    expect(problems).toEqual([])
    await close()
  })

  test('shows a user whom the host identifies, without a login of its own', async () => {
    const headers = { 'x-forwarded-user': 'ada' }
    const { page, close, problems } = await openPage(proxied.origin, { headers })
    await page.goto(`${proxied.origin}/#/Employee`)
    await page.locator('.user', { hasText: 'ada of the proxy' }).waitFor()
    await page.locator('.pager', { hasText: 'of 120' }).waitFor()
    expect(await page.getByRole('button', { name: /Log (in|out)/ }).count()).toBe(0)
    expect(problems).toEqual([])
    await close()
    const guest = await openPage(proxied.origin)
    await guest.page.goto(`${proxied.origin}/#/Employee`)
    await guest.page.getByText('needs a user').first().waitFor()
    expect(await guest.page.getByRole('dialog').count()).toBe(0)
    await guest.close()
  })

  const views = [
    '#/',
    '#/Employee?open=3',
    '#/Employee?filter=employer.city%20%3D%20London&view=plan',
    '#/Employee?view=chart',
  ]
  test('fits the width of a phone', async () => {
    const { page, close } = await openPage(site.origin, { viewport: { width: 390, height: 844 } })
    for (const view of views) {
      await page.goto(`${site.origin}/${view}`)
      await page.locator('.class-box, table.grid td, .plan, figure.chart').first().waitFor()
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect([view, width]).toEqual([view, 390])
    }
    await close()
  })

  test('keeps the chosen theme', async () => {
    const { page, close } = await openPage(site.origin, { colorScheme: 'light' })
    await page.goto(`${site.origin}/`)
    const ground = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const light = await ground()
    await page.getByLabel('Theme').selectOption('dark')
    const dark = await ground()
    expect(dark).not.toBe(light)
    await page.reload()
    await page.getByLabel('Theme').waitFor()
    expect(await ground()).toBe(dark)
    await close()
  })
})
