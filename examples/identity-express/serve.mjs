import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createRestHandler, toExpressHandler } from '@entia/rest'
import express from 'express'
import { jwtVerify, SignJWT } from 'jose'
import { findAccount } from './accounts.mjs'
import { createStore } from './store.mjs'

/** With a secret of its own, a restart ends all tokens. */
export const secret = new TextEncoder().encode(
  process.env.JWT_SECRET ?? randomBytes(32).toString('hex'),
)

/** The interface, which knows its callers by their tokens. */
export function createRest() {
  return createRestHandler(createStore(), {
    async identify(/** @type {import('@entia/rest').IdentityRequest} */ { header }) {
      const [, token] = /^Bearer (.+)$/i.exec(header('authorization') ?? '') ?? []
      if (token === undefined) return null // a guest
      // A token that is forged or has expired throws: 401.
      const { payload } = await jwtVerify(token, secret, { algorithms: ['HS256'] })
      return {
        ID: payload.sub ?? '',
        fullName: String(payload.name),
        groups: /** @type {string[]} */ (payload.roles),
        claims: { signedIn: payload.iat ?? 0 },
      }
    },
    authorize({ user, action }) {
      if (action === 'describe') return true
      if (user === null) return false
      if (user.groups.includes('staff')) return true
      return { filter: 'owner === :1', parameters: [user.ID] }
    },
  })
}

/**
 * Serves on the loopback address; port 0 picks a free port.
 * @param {import('@entia/rest').RestHandler} rest
 * @param {number} port
 */
export async function serve(rest, port) {
  const app = express()
  app.use(toExpressHandler(rest))
  app.post('/login', express.json(), async (request, response) => {
    const { name, password } = /** @type {{ name?: unknown, password?: unknown }} */ (
      request.body ?? {}
    )
    const account = await findAccount(String(name), String(password))
    if (account === null) return void response.status(401).json({ error: 'wrong name or password' })
    const token = await new SignJWT({ name: account.fullName, roles: [...account.roles] })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(account.id)
      .setIssuedAt()
      .setExpirationTime('15 minutes')
      .sign(secret)
    response.json({ token })
  })
  const server = app.listen(port, '127.0.0.1')
  server.on('clientError', rest.onClientError)
  await once(server, 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await serve(createRest(), Number(process.env.PORT ?? 8080))
  console.log(`Log in at ${url}/login, then ask ${url}/rest/Note (Ctrl+C stops)`)
}
