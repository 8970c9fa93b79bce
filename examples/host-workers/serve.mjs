import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const require = createRequire(import.meta.url)

/**
 * Bundles a module into dist/worker.mjs and serves it with workerd, the runtime of Cloudflare
 * Workers, on the loopback address; port 0 picks a free port.
 * @param {URL} module
 * @param {number} port
 */
export async function serve(module, port) {
  const outfile = fileURLToPath(new URL('dist/worker.mjs', import.meta.url))
  await build({
    entryPoints: [fileURLToPath(module)],
    outfile,
    bundle: true,
    format: 'esm',
    logLevel: 'error',
  })
  const config = fileURLToPath(new URL('worker.capnp', import.meta.url))
  // The program itself: the package's bin starts it as a child, which outlives a signal to the bin.
  const child = spawn(
    require('workerd').default,
    ['serve', config, `--socket-addr=http=127.0.0.1:${port}`, '--control-fd=1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  // workerd reports the port that it got, or ends when the module does not load.
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const listening = /"port":(\d+)/.exec(String(line))
  if (listening === null) throw new Error('workerd could not load the module; see above.')
  return {
    url: `http://127.0.0.1:${listening[1]}`,
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const worker = new URL('worker.mjs', import.meta.url)
  const { url } = await serve(worker, Number(process.env.PORT ?? 8080))
  console.log(`Ask ${url}/rest/Employee (Ctrl+C stops)`)
}
