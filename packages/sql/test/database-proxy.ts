import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Direction = 'toServer' | 'toClient'

/** A proxy between clients and a database server. */
export interface DatabaseProxy {
  /** The address of the server by way of the proxy. */
  readonly connectionString: string
  close(): Promise<void>
}

/**
 * Opens a proxy to a database server. `joined` is called with both ends of each connection, and
 * passes on what comes.
 */
export async function databaseProxy(
  connectionString: string,
  joined: (client: Socket, target: Socket) => void,
): Promise<DatabaseProxy> {
  const url = new URL(connectionString)
  const host = url.searchParams.get('host') ?? url.hostname
  const port = Number(url.port || 5432)
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const target = host.startsWith('/')
      ? connect({ path: `${host}/.s.PGSQL.${port}` })
      : connect({ host, port })
    for (const socket of [client, target]) {
      open.add(socket)
      // Otherwise a message waits for the answer to the one before.
      socket.setNoDelay()
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    joined(client, target)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  const address = new URL(`postgres://127.0.0.1:${own}${url.pathname}`)
  address.username = url.username || 'postgres'
  address.password = url.password
  const options = url.searchParams.get('options')
  if (options !== null) address.searchParams.set('options', options)
  return {
    connectionString: address.href,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
