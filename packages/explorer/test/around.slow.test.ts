import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, openPage, type PageOptions, patiently, violationsOf } from './browser.ts'
import { createManyClasses } from './many-classes.ts'
import { serveExplorer } from './people.ts'

describe.skipIf(executable === null)('the explorer with 200 dataclasses', () => {
  let site: Awaited<ReturnType<typeof serveExplorer>>

  beforeAll(async () => {
    site = await serveExplorer(createManyClasses())
  })

  afterAll(() => {
    site?.close()
  })

  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }
  const open = async (hash: string, options: PageOptions = {}) => {
    const watched = await openPage(site.origin, options)
    await watched.page.goto(`${site.origin}/${hash}`)
    await watched.page.locator('.class-box, table.grid').first().waitFor()
    return watched
  }
  const item = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Dataclasses' }).locator(`[data-class="${name}"]`)
  const search = (page: Page) => page.getByRole('searchbox', { name: 'Find a dataclass' })
  const widthOf = async (page: Page, selector: string) =>
    Math.round((await page.locator(selector).boundingBox())?.width ?? 0)
  const scale = async (page: Page) => Number.parseInt(await page.locator('.scale').innerText(), 10)

  test('counts only the dataclasses in view, and others when they are scrolled into view', async () => {
    const counted: string[] = []
    const { page, close, problems } = await openPage(site.origin)
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (searchParams.get('$top') === '0') counted.push(pathname.replace('/rest/', ''))
    })
    await page.goto(`${site.origin}/#/`)
    await item(page, 'OrderLine').locator('.count', { hasText: '8' }).waitFor()
    expect(counted.length).toBeLessThan(60)
    expect(counted).not.toContain('PaymentArchive')
    await item(page, 'PaymentArchive').scrollIntoViewIfNeeded()
    await item(page, 'PaymentArchive').locator('.count', { hasText: '4' }).waitFor()
    expect(new Set(counted).size).toBe(counted.length)
    expect(problems).toEqual([])
    await close()
  })

  test('shows what its address names, and acts on keys, from the moment it is drawn', async () => {
    const { page, close, problems } = await openPage(site.origin, { isOwn: true })
    // The page has been drawn then, and no frame has been painted, as on a busy machine.
    await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
      location.hash = '#/OrderLine'
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
    })`)
    await page.goto(`${site.origin}/#/`)
    await page.getByRole('heading', { name: 'OrderLine' }).waitFor()
    await page.getByRole('dialog').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  test('finds a dataclass with the keyboard alone', async () => {
    const { page, close } = await open('#/')
    await page.keyboard.press('c')
    await page.keyboard.type('payment')
    await page.getByText('20 of 200').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'PaymentLine' }).waitFor()
    await search(page).press('Escape')
    await item(page, 'Customer').waitFor()
    await close()
  })

  test('resizes and hides the sidebar, and remembers both', async () => {
    const { page, close } = await open('#/')
    const separator = page.getByRole('separator', { name: 'Width of the sidebar' })
    const before = await widthOf(page, '.sidebar')
    await separator.press('ArrowRight')
    expect(await widthOf(page, '.sidebar')).toBe(before + 24)
    const box = await separator.boundingBox()
    await page.mouse.move(box?.x ?? 0, 300)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) + 50, 300)
    await page.mouse.up()
    expect(await widthOf(page, '.sidebar')).toBe(before + 74)
    await page.reload()
    await separator.waitFor()
    expect(await widthOf(page, '.sidebar')).toBe(before + 74)
    await page.getByRole('button', { name: 'Hide the sidebar' }).press('Enter')
    const show = page.getByRole('button', { name: 'Show the sidebar' })
    const isFocused = () => page.evaluate<boolean>('document.activeElement.matches(".menu-button")')
    await expect.poll(isFocused, patiently).toBe(true)
    await page.reload()
    await show.press('Enter')
    await search(page).waitFor()
    await close()
  })

  test('shows all dataclasses in the diagram, and zooms and pans by wheel, keys and buttons', async () => {
    const { page, close, problems } = await open('#/')
    const inView = () =>
      page.evaluate<boolean>(`(() => {
        const frame = document.querySelector('.zoomable').getBoundingClientRect()
        return [...document.querySelectorAll('.class-box')].every((box) => {
          const { left, top, right, bottom } = box.getBoundingClientRect()
          return left >= frame.left - 1 && top >= frame.top - 1 &&
            right <= frame.right + 1 && bottom <= frame.bottom + 1
        })
      })()`)
    expect(await page.locator('.class-box').count()).toBe(200)
    expect(await inView()).toBe(true)
    const all = await scale(page)
    const box = page.locator('.class-box').nth(70)
    const at = async () => {
      const { x = 0, y = 0 } = (await box.boundingBox()) ?? {}
      return { x: x + 1, y: y + 1 }
    }
    const before = await at()
    await page.mouse.move(before.x, before.y)
    await page.mouse.wheel(0, -600)
    await expect.poll(() => scale(page), patiently).toBeGreaterThan(2 * all)
    // The point below the pointer stays.
    const after = await at()
    expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(5)
    await page.mouse.down()
    await page.mouse.move(before.x + 30, before.y + 40, { steps: 4 })
    await page.mouse.up()
    const dragged = await at()
    expect([Math.round(dragged.x - after.x), Math.round(dragged.y - after.y)]).toEqual([30, 40])
    // A drag is not a click.
    expect(page.url()).toMatch(/#\/$/)
    const zoomed = await scale(page)
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter')
    expect(await scale(page)).toBeGreaterThan(zoomed)
    await page.getByRole('button', { name: 'Fit' }).press('Enter')
    await expect.poll(inView, patiently).toBe(true)
    await page.keyboard.press('+')
    expect(await scale(page)).toBeGreaterThan(all)
    await page.keyboard.press('0')
    expect(await scale(page)).toBe(all)
    expect(problems).toEqual([])
    await close()
  })

  test('finds a dataclass in the diagram; arrows move from box to box; Enter opens', async () => {
    const { page, close } = await open('#/')
    const find = page.getByRole('searchbox', { name: 'Find in the diagram' })
    await find.fill('payment')
    expect(await page.locator('.class-box:not(.dimmed)').count()).toBe(20)
    await find.press('Enter')
    expect(await scale(page)).toBeGreaterThan(50)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    const focused = () =>
      page.evaluate<string>(
        'document.activeElement.dataset.class ?? document.activeElement.outerHTML',
      )
    expect(await focused()).toMatch(/^Payment/)
    const first = await focused()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).not.toBe(first)
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe(first)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: first, exact: true }).waitFor()
    await page.goBack()
    await page.locator('.class-box').first().waitFor()
    // The diagram is where it was left.
    expect(await scale(page)).toBeGreaterThan(50)
    await close()
  })

  test('zooms by pinch', async () => {
    const { page, close } = await open('#/', phone)
    const all = await scale(page)
    const client = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: number[]) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: xs.map((x, id) => ({ x, y: 400, id })),
      })
    await touch('touchStart', 180, 220)
    for (const by of [20, 40, 60, 80]) await touch('touchMove', 180 - by, 220 + by)
    await touch('touchEnd')
    await expect.poll(() => scale(page), patiently).toBeGreaterThan(3 * all)
    await close()
  })

  test('has a drawer and a toolbar of at most 120 pixels on a phone', async () => {
    const { page, close, problems } = await open('#/OrderLine', phone)
    expect((await page.locator('table.grid').boundingBox())?.y).toBeLessThanOrEqual(120)
    await page.getByRole('button', { name: 'Show the sidebar' }).tap()
    await search(page).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await search(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show the sidebar' }).tap()
    await item(page, 'CustomerNote').tap()
    await page.getByRole('heading', { name: 'CustomerNote' }).waitFor()
    await search(page).waitFor({ state: 'detached' })
    expect(problems).toEqual([])
    await close()
  })
})
