import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, launchOptions } from '../../packages/explorer/scripts/find-chromium.mjs'
import { forBrowsers } from '../bundle-size.mjs'
import { run } from './browser-program.ts'
import { run as runKernel } from './kernel-program.ts'
import { root } from './source-files.ts'

const executable = findChromium()
const skipped = 'skipped without a Chromium: set ENTIA_CHROMIUM, or run apt-get install -y chromium'
if (executable === null) console.warn(`core in a browser: ${skipped}`)

interface Outcome {
  readonly results: unknown
  readonly compilesWebAssembly: boolean
  readonly isSecure: boolean
  readonly violations: readonly string[]
}

// The page counts policy violations before the program is loaded.
const page = `<!doctype html><title>Entia</title><script type="module" src="/program.js"></script>`
const program = `
const violations = []
document.addEventListener('securitypolicyviolation', ({ blockedURI }) => violations.push(blockedURI))
const show = (outcome) => {
  const output = document.createElement('output')
  output.textContent = JSON.stringify({ ...outcome, isSecure: isSecureContext, violations })
  document.body.append(output)
}
import('/core.js').then(
  ({ run, compilesWebAssembly }) => {
    const outcome = { results: run(), compilesWebAssembly: compilesWebAssembly() }
    setTimeout(() => show(outcome)) // violations are reported asynchronously
  }
).catch((error) => show({ results: String(error?.stack) }))
`

const bundled = async (name: string): Promise<string> => {
  const { outputFiles } = await build({
    ...forBrowsers,
    entryPoints: [`${root}scripts/test/${name}.ts`],
  })
  return outputFiles[0]!.text
}

describe.skipIf(executable === null)(
  `core in a browser${executable === null ? `: ${skipped}` : ''}`,
  () => {
    let browser: Browser
    let core: string
    let inNode: unknown

    beforeAll(async () => {
      core = await bundled('browser-program')
      inNode = JSON.parse(JSON.stringify(run()))
      browser = await chromium.launch(launchOptions(executable!))
    })
    afterAll(() => browser?.close(), 60_000)

    /** Opens the page at the address, without a network. */
    async function open(
      origin: string,
      scripts: string,
      js = program,
      module = core,
    ): Promise<Outcome> {
      const tab = await browser.newPage()
      try {
        const errors: string[] = []
        tab.on('pageerror', (error) => errors.push(String(error)))
        await tab.route('**/*', async (route) => {
          const { pathname } = new URL(route.request().url())
          const body = new Map([
            ['/', page],
            ['/program.js', js],
            ['/core.js', module],
          ]).get(pathname)
          const contentType =
            pathname === '/' ? 'text/html; charset=utf-8' : 'text/javascript; charset=utf-8'
          if (body === undefined) return route.abort()
          const headers = {
            'content-security-policy': `default-src 'none'; script-src 'self'${scripts}`,
          }
          return route.fulfill({ body, contentType, headers })
        })
        await tab.goto(`${origin}/`)
        // Read the result from the page: the policy forbids Playwright to evaluate code.
        const outcome: Outcome = JSON.parse((await tab.locator('output').textContent()) ?? '')
        expect(errors).toEqual([])
        return outcome
      } finally {
        await tab.close()
      }
    }

    test('it gives the results of Node under a policy without eval and WebAssembly', async () => {
      const { results, compilesWebAssembly, violations } = await open('https://entia.test', '')
      expect(results).toEqual(inNode)
      expect(compilesWebAssembly).toBe(false)
      // Only the compilation of the kernel was attempted and refused.
      expect(new Set(violations)).toEqual(new Set(['wasm-eval']))
    })

    test('it gives the same results with WebAssembly', async () => {
      const outcome = await open('https://entia.test', " 'wasm-unsafe-eval'")
      expect(outcome).toEqual({
        results: inNode,
        compilesWebAssembly: true,
        isSecure: true,
        violations: [],
      })
    })

    test('it gives the same results over plain HTTP, without crypto.randomUUID', async () => {
      const { results, isSecure } = await open('http://entia.test', '')
      expect(isSecure).toBe(false)
      expect(results).toEqual(inNode)
    })

    test('a store of two capabilities on the kernel gives the results of Node', async () => {
      const outcome = await open('https://entia.test', '', program, await bundled('kernel-program'))
      expect(outcome.results).toEqual(JSON.parse(JSON.stringify(runKernel())))
      expect(outcome.results).toMatchObject({
        hours: 6,
        titles: ['Read', 'Test', 'Write'],
        longest: 2,
        members: [],
      })
    })

    test('the page detects eval', async () => {
      const js = `${program}\ntry { new Function('') } catch {}`
      expect((await open('https://entia.test', '', js)).violations).toContain('eval')
    })
  },
)
