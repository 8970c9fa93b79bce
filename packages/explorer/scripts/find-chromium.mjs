// Finds an installed Chromium for the tests and the screenshots. Downloads nothing.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * The path in ENTIA_CHROMIUM, /usr/bin/chromium, or a Chromium on the path; null if there is none.
 */
export function findChromium(environment = process.env) {
  const named = environment.ENTIA_CHROMIUM
  if (named) return named
  const folders = ['/usr/bin', ...(environment.PATH ?? '').split(delimiter)]
  return (
    names
      .flatMap((name) => folders.map((folder) => join(folder, name)))
      .find((file) => existsSync(file)) ?? null
  )
}

/**
 * Launch options for Chromium. Root, as in a container, needs the sandbox turned off.
 * @param {string} executablePath
 */
export function launchOptions(executablePath) {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return { executablePath, args }
}
