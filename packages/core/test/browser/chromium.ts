import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium, launchOptions } from '../../../explorer/scripts/find-chromium.mjs'

/** The installed Chromium, or null. */
export const executable = findChromium()
export const skipped =
  'skipped without a Chromium: set ENTIA_CHROMIUM, or run apt-get install -y chromium'

/** An origin that serves a program and its page, with the browser profiles that store its data. */
export class Site {
  readonly #server: Server
  readonly #folders: string[] = []
  readonly #browsers: Chromium[] = []

  static async open(program: string): Promise<Site> {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL(program, import.meta.url))],
      conditions: ['entia-source'],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      write: false,
    })
    const server = createServer((request, response) => {
      const isProgram = request.url === '/program.js'
      response.setHeader('content-type', isProgram ? 'text/javascript' : 'text/html')
      response.end(
        isProgram
          ? outputFiles[0]!.text
          : '<!doctype html><title>Notes</title><script type="module" src="/program.js"></script>',
      )
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Site(server)
  }

  private constructor(server: Server) {
    this.#server = server
  }

  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  /** The same pages at an address that browsers do not treat as secure. */
  get insecureOrigin(): string {
    return this.origin.replace('localhost', 'entia.test')
  }

  /** An empty folder for the data of a browser. */
  newProfile(): string {
    const folder = mkdtempSync(join(tmpdir(), 'entia-profile-'))
    this.#folders.push(folder)
    return folder
  }

  async startBrowser(profile: string): Promise<Chromium> {
    const started = await Chromium.start(profile)
    this.#browsers.push(started)
    return started
  }

  /** Kills all browsers, including those of failed tests. */
  async close(): Promise<void> {
    for (const started of this.#browsers) await started.kill()
    this.#server.close()
    this.#server.closeAllConnections()
    for (const folder of this.#folders)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A tab with the program of a site. */
export interface Tab {
  readonly page: Page
  /** The batches that the tab reported as saved. */
  readonly acked: number[]
  /** For tests: true once the tab writes continuously. */
  isWriting?: boolean
  /** Resolves when so many batches are reported, or the tab has ended. */
  ackedAtLeast(count: number): Promise<void>
  ask(command: string, argument?: number): Promise<unknown>
}

/** A process of Chromium with a profile, which can be killed. */
export class Chromium {
  readonly #process: ChildProcess
  readonly browser: Browser

  static async start(profile: string): Promise<Chromium> {
    const { executablePath, args } = launchOptions(executable!)
    const child = spawn(
      executablePath,
      [
        ...args,
        '--headless=new',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        '--host-resolver-rules=MAP entia.test 127.0.0.1',
        '--no-first-run',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    )
    const lines = createInterface({ input: child.stderr })
    let address = ''
    for await (const line of lines) {
      address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1] ?? ''
      if (address !== '') break
    }
    child.stderr.resume()
    return new Chromium(child, await chromium.connectOverCDP(address))
  }

  private constructor(child: ChildProcess, browser: Browser) {
    this.#process = child
    this.browser = browser
  }

  async openTab(address: string): Promise<Tab> {
    const page = await this.browser.contexts()[0]!.newPage()
    const acked: number[] = []
    const waiting = new Set<() => void>()
    const wake = (): void => {
      for (const one of waiting) one()
    }
    page.on('close', wake)
    page.on('crash', wake)
    await page.exposeFunction('acked', (batch: number) => {
      acked.push(batch)
      wake()
    })
    await page.goto(address)
    return {
      page,
      acked,
      ackedAtLeast: (count) =>
        new Promise((resolve) => {
          const check = (): void => {
            if (acked.length < count && !page.isClosed()) return
            waiting.delete(check)
            resolve()
          }
          waiting.add(check)
          check()
        }),
      ask: (command, argument = 0) => page.evaluate(`ask('${command}', ${argument})`),
    }
  }

  /** Kills the browser with all its processes. */
  async kill(): Promise<void> {
    const ended = once(this.#process, 'exit')
    if (killGroup(this.#process)) await ended
    await this.browser.close().catch(() => undefined)
  }
}

/** False if the process has ended already. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false
  process.kill(-pid, 'SIGKILL')
  return true
}
