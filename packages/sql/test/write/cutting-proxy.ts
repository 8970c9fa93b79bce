import type { Socket } from 'node:net'
import { type Direction, databaseProxy } from '../database-proxy.ts'

/** Where connections break: after so many more bytes in one direction. */
export interface Cut {
  readonly direction: Direction
  readonly bytes: number
  /** The server learns of it late: it carries out what it has received. */
  readonly isLate: boolean
}

/**
 * Passes bytes between clients and a database server, and breaks connections. A broken connection
 * ends for the client at once.
 */
export async function cuttingProxy(connectionString: string) {
  /** The cuts of the next sends: one for each connection that is used. */
  let cuts: Cut[] = []
  let count = 0

  const proxy = await databaseProxy(connectionString, (client, target) => {
    let cut: Cut | undefined
    let left = 0
    const pass = (direction: Direction, from: Socket, to: Socket) => {
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
        // Bytes that were forwarded before arrive; the others do not.
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
  return {
    connectionString: proxy.connectionString,
    /** Breaks the connections that are used next: one for each cut. */
    cut(list: readonly Cut[]): void {
      cuts = [...list]
    },
    /** Connections that were broken so far. */
    get count(): number {
      return count
    },
    close: proxy.close,
  }
}
