import { existsSync, readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** Resolves a path in the shell's folder: npm runs scripts in the folder of the package. */
export const fromCaller = (path) => resolve(process.env.INIT_CWD ?? process.cwd(), path)

/** The same for an option that may be missing. @returns {string | null} */
export const optionalPath = (path) => (path === undefined ? null : fromCaller(path))

/** Splits a list such as `W5,W8`. */
export const splitList = (text) => text.split(',').filter((part) => part !== '')

/** The names of the modules in a folder. @param {URL} folder */
export const moduleNames = (folder) => readdirSync(folder).map((file) => basename(file, '.js'))

/** Whether the dependencies of bench/peers are installed. */
export const hasPeers = existsSync(new URL('../peers/node_modules', import.meta.url))

/**
 * Reads the command line. `--help` prints the usage and exits with 0. An unknown option, or an
 * error that `interpret` throws, prints the message and the usage and exits with 2.
 * @template T
 * @param {string} usage
 * @param {import('node:util').ParseArgsConfig['options']} options
 * @param {(values: any) => T} interpret
 * @returns {T}
 */
export function readCommandLine(usage, options, interpret) {
  try {
    const { values } = parseArgs({
      options: { help: { type: 'boolean', default: false }, ...options },
    })
    if (!values.help) return interpret(values)
    process.stdout.write(usage)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
}

/**
 * Throws for values outside their bounds.
 * @param {Record<string, any>} values
 * @param {Record<string, readonly [least: number, most: number]>} bounds
 */
export function checkBounds(values, bounds) {
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const value = Number(values[name])
    if (!(value >= least && value <= most))
      throw new Error(`--${name} must be a number from ${least} to ${most}.`)
    if (Number.isInteger(least) && !Number.isInteger(value))
      throw new Error(`--${name} must be a whole number.`)
  }
}

/** Throws if peers are used but not installed. */
export function requirePeers(isUsed) {
  if (isUsed && !hasPeers)
    throw new Error('The peers are not installed. Run: npm ci --prefix bench/peers')
}
