/**
 * `npm start`: installs and builds missing parts, then serves the flights example on PORT, by
 * default 8080.
 */
import { prepare, root, runMain } from './prepare.mjs'

await runMain(async () => {
  prepare(['--no-types'])
  if (process.env.npm_lifecycle_event === 'start') stopWithParent()
  const { main } = await import(new URL('../packages/cli/dist/main.js', import.meta.url).href)
  process.exitCode = await main([
    'serve',
    `${root}examples/flights/flights.mjs`,
    ...process.argv.slice(2),
  ])
})

/**
 * Stops the server when npm is stopped. npm runs a script through a shell and sends SIGTERM to the
 * shell alone. The shell ends without a signal to its child, which only sees its parent change.
 */
function stopWithParent() {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, 250).unref()
}
