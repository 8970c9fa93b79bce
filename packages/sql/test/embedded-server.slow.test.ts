import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const loader = new URL('../../../scripts/typescript-processes.mjs', import.meta.url).href
const server = fileURLToPath(new URL('./embedded-server.ts', import.meta.url))

test('a process that can start a server of its own ends with the code that it set', () => {
  const program = `
    import { embeddedPostgres } from ${JSON.stringify(server)}
    await embeddedPostgres()
    process.exitCode = 3`
  const { status } = spawnSync(process.execPath, [
    '--import',
    loader,
    '--input-type=module',
    '--eval',
    program,
  ])
  expect(status).toBe(3)
})
