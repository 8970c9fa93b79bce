import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, openPage, patiently, resize } from './browser.ts'
import { createFlights } from './flights.ts'
import { serveExplorer } from './people.ts'

type Flights = ReturnType<typeof createFlights>

describe.skipIf(executable === null)('the tools of the explorer', () => {
  let store: Flights
  let site: Awaited<ReturnType<typeof serveExplorer>>
  let watched: Awaited<ReturnType<typeof openPage>>
  let page: Page
  let close = async () => {}
  let mayLook = true

  beforeAll(async () => {
    store = createFlights()
    site = await serveExplorer(store, {
      live: true,
      slow: { milliseconds: 0 },
      operator: () => mayLook,
    })
    watched = await openPage(site.origin)
    page = watched.page
    close = async () => {
      await watched.close()
      site.close()
    }
  })

  afterAll(() => close())

  const filter = () => page.locator('#filter')
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  describe('console', () => {
    test('runs a filter with values, and shows count, time, rows and plan', async () => {
      await page.goto(`${site.origin}/#/$console`)
      await page.getByRole('combobox', { name: 'Dataclass' }).selectOption('Flight')
      await filter().fill('distance > :1')
      await page.getByLabel('Values of').fill('[2900]')
      await page.getByLabel('Attributes').fill('ID, distance')
      await page.getByRole('textbox', { name: 'Order' }).fill('distance desc')
      await page.getByRole('textbox', { name: 'Order' }).press('Enter')
      const count = store.dataClass('Flight').query('distance > 2900').count
      const status = page.getByRole('status').filter({ hasText: 'entit' })
      await expect
        .poll(() => status.innerText(), patiently)
        .toMatch(new RegExp(`^${count.toLocaleString('en')} entities in [\\d.]+ m?s`))
      const rows = page.getByRole('region', { name: 'First rows' }).locator('tbody tr')
      expect(await rows.count()).toBe(Math.min(count, 20))
      const alignments = await page.evaluate<string[]>(
        `[...document.querySelectorAll('[aria-label="First rows"] :is(th, tbody tr:first-child td)')]
          .map((cell) => getComputedStyle(cell).textAlign)`,
      )
      expect(new Set(alignments)).toEqual(new Set(['right']))
      expect(await page.locator('.step').count()).toBeGreaterThan(0)
    })

    test('points at the place of an error, and keeps values that are no list', async () => {
      await filter().fill('delay > 60 and slary = 1')
      await page.getByLabel('Values of').fill('')
      await filter().press('Enter')
      await page.locator('.filter-error mark', { hasText: 'slary' }).waitFor()
      await filter().fill('distance > :1')
      await page.getByLabel('Values of').fill('60')
      await filter().press('Enter')
      await page.getByText('The values must be a JSON list.').waitFor()
      await page.getByLabel('Values of').fill('')
    })

    test('recalls queries by keys and by a click, also after a reload', async () => {
      await page.reload()
      await filter().press('ArrowUp')
      expect(await filter().inputValue()).toBe('delay > 60 and slary = 1')
      await filter().press('ArrowUp')
      expect(await filter().inputValue()).toBe('distance > :1')
      const earlier = page.getByRole('navigation', { name: 'Earlier queries' })
      await earlier.getByRole('button').first().focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.getByLabel('Values of').inputValue(), patiently).toBe('[2900]')
      expect(await page.getByRole('textbox', { name: 'Order' }).inputValue()).toBe('distance desc')
      await page.getByRole('region', { name: 'First rows' }).waitFor()
    })

    test('copies a command that the shell and the server understand', async () => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await button('Copy as TypeScript').click()
      await expect
        .poll(() => page.evaluate('navigator.clipboard.readText()'), patiently)
        .toBe(
          "await db.Flight.query('distance > :1', [2900]).orderBy('distance desc').select('ID, distance')",
        )
      await button('Copy as curl').click()
      await expect
        .poll(() => page.evaluate<string>('navigator.clipboard.readText()'), patiently)
        .toMatch(/^curl -g '/)
      const text = await page.evaluate<string>('navigator.clipboard.readText()')
      const address = /^curl -g '([^']*)'$/.exec(text)?.[1] ?? ''
      const answer = (await (await fetch(address)).json()) as { __COUNT: number }
      expect(answer.__COUNT).toBe(store.dataClass('Flight').query('distance > 2900').count)
    })

    test('copies what is typed, also before it runs, with quotes that mean nothing to a shell', async () => {
      await page.getByRole('combobox', { name: 'Dataclass' }).selectOption('Airport')
      const odd =
        'name = "it\'s" or name = \'say "$(exit 9)" `exit 9` {a,b} [1-3] #x&y=1+2 100%\' or iata = A7'
      await filter().fill(odd)
      await page.getByLabel('Values of').fill('')
      await button('Copy as curl').click()
      const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
      await expect.poll(clipboard, patiently).toContain('/Airport?')
      const { stdout } = await promisify(execFile)('bash', ['-c', `${await clipboard()} -s`])
      const count = store.dataClass('Airport').query(odd).count
      expect(JSON.parse(stdout)).toMatchObject({ __COUNT: count })
      await button('Copy as TypeScript').click()
      await expect.poll(clipboard, patiently).toContain("100%\\' or iata = A7')")
    })

    test('shows the stored values for *', async () => {
      await filter().fill('iata = A7')
      await page.getByLabel('Attributes').fill('*, iata')
      await filter().press('Enter')
      await page.getByRole('columnheader', { name: 'name' }).waitFor()
      expect(await page.getByRole('columnheader', { name: '*' }).count()).toBe(0)
      await page.getByLabel('Attributes').fill('')
    })
  })

  describe('page of the server', () => {
    test('shows what each attribute and index costs, the largest dataclass first', async () => {
      await page.getByRole('link', { name: 'Server' }).click()
      await page.getByRole('link', { name: 'Sizes' }).click()
      const first = page.locator('.sizes details').first()
      await first.locator('summary', { hasText: 'Flight' }).waitFor()
      await first.getByRole('rowheader', { name: 'delay' }).waitFor()
    })

    test('proposes an index with its cost, and creates it', async () => {
      // The budget of reading refuses it: that is slow, too.
      await fetch(`${site.origin}/rest/Flight?$filter="delay=7"`)
      await page.getByRole('link', { name: 'Indexes' }).click()
      const advice = page.locator('.advice li').filter({ hasText: 'Flight.delay' })
      await advice.waitFor()
      const name = 'Flight.delay'
      expect(await advice.getByRole('heading').innerText()).toBe(name)
      expect(await advice.innerText()).toMatch(/costs\s+about .*B, and .*to build/)
      const indexes = '**/$operator/indexes/**'
      const building = new Promise<() => void>((begun) => {
        const hold = (route: Route) => begun(() => void route.continue())
        page.route(indexes, hold)
      })
      await advice.getByRole('button', { name: 'Create this index' }).click()
      const goOn = await building
      await advice.getByRole('progressbar', { name: 'Time of the new index' }).waitFor()
      await advice.getByText(/ of about /).waitFor()
      goOn()
      await page.locator('.notice', { hasText: `${name} has an index` }).waitFor()
      await page.unroute(indexes)
      const { root } = store.dataClass('Flight').query('delay = 7').explain()
      expect(root.index).toBe(name)
    })

    test('lists running requests, shows a plan and stops one', async () => {
      const request = {
        id: 7,
        method: 'GET',
        path: '/Flight',
        user: null,
        remoteAddress: '127.0.0.1',
        milliseconds: 3200,
        operation: 'page',
        name: 'Flight',
        filter: 'delay > ?',
        orderBy: 'distance',
        canStop: true,
        isStopped: false,
      }
      const asked: string[] = []
      await page.route('**/$operator/requests**', async (route) => {
        const { pathname } = new URL(route.request().url())
        asked.push(`${route.request().method()} ${pathname.split('$operator')[1]}`)
        const isOne = pathname.endsWith('/7')
        await route.fulfill({
          json: isOne ? { plan: ['scan (about 20000)'] } : { requests: [request] },
        })
      })
      await page.getByRole('link', { name: 'Requests' }).click()
      await page.getByRole('row', { name: /GET \/Flight.*3\.2 s.*guest.*delay > \?/ }).waitFor()
      await button('Plan of request 7').click()
      await page.getByText('scan (about 20000)').waitFor()
      const size = page.viewportSize()!
      await resize(page, { width: 390, height: 844 })
      const overhang = () =>
        page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(await overhang()).toBeLessThanOrEqual(0)
      await page.getByRole('link', { name: 'Sizes' }).click()
      await page.locator('.sizes details').first().waitFor()
      expect(await overhang()).toBeLessThanOrEqual(0)
      await page.getByRole('link', { name: 'Requests' }).click()
      await resize(page, size)
      await button('Stop request 7').click()
      await page.locator('.notice', { hasText: 'Request 7 to /Flight is stopped.' }).waitFor()
      expect(asked).toContain('DELETE /requests/7')
      await page.unroute('**/$operator/requests**')
      await page.getByText('No request runs now.').waitFor()
    })

    test('shows the streams and the storage', async () => {
      const live = await fetch(`${site.origin}/rest/Airport?$live=true`)
      await page.getByRole('link', { name: 'Streams' }).click()
      await page.getByRole('row', { name: /live query.*guest.*Airport.*has everything/ }).waitFor()
      await live.body?.cancel()
      await page.getByRole('link', { name: 'Storage' }).click()
      await page.getByText('Global stamp').waitFor()
      expect(watched.problems).toEqual([])
    })

    test('is not offered to users who may not look', async () => {
      mayLook = false
      await page.reload()
      await page.getByText('The server shows this only to its operators.').waitFor()
      expect(await page.getByRole('link', { name: 'Server' }).count()).toBe(0)
      expect(await page.getByRole('link', { name: 'Console' }).count()).toBe(1)
    })
  })
})
