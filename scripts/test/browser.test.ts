import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, launchOptions } from '../../packages/explorer/scripts/find-chromium.mjs'
import { forBrowsers } from '../bundle-size.mjs'
import { tell } from './browser-program.ts'
import { root } from './source-files.ts'

const executable = findChromium()
const skipped = 'skipped, for there is no Chromium: name one in ENTIA_CHROMIUM, or apt-get install -y chromium'
if (executable === null) console.warn(`core in a browser: ${skipped}`)

interface Seen {
  readonly told: unknown
  readonly compilesWebAssembly: boolean
  readonly isSecure: boolean
  readonly violations: readonly string[]
}

// As a page would: the violations are counted before the program is loaded.
const page = `<!doctype html><title>Entia</title><script type="module" src="/program.js"></script>`
const program = `
const violations = []
document.addEventListener('securitypolicyviolation', ({ blockedURI }) => violations.push(blockedURI))
const show = (seen) => {
  const output = document.createElement('output')
  output.textContent = JSON.stringify({ ...seen, isSecure: isSecureContext, violations })
  document.body.append(output)
}
import('/core.js').then(
  ({ tell, compilesWebAssembly }) => {
    const seen = { told: tell(), compilesWebAssembly: compilesWebAssembly() }
    setTimeout(() => show(seen)) // violations are told later
  }
).catch((error) => show({ told: String(error?.stack) }))
`

describe.skipIf(executable === null)(`core in a browser${executable === null ? `: ${skipped}` : ''}`, () => {
  let browser: Browser
  let core: string
  let inNode: unknown

  beforeAll(async () => {
    const { outputFiles } = await build({
      ...forBrowsers,
      entryPoints: [`${root}scripts/test/browser-program.ts`],
    })
    core = outputFiles[0]!.text
    inNode = JSON.parse(JSON.stringify(tell()))
    browser = await chromium.launch(launchOptions(executable!))
  }, 180_000)
  afterAll(() => browser?.close(), 60_000)

  /** Opens the page at the address; nothing is asked of a network. */
  async function see(origin: string, scripts: string, js = program): Promise<Seen> {
    const tab = await browser.newPage()
    try {
      const errors: string[] = []
      tab.on('pageerror', (error) => errors.push(String(error)))
      await tab.route('**/*', async (route) => {
        const { pathname } = new URL(route.request().url())
        const body = new Map([
          ['/', page],
          ['/program.js', js],
          ['/core.js', core],
        ]).get(pathname)
        const contentType = pathname === '/' ? 'text/html; charset=utf-8' : 'text/javascript; charset=utf-8'
        if (body === undefined) return route.abort()
        const headers = { 'content-security-policy': `default-src 'none'; script-src 'self'${scripts}` }
        return route.fulfill({ body, contentType, headers })
      })
      await tab.goto(`${origin}/`)
      // Read off the page: Playwright evaluates as the page does, and the policy would stop it.
      const seen: Seen = JSON.parse((await tab.locator('output').textContent()) ?? '')
      expect(errors).toEqual([])
      return seen
    } finally {
      await tab.close()
    }
  }

  test('it does what it does in Node, under a policy that lets no code be made from text or WebAssembly', async () => {
    const { told, compilesWebAssembly, violations } = await see('https://entia.test', '')
    expect(told).toEqual(inNode)
    expect(compilesWebAssembly).toBe(false)
    // The kernel was tried and did without; nothing else was.
    expect(new Set(violations)).toEqual(new Set(['wasm-eval']))
  })

  test('where WebAssembly may be compiled it comes to the same', async () => {
    const seen = await see('https://entia.test', " 'wasm-unsafe-eval'")
    expect(seen).toEqual({ told: inNode, compilesWebAssembly: true, isSecure: true, violations: [] })
  })

  test('so it does in a page that came by plain HTTP, where browsers make no UUIDs', async () => {
    const { told, isSecure } = await see('http://entia.test', '')
    expect(isSecure).toBe(false)
    expect(told).toEqual(inNode)
  })

  test('code made from text would be told', async () => {
    const js = `${program}\ntry { new Function('') } catch {}`
    expect((await see('https://entia.test', '', js)).violations).toContain('eval')
  })
})
