// Where a Chromium is, for the tests and the screenshots: nothing is downloaded.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The variable ENTIA_CHROMIUM, else /usr/bin/chromium, else what is on the path; null when there is none. */
export function findChromium(environment = process.env) {
  const named = environment.ENTIA_CHROMIUM
  if (named) return named
  const folders = ['/usr/bin', ...(environment.PATH ?? '').split(delimiter)]
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file)) ?? null
}

/**
 * What it is started with: as root, as in a container, there is no sandbox.
 * @param {string} executablePath
 */
export function launchOptions(executablePath) {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return { executablePath, args }
}
