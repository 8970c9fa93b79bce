import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { findChromium, launchOptions } from '../../packages/explorer/scripts/find-chromium.mjs'
import { browserProcess } from './processes.js'

function browserOptions() {
  const { executablePath, args } = launchOptions(findChromium())
  return {
    executablePath,
    args: [
      ...args,
      '--disable-web-security',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  }
}

/** The pages of all subjects, and browsers that open them. */
export class Site {
  browserVersion = ''
  #programs = new Map()
  #server
  #profiles = []

  /** @param {Record<string, URL>} pages programs by subject */
  static async open(pages, minify = true) {
    const site = new Site()
    for (const [name, url] of Object.entries(pages)) {
      const { outputFiles } = await build({
        entryPoints: [fileURLToPath(url)],
        bundle: true,
        minify,
        format: 'esm',
        platform: 'browser',
        target: 'es2022',
        define: { 'process.env.NODE_ENV': '"production"' },
        write: false,
        logLevel: 'error',
      })
      site.#programs.set(`/${name}.js`, outputFiles[0].text)
    }
    site.#server = createServer(({ url }, response) => {
      const program = site.#programs.get(url)
      response.setHeader('content-type', program === undefined ? 'text/html' : 'text/javascript')
      response.end(
        program ??
          `<!doctype html><title>Replica</title><script type="module" src="${url}.js"></script>`,
      )
    })
    await new Promise((resolve) => site.#server.listen(0, '127.0.0.1', resolve))
    return site
  }

  get origin() {
    return `http://localhost:${this.#server.address().port}`
  }

  /** An empty folder for the data of a browser. */
  newProfile() {
    const folder = mkdtempSync(join(tmpdir(), 'entia-bench-replicas-'))
    this.#profiles.push(folder)
    return folder
  }

  /**
   * Starts a browser and opens the page of a subject. The page may request any origin, so that no
   * subject pays for requests that ask for permission.
   */
  async openPage(name, profile) {
    const context = await chromium.launchPersistentContext(profile, browserOptions())
    this.browserVersion = context.browser()?.version() ?? ''
    return { context, page: await this.openTab(name, context), pid: browserProcess(profile) }
  }

  /** A browser without stored data. */
  openBrowser() {
    return chromium.launch(browserOptions())
  }

  async openTab(name, context) {
    const page = await context.newPage()
    page.on('console', (message) => {
      // Requests without a connection fail.
      const isShown = message.type() === 'error' && !message.text().includes('net::ERR_')
      if (isShown) process.stderr.write(`  ${name}: ${message.text()}\n`)
    })
    page.on('pageerror', (error) => process.stderr.write(`  ${name}: ${error.message}\n`))
    await page.goto(`${this.origin}/${name}`)
    await page.waitForFunction(() => globalThis.subject !== undefined)
    return page
  }

  async close() {
    this.#server.close()
    this.#server.closeAllConnections()
    for (const folder of this.#profiles)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
