import { web } from './web.js'

export const connectionCount = 16

/** The web mix as requests over HTTP; it is run by `http/http-mix.js`. @type {import('./mix.js').Mix} */
export const webHttp = {
  ...web,
  id: 'http',
  title: `the web application over HTTP, ${connectionCount} connections`,
  isOverHttp: true,
}
