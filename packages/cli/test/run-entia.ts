import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../bin/entia.mjs', import.meta.url))
const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url))

export interface Ended {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Serving {
  /** `http://localhost:<port>`, as printed. */
  readonly origin: string
  /** The stdout so far. */
  readonly printed: string
  /** Sends the signal and waits for the process to end. */
  readonly stop: (signal: NodeJS.Signals) => Promise<Ended>
}

/** Runs the built program in the folder of fixtures until it ends, optionally as another user. */
export function runEntia(
  parameters: readonly string[],
  environment: Record<string, string> = {},
  user?: number,
): Promise<Ended> {
  return start(parameters, environment, user).ended
}

/**
 * Runs `entia serve` on a free port until it serves. Rejects with the output if the process ends
 * first.
 */
export function serveEntia(module: string, ...options: readonly string[]): Promise<Serving> {
  return serveUnder([], module, ...options)
}

/** Like `serveEntia`, with options for Node. */
export async function serveUnder(
  nodeOptions: readonly string[],
  module: string,
  ...options: readonly string[]
): Promise<Serving> {
  const { child, ended, printed } = start(
    ['serve', module, '--port', '0', ...options],
    {},
    undefined,
    nodeOptions,
  )
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const found = /Entia serves .* at (http:\/\/[^/]+).*\n\n[\s\S]*\n$/.exec(printed())
      if (found?.[1] !== undefined) resolve(found[1])
    })
    ended.then((end) => reject(new Error(`entia ended: ${JSON.stringify(end)}`)))
  })
  return {
    origin,
    get printed() {
      return printed()
    },
    stop: (signal) => {
      child.kill(signal)
      return ended
    },
  }
}

function start(
  parameters: readonly string[],
  environment: Record<string, string>,
  user?: number,
  nodeOptions: readonly string[] = [],
) {
  const child: ChildProcess = spawn(process.execPath, [...nodeOptions, bin, ...parameters], {
    cwd: fixtures,
    env: { PATH: process.env.PATH, ...environment },
    ...(user === undefined ? {} : { uid: user }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }))
  })
  return { child, ended, printed: () => stdout }
}
