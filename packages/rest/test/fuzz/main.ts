/** The program of `npm run test:long -- fuzz`. */
import { parseArgs } from 'node:util'
import { Coverage } from './coverage.ts'
import { timeGrowth } from './growth.ts'
import { fuzzParsers, fuzzRequests, type Report, replay } from './run.ts'
import { inputOf } from './try-input.ts'

const { values: options } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '100000' },
    guided: { type: 'string', default: '1000' },
    only: { type: 'string' },
    seed: { type: 'string' },
    replay: { type: 'string' },
  },
})

process.exitCode = (await (options.replay === undefined ? fuzz() : again(options.replay))) ? 0 : 1

/** Returns true if nothing was found. */
async function fuzz(): Promise<boolean> {
  const seed = options.seed === undefined ? Date.now() % 2 ** 31 : numberOf('seed', options.seed)
  const guided = numberOf('guided', options.guided)
  console.log(`${new Date().toISOString()}  Node ${process.version}  seed ${seed}`)
  let findings = 0
  const coverage = guided > 0 ? await Coverage.start() : null
  const parsers = fuzzParsers(
    seed,
    numberOf('inputs', options.inputs),
    guided,
    coverage,
    options.only ?? null,
  )
  for await (const report of parsers) findings += print(report)
  await coverage?.stop()
  findings += print(await fuzzRequests(seed, numberOf('requests', options.requests)))
  const growths = timeGrowth()
  for (const { shape, exponent, isLinear } of growths)
    if (!isLinear)
      console.log(
        `FINDING  the time for ${shape} grows with the length to the power of ${exponent.toFixed(2)}`,
      )
  console.log(
    `growth   ${growths.length} shapes of 1000 to 8000 characters, the worst ${Math.max(...growths.map(({ exponent }) => exponent)).toFixed(2)} (1: linear)`,
  )
  findings += growths.filter(({ isLinear }) => !isLinear).length
  console.log(findings === 0 ? 'nothing found' : `${findings} found`)
  return findings === 0
}

function print(report: Report): number {
  const { name, inputs, outcomes, findings, slowestMilliseconds, milliseconds, kept } = report
  const counts = [...outcomes]
    .sort(([, one], [, other]) => other - one)
    .map(([outcome, count]) => `${outcome} ${count}`)
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`.padStart(8)
  const slowest = `slowest ${slowestMilliseconds.toFixed(1)} ms`.padEnd(18)
  const held = kept > 0 ? `  kept ${kept}` : ''
  console.log(
    `${name.padEnd(8)} ${String(inputs).padStart(8)} ${seconds}  ${slowest}${held}  ${counts.join(', ')}`,
  )
  for (const { what, replay: line } of findings) console.log(`FINDING  ${what}\n         ${line}`)
  return findings.length
}

async function again(line: string): Promise<boolean> {
  const colon = line.indexOf(':')
  const [name, input] = [line.slice(0, colon), inputOf(line.slice(colon + 1))]
  console.log(input.length > 2000 ? `${input.slice(0, 2000)}…` : input)
  try {
    console.log(await replay(name, input))
    return true
  } catch (error) {
    console.log(error)
    return false
  }
}

function numberOf(name: string, text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new Error(`--${name} must be a whole number, not "${text}".`)
}
