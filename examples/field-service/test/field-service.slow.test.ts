import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  executable,
  noChromium,
  openPage,
  violationsOf,
  type Watched,
} from '../../../packages/explorer/test/browser.ts'
import { createOffice } from '../office.mjs'
import { serve } from '../serve.mjs'

if (executable === null) console.warn(`field-service: ${noChromium}`)

const folder = mkdtempSync(join(tmpdir(), 'entia-field-service-'))
const PHONE = { width: 390, height: 844 }
/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const poll = <T>(read: () => T) => expect.poll(read, { timeout: 50_000, interval: 20 })

describe.skipIf(executable === null)('the page of a technician', () => {
  const office = createOffice()
  const [first, second] = office.Visit.query("technician === 'ann'").orderBy('hour').toArray()
  let served: Awaited<ReturnType<typeof serve>>
  let tab: Watched
  let page: Page

  const cut = (isCut: boolean) => page.context().setOffline(isCut)
  const status = () => poll(() => page.getByRole('status').textContent())
  const visit = (name: string) => page.locator('li', { hasText: name })

  beforeAll(async () => {
    const example = join(import.meta.dirname, '..')
    const vite = join(example, '../../node_modules/vite/bin/vite.js')
    execFileSync(process.execPath, [vite, 'build', '--outDir', folder, '--logLevel', 'error'], {
      cwd: example,
      env: { ...process.env, NODE_ENV: 'production' },
    })
    served = await serve(office, 0, folder)
    tab = await openPage(served.url, { viewport: PHONE, isOwn: true })
    page = tab.page
    await page.goto(served.url)
    await page.getByText('Connected').waitFor()
    // The service worker keeps the files of the second visit.
    await page.reload()
    await page.getByText('Connected').waitFor()
  })
  afterAll(async () => {
    await tab?.close()
    await served?.close()
    rmSync(folder, { recursive: true })
  })

  test('shows the visits of one technician, without violations of accessibility', async () => {
    await poll(() => page.locator('h2').allTextContents()).toEqual([':00 Mill', ':00 Lock'])
    expect(await violationsOf(page)).toEqual([])
  })

  test('takes notes, photos and a report in the tunnel, also after a new start', async () => {
    await cut(true)
    await page.getByLabel('Note about Mill').fill('Bearing replaced')
    await visit('Mill').getByRole('button', { name: 'Add' }).click()
    await page
      .getByLabel('Photo of Mill')
      .setInputFiles({ name: 'bearing.png', mimeType: 'image/png', buffer: PIXEL })
    await visit('Mill').getByRole('img').waitFor()
    await page.getByRole('button', { name: 'Finish Mill' }).click()
    await status().toBe('No connection, 3 to send')
    await page.reload()
    await status().toBe('No connection, 3 to send')
    await visit('Mill').getByText('Bearing replaced').waitFor()
    await visit('Mill').getByRole('img').waitFor()
    expect([office.Note.count, office.Photo.count]).toEqual([0, 0])
  })

  test('refuses what the rules of the model forbid at once', async () => {
    await page.getByLabel('Hour of Lock').fill('5')
    await poll(() => visit('Lock').getByRole('alert').textContent()).toContain('hour')
    await status().toBe('No connection, 3 to send')
  })

  test('sends everything once, and shows a conflict', async () => {
    await page.getByLabel('Hour of Lock').fill('12')
    await status().toBe('No connection, 4 to send')
    office.Visit.update(second!.ID, { hour: 15 })
    await cut(false)
    await poll(() => page.locator('section').textContent()).toContain(
      'The visit was at 11:00. You moved it to 12:00, the office to 15:00.',
    )
    await status().toBe('Connected')
    await visit('Mill').getByText('Report 1: 1 notes, 1 photos').waitFor()
    const { notes, photos } = office.Visit.get(first!.ID)!
    expect(notes.toArray().map(({ text }) => text)).toEqual(['Bearing replaced'])
    expect(photos.toArray().map(({ dataUrl }) => dataUrl.slice(0, 16))).toEqual([
      'data:image/jpeg;',
    ])
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Keep theirs' }).click()
    await poll(() => page.locator('section').count()).toBe(0)
    await poll(() => page.getByLabel('Hour of Lock').inputValue()).toBe('15')
    expect(office.Visit.get(second!.ID)?.hour).toBe(15)
  })

  test('needs one stream for eight tabs, as browsers open six connections to a server', async () => {
    const open = new Set<unknown>()
    const isStream = (request: { url(): string; method(): string }) =>
      request.method() === 'POST' && request.url().endsWith('/$replica')
    const context = page.context()
    context.on('request', (request) => isStream(request) && open.add(request))
    context.on('requestfailed', (request) => open.delete(request))
    context.on('requestfinished', (request) => open.delete(request))
    const tabs = [page]
    await page.reload()
    while (tabs.length < 8) {
      const opened = context.waitForEvent('page')
      await page.evaluate((url) => void window.open(url, '_blank', 'noopener'), served.url)
      tabs.push(await opened)
    }
    for (const each of tabs) await each.getByText('Connected').waitFor()
    expect(open.size).toBe(1)
    office.Visit.update(second!.ID, { hour: 16 })
    for (const each of tabs)
      await poll(() => each.getByLabel('Hour of Lock').inputValue()).toBe('16')
    const last = tabs[7]!
    await last.getByLabel('Note about Mill').fill('From the last tab')
    await last.locator('li', { hasText: 'Mill' }).getByRole('button', { name: 'Add' }).click()
    await poll(() => office.Note.query("text = 'From the last tab'").count).toBe(1)
    for (const each of tabs) await each.getByText('From the last tab').waitFor()
    expect(open.size).toBe(1)
    for (const each of tabs.slice(1)) await each.close()
  })
})
