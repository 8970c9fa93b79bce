import { dashboard } from './dashboard.js'
import { held } from './held.js'
import { suite } from './suite.js'
import { web } from './web.js'

/** In the order in which they are run. @type {readonly import('./mix.js').Mix[]} */
export const mixes = [web, held, suite, dashboard]
