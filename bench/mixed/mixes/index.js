import { dashboard } from './dashboard.js'
import { held } from './held.js'
import { suite } from './suite.js'
import { web } from './web.js'
import { webHttp } from './web-http.js'
import { ycsb } from './ycsb.js'

/** In the order of execution. @type {readonly import('./mix.js').Mix[]} */
export const mixes = [...ycsb, web, held, suite, dashboard, webHttp]
