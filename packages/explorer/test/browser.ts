import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AnyDataStore } from '@entia/core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium, launchOptions } from '../scripts/find-chromium.mjs'
import { serveExplorer } from './people.ts'

/** The installed Chromium; null if there is none. */
export const executable = findChromium()

/** The reason for skipped tests. */
export const noChromium =
  'no Chromium was found: install one (apt-get install chromium), or name it in the variable ENTIA_CHROMIUM'

export function launch(): Promise<Browser> {
  if (executable === null) throw new Error(noChromium)
  return chromium.launch(launchOptions(executable))
}

/** Options of `expect.poll`: as long as the page may take on a busy machine. */
export const patiently = { timeout: 20_000 }

export interface Watched {
  readonly page: Page
  /** Errors of the page, and requests to other servers. */
  readonly problems: string[]
}

/**
 * Opens a page that records its errors. Refusals of the server are not errors: the page shows them.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<Watched> {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  const problems: string[] = []
  page.on('console', (message) => {
    const isRefusal = /^Failed to load resource: the server responded with a status of 4\d\d /.test(
      message.text(),
    )
    if ((message.type() === 'error' || message.type() === 'warning') && !isRefusal)
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) problems.push(`asked ${request.url()}`)
  })
  return { page, problems }
}

export interface OpenExplorer extends Watched {
  readonly origin: string
  readonly close: () => Promise<void>
}

/** Serves a store with its explorer, and opens a page in a browser of its own. */
export async function openExplorer(
  store: AnyDataStore,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<OpenExplorer> {
  const { origin, close } = await serveExplorer(store)
  const browser = await launch()
  const watched = await openPage(browser, origin, options)
  watched.page.setDefaultTimeout(patiently.timeout)
  return {
    ...watched,
    origin,
    close: async () => {
      await browser.close()
      close()
    },
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The accessibility violations that axe finds: rule and elements. `colors`: only of the rules that
 * judge colours, for a page whose other rules are checked in another colour scheme.
 */
export async function violationsOf(page: Page, only?: 'colors'): Promise<readonly string[]> {
  await page.evaluate(axe)
  const rules = only === 'colors' ? ', runOnly: ["color-contrast", "link-in-text-block"]' : ''
  const found = await page.evaluate<{
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
  }>(`axe.run(document, { resultTypes: ["violations"]${rules} })`)
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
  )
}
