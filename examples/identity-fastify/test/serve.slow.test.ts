import { describeIdentity } from '../../identity-claims.ts'
import { createRest, secret, serve } from '../serve.mjs'

describeIdentity('fastify with accounts of its own', {
  start: () => serve(createRest(), 0),
  secret,
  program: new URL('../serve.mjs', import.meta.url),
})
