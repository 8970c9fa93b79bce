import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Where connections break: after so many more bytes in one direction. */
export interface Cut {
  readonly direction: 'toServer' | 'toClient'
  readonly bytes: number
  /** The server learns of it late: it carries out what it has received. */
  readonly isLate: boolean
}

/**
 * Passes bytes between clients and a database server, and breaks connections. A broken connection
 * ends for the client at once.
 */
export async function cuttingProxy(connectionString: string) {
  const url = new URL(connectionString)
  const host = url.searchParams.get('host') ?? url.hostname
  const port = Number(url.port || 5432)
  const open = new Set<Socket>()
  /** The cuts of the next sends: one for each connection that is used. */
  let cuts: Cut[] = []
  let count = 0

  const server = createServer((client) => {
    const target = host.startsWith('/')
      ? connect({ path: `${host}/.s.PGSQL.${port}` })
      : connect({ host, port })
    for (const socket of [client, target]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    let cut: Cut | undefined
    let left = 0
    const pass = (direction: Cut['direction'], from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        // A connection that is used takes the next cut.
        if (cut === undefined && cuts.length > 0) {
          cut = cuts.shift()!
          left = cut.bytes
        }
        if (cut === undefined || cut.direction !== direction || left >= bytes.length) {
          if (cut?.direction === direction) left -= bytes.length
          to.write(bytes)
          return
        }
        count++
        to.write(bytes.subarray(0, left))
        // What was passed on so far arrives; the rest does not.
        from.pause()
        if (direction === 'toServer') to.end()
        client.destroy()
        if (cut.isLate) setTimeout(() => target.destroy(), 100).unref()
        else target.end()
      })
      from.on('end', () => to.end())
      from.on('close', () => {
        if (cut?.isLate !== true) to.destroy()
      })
    }
    pass('toServer', client, target)
    pass('toClient', target, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  const address = new URL(`postgres://127.0.0.1:${own}${url.pathname}`)
  address.username = url.username || 'postgres'
  address.password = url.password
  return {
    connectionString: address.href,
    /** Breaks the connections that are used next: one for each cut. */
    cut(list: readonly Cut[]): void {
      cuts = [...list]
    },
    /** Connections that were broken so far. */
    get count(): number {
      return count
    },
    async close(): Promise<void> {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
