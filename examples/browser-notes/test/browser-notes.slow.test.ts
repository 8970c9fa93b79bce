import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, launchOptions } from '../../../packages/explorer/scripts/find-chromium.mjs'

const executable = findChromium()
const skipped = 'skipped without a Chromium: set ENTIA_CHROMIUM, or run apt-get install -y chromium'
if (executable === null) console.warn(`browser-notes: ${skipped}`)

describe.skipIf(executable === null)(
  `the notes in two tabs${executable === null ? `: ${skipped}` : ''}`,
  () => {
    let server: ChildProcess
    let browser: Browser
    let address: string
    beforeAll(async () => {
      const program = fileURLToPath(new URL('../serve.mjs', import.meta.url))
      server = spawn(process.execPath, [program], {
        env: { PATH: process.env.PATH, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [text] = await once(server.stdout!, 'data')
      address = /http:\S+/.exec(String(text))?.[0] ?? ''
      browser = await chromium.launch(launchOptions(executable!))
    })
    afterAll(async () => {
      await browser?.close()
      server?.kill()
    })

    const notesOf = (page: Page) => page.locator('li')
    const add = async (page: Page, text: string): Promise<void> => {
      await page.getByLabel('A new note').fill(text)
      await page.keyboard.press('Enter')
      await notesOf(page).filter({ hasText: text }).waitFor()
    }

    test('both show the notes of each, and the second takes over', async () => {
      const context = await browser.newContext()
      const open = async (): Promise<Page> => {
        const page = await context.newPage()
        page.on('pageerror', (error) => problems.push(String(error)))
        await page.goto(address)
        await page.getByText('This tab').waitFor()
        return page
      }
      const problems: string[] = []
      const first = await open()
      const second = await open()
      expect(await second.locator('output').textContent()).toContain('follows')
      await add(first, 'of the first tab')
      await add(second, 'of the second tab')
      await notesOf(first).filter({ hasText: 'of the second tab' }).waitFor()
      // A note that is done leaves the list at once, so that the box cannot be waited for.
      await second.getByLabel('Done: of the first tab').dispatchEvent('click')
      await notesOf(second).filter({ hasText: 'of the first tab' }).waitFor({ state: 'detached' })
      await first.close()
      await second.getByText('This tab writes.').waitFor()
      await add(second, 'after the first tab')
      await second.reload()
      await second.getByText('This tab writes.').waitFor()
      expect(await notesOf(second).allTextContents()).toEqual([
        'after the first tab',
        'of the second tab',
      ])
      expect(problems).toEqual([])
      await context.close()
    })
  },
)
