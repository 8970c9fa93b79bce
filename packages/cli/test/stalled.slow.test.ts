import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/long.mjs', import.meta.url))

// The pages that the clients request would fill the heap more than twice. After 12 seconds, some of
// their connections may still be open.
test.runIf(process.platform === 'linux').concurrent.each(['entia', 'node'])(
  'clients that read nothing neither end the server nor keep others out: %s',
  { timeout: 240_000 },
  async (server) => {
    const parameters = [
      'stalled',
      '--server',
      server,
      '--connections',
      '40',
      '--heap',
      '256',
      '--seconds',
      '12',
    ]
    const printed = await new Promise<string>((resolve) => {
      execFile(process.execPath, [script, ...parameters], (_, stdout, stderr) =>
        resolve(stdout + stderr),
      )
    })
    for (const claim of ['the server goes on', 'others are served'])
      expect(printed).toContain(`ok    ${claim}`)
  },
)
