import { randomBytes } from 'node:crypto'
import { createRestHandler, toFastifyPlugin, toNodeHandler } from '@entia/rest'
import fastifyJwt from '@fastify/jwt'
import Fastify from 'fastify'
import { findAccount } from './accounts.mjs'
import { createStore } from './store.mjs'

/**
 * What the tokens say.
 * @typedef {{ sub: string, name: string, roles: string[] }} Token
 */

/** With a secret of its own, a restart ends all tokens. */
export const secret = process.env.JWT_SECRET ?? randomBytes(32).toString('hex')

/** The interface, which lets the plugin of the host verify the tokens. */
export function createRest() {
  return createRestHandler(createStore(), {
    /** @param {import('@entia/rest').IdentityRequest<import('fastify').FastifyRequest>} request */
    async identify({ context }) {
      if (context.headers.authorization === undefined) return null // a guest
      // A token that is forged or has expired throws: 401.
      const { sub, name, roles } = /** @type {Token} */ (await context.jwtVerify())
      return { ID: sub, fullName: name, groups: roles }
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
  const answer = toNodeHandler(rest)
  const app = Fastify({
    clientErrorHandler: rest.onClientError,
    // Addresses that fastify's router cannot decode never reach a plugin.
    frameworkErrors: (_error, request, reply) => void answer(request.raw, reply.hijack().raw),
    forceCloseConnections: true,
  })
  await app.register(fastifyJwt, { secret, sign: { expiresIn: '15 minutes' } })
  app.post('/login', async (request, reply) => {
    const { name, password } = /** @type {{ name?: unknown, password?: unknown }} */ (
      request.body ?? {}
    )
    const account = await findAccount(String(name), String(password))
    if (account === null) return reply.code(401).send({ error: 'wrong name or password' })
    const { id, fullName, roles } = account
    return { token: app.jwt.sign({ sub: id, name: fullName, roles }) }
  })
  app.register(toFastifyPlugin(rest))
  const url = await app.listen({ port, host: '127.0.0.1' })
  return { url, close: () => app.close() }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await serve(createRest(), Number(process.env.PORT ?? 8080))
  console.log(`Log in at ${url}/login, then ask ${url}/rest/Note (Ctrl+C stops)`)
}
