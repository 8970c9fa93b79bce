import { Chance } from './chance.ts'
import { Corpus } from './corpus.ts'
import type { Coverage } from './coverage.ts'
import { PARSERS, type Parser } from './parsers.ts'
import { anyRequest, type FuzzRequest, Target } from './requests.ts'
import { replayLine, tryInput } from './try-input.ts'

/** An error, and the command that repeats it. */
interface Finding {
  readonly what: string
  readonly replay: string
}

/** The result of a run of one parser, or of the requests. */
export interface Report {
  readonly name: string
  readonly inputs: number
  /** Counts by outcome: `read`, an error code, or a status. */
  readonly outcomes: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
  readonly slowestMilliseconds: number
  readonly milliseconds: number
  /** The number of inputs that were kept because they reached new code. */
  readonly kept: number
}

/** A run stops after this many findings: they mostly repeat the first. */
const MAX_FINDINGS = 5

class Tally {
  readonly outcomes = new Map<string, number>()
  readonly findings: Finding[] = []
  readonly #since = performance.now()
  inputs = 0
  slowest = 0

  count(outcome: string): void {
    this.inputs++
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
  }

  report(name: string, kept = 0): Report {
    const { inputs, outcomes, findings, slowest: slowestMilliseconds } = this
    const milliseconds = performance.now() - this.#since
    return { name, inputs, outcomes, findings, slowestMilliseconds, milliseconds, kept }
  }
}

/**
 * Runs `total` inputs, shared among the parsers or for a single one. With `coverage`, the first
 * `guided` inputs of each search for new code.
 */
export async function* fuzzParsers(
  seed: number,
  total: number,
  guided = 0,
  coverage: Coverage | null = null,
  only: string | null = null,
): AsyncGenerator<Report> {
  const chosen = PARSERS.filter(({ name }) => only === null || name === only)
  const shares = chosen.reduce((sum, { share }) => sum + share, 0)
  for (const [index, parser] of chosen.entries()) {
    const inputs = Math.max(1, Math.round((total * parser.share) / shares))
    const corpus = new Corpus(parser, new Chance(seed + index * 7919))
    const tally = new Tally()
    if (coverage !== null) await explore(parser, corpus, tally, Math.min(guided, inputs), coverage)
    while (tally.inputs < inputs && tally.findings.length < MAX_FINDINGS)
      await tryOne(parser, corpus.next(), tally)
    yield tally.report(parser.name, corpus.size)
  }
}

async function tryOne(parser: Parser, input: string, tally: Tally): Promise<void> {
  const since = performance.now()
  const { kind, what } = await tryInput(parser, input)
  tally.slowest = Math.max(tally.slowest, performance.now() - since)
  tally.count(kind === 'finding' ? 'FINDING' : what)
  if (kind === 'finding') tally.findings.push({ what, replay: replayLine(parser.name, input) })
}

/** Keeps the inputs that reach new code; later inputs are mutations of them. */
async function explore(
  parser: Parser,
  corpus: Corpus,
  tally: Tally,
  inputs: number,
  coverage: Coverage,
): Promise<void> {
  while (tally.inputs < inputs && tally.findings.length < MAX_FINDINGS) {
    const input = corpus.next()
    await tryOne(parser, input, tally)
    if ((await coverage.newRanges()) > 0) corpus.keep(input)
  }
}

/** Sends requests to fresh stores, `perStore` each, so that the replay of a finding is short. */
export async function fuzzRequests(seed: number, total: number, perStore = 24): Promise<Report> {
  const chance = new Chance(seed)
  const tally = new Tally()
  while (tally.inputs < total && tally.findings.length < MAX_FINDINGS) {
    const target = new Target()
    const sent: FuzzRequest[] = []
    try {
      for (let left = perStore; left > 0; left--) {
        const request = anyRequest(chance, target.sets, target.cookies.length)
        sent.push(request)
        const since = performance.now()
        const status = await target.ask(request)
        tally.slowest = Math.max(tally.slowest, performance.now() - since)
        tally.count(`${status}`)
      }
      target.verify()
    } catch (error) {
      tally.count('FINDING')
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
      tally.findings.push({
        what: `${what}\n${JSON.stringify(sent.at(-1))}`,
        replay: replayRequests(sent),
      })
    }
  }
  return tally.report('requests')
}

const replayRequests = (sent: readonly FuzzRequest[]): string =>
  replayLine('requests', JSON.stringify(sent))

/** Repeats a replay line. Throws its finding. */
export async function replay(name: string, input: string): Promise<string> {
  if (name === 'requests') {
    const target = new Target()
    const statuses: number[] = []
    for (const request of JSON.parse(input) as readonly FuzzRequest[])
      statuses.push(await target.ask(request))
    target.verify()
    return `answered ${statuses.join(' ')}`
  }
  const parser = PARSERS.find((one) => one.name === name)
  if (parser === undefined) throw new Error(`There is no parser "${name}".`)
  const { kind, what } = await tryInput(parser, input)
  if (kind === 'finding') throw new Error(what)
  return what
}
