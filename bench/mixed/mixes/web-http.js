import { web } from './web.js'

export const connectionCount = 16

/** The web mix over HTTP; `http/http-mix.js` runs it. @type {import('./mix.js').Mix} */
export const webHttp = {
  ...web,
  id: 'http',
  title: `the web application over HTTP, ${connectionCount} connections`,
  isOverHttp: true,
}
