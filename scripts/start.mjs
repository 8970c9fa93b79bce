/** `npm start`: installs and builds what is missing, then serves the flights example on the port in PORT, else 8080. */
import { prepare, root, runMain } from './prepare.mjs'

await runMain(async () => {
  prepare()
  const { main } = await import(new URL('../packages/cli/dist/index.js', import.meta.url).href)
  process.exitCode = await main(['serve', `${root}examples/flights/flights.mjs`, ...process.argv.slice(2)])
})
