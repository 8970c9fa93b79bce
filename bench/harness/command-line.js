import { resolve } from 'node:path'

/** Paths are those of the shell in which `npm run` was typed: npm itself changes to the folder of the package. */
export const fromCaller = (path) => resolve(process.env.INIT_CWD ?? process.cwd(), path)

/** The names of a list such as `W5,W8`. */
export const splitList = (text) => text.split(',').filter((part) => part !== '')
