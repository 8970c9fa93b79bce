// Runs the conformance suite with node:test against the reference and against a server on this
// Node.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { describeConformance, hostAt, referenceHost } from '@entia/testing/conformance'

describeConformance('the reference', referenceHost(), { describe, test })
describeConformance(
  'node:http',
  {
    async open(store, options) {
      const server = createServer(toNodeHandler(createRestHandler(store, options)))
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('no port')
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      return hostAt(`http://127.0.0.1:${address.port}`, { close })
    },
  },
  { describe, test },
)
