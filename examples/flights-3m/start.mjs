// npm start [-- --serve]: loads the flights, prints the cost and runs the queries; or serves them
// over HTTP.
import { fileURLToPath } from 'node:url'
import { main } from 'entia/main'
import { report } from './report.mjs'

const [option, ...more] = process.argv.slice(2)
if (option === '--serve') {
  process.exitCode = await main([
    'serve',
    fileURLToPath(new URL('flights-3m.mjs', import.meta.url)),
    ...more,
  ])
} else if (option === undefined) {
  await report((text) => void process.stdout.write(text))
} else {
  process.stderr.write('npm start --workspace examples/flights-3m [-- --serve [--port 8080]]\n')
  process.exitCode = 2
}
