import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const jsonType = 'application/json'
const millisecondsIn = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

/**
 * @typedef {object} Load
 * @property {number} perSecond      responses
 * @property {number} p99            milliseconds
 *
 * @typedef {object} Client
 * @property {string} name
 * @property {(origin: string, requests: import('./requests.js').Requests, settings: { connections:
 * number, seconds: number }) => Promise<Load>} measure throws if a status is not 2xx
 * @property {() => void} close
 */

/**
 * Prefers wrk, which leaves most of the machine to the server; falls back to autocannon. @returns
 * {Client}
 */
export function chooseClient() {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' })
  } catch (error) {
    // `wrk --version` exits with 1, so only a missing program counts.
    if (error.code === 'ENOENT') return autocannonClient()
  }
  return wrkClient()
}

function wrkClient() {
  const folder = mkdtempSync(join(tmpdir(), 'entia-wrk-'))
  const script = join(folder, 'requests.lua')
  return {
    name: 'wrk',
    async measure(origin, requests, { connections, seconds }) {
      writeFileSync(script, wrkScript(requests))
      const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, origin]
      const { stdout } = await run('wrk', args)
      const refused =
        /Non-2xx or 3xx responses: (\d+)/.exec(stdout) ?? /Socket errors: (.*)/.exec(stdout)
      if (refused !== null) throw new Error(`wrk: ${refused[0]}`)
      const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)
      const slowest = /99%\s+([\d.]+)(us|ms|s|m)\b/.exec(stdout)
      if (rate === null || slowest === null) throw new Error(`wrk answered: ${stdout}`)
      return { perSecond: Number(rate[1]), p99: Number(slowest[1]) * millisecondsIn[slowest[2]] }
    },
    close: () => rmSync(folder, { recursive: true }),
  }
}

/** The script creates all requests before it sends the first. */
function wrkScript({ method, paths, body }) {
  const head =
    body === null ? '' : `wrk.headers["Content-Type"] = "${jsonType}"\nwrk.body = [==[${body}]==]\n`
  return `${head}local paths = {${paths.map((path) => JSON.stringify(path)).join(',')}}
local requests, at = {}, 0
init = function()
  for place, path in ipairs(paths) do requests[place] = wrk.format("${method}", path) end
end
request = function()
  at = at % #requests + 1
  return requests[at]
end
`
}

function autocannonClient() {
  const autocannon = createRequire(new URL('../peers/package.json', import.meta.url))('autocannon')
  return {
    name: 'autocannon',
    async measure(origin, { method, paths, body }, { connections, seconds }) {
      const common = {
        method,
        headers: { 'content-type': jsonType },
        ...(body === null ? {} : { body }),
      }
      const requests = paths.map((path) => ({ path, ...common }))
      const result = await autocannon({ url: origin, connections, duration: seconds, requests })
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(
          `autocannon: ${result.non2xx} responses are not 2xx, ${result.errors} failed`,
        )
      return { perSecond: result.requests.average, p99: result.latency.p99 }
    },
    close() {},
  }
}
