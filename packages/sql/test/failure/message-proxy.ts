import type { Socket } from 'node:net'
import { type Direction, databaseProxy } from '../database-proxy.ts'

/** Where connections break: before a message of the protocol, counted from 0 in one direction. */
export interface MessageCut {
  readonly direction: Direction
  readonly message: number
  /** How many connections break there, one after the other. */
  readonly times: number
  /** The server detects it late, and executes what it has received. */
  readonly isLate: boolean
  /** Called when a connection breaks there. */
  readonly broken?: () => void
}

/** Messages that passed since `count` was called. */
export interface MessageCounts {
  toServer: number
  toClient: number
}

/**
 * Passes the messages of the PostgreSQL protocol between clients and a server, one by one. It
 * breaks connections before a message, or stops passing them on. A broken connection ends for the
 * client at once.
 */
export async function messageProxy(connectionString: string) {
  const held: (() => void)[] = []
  let counts: MessageCounts = { toServer: 0, toClient: 0 }
  let cut: MessageCut | null = null
  let left = 0
  let broken = 0
  /** Distinguishes the cuts: the messages of a connection are counted from its first one since. */
  let round = 0
  let isHeld = false

  const proxy = await databaseProxy(connectionString, (client, target) => {
    let own = { round: -1, toServer: 0, toClient: 0 }
    let isBroken = false
    const breakNow = (isLate: boolean): void => {
      isBroken = true
      broken++
      client.destroy()
      // Bytes that were forwarded before arrive.
      if (!isLate) target.end()
      else setTimeout(() => target.destroy(), 100).unref()
    }
    const pass = (direction: Direction, from: Socket, to: Socket): void => {
      const split = splitter(direction === 'toServer')
      const forward = (message: Buffer): void => {
        if (isBroken) return
        if (own.round !== round) own = { round, toServer: 0, toClient: 0 }
        if (cut !== null && left > 0 && cut.direction === direction)
          if (own[direction] === cut.message) {
            left--
            breakNow(cut.isLate)
            cut.broken?.()
            return
          }
        own[direction]++
        counts[direction]++
        to.write(message)
      }
      from.on('data', (bytes) => {
        const messages = split(bytes)
        const forwardAll = () => messages.forEach(forward)
        if (isHeld) held.push(forwardAll)
        else forwardAll()
      })
      from.on('end', () => to.end())
      from.on('close', () => {
        if (!isBroken) to.destroy()
      })
    }
    pass('toServer', client, target)
    pass('toClient', target, client)
  })
  return {
    connectionString: proxy.connectionString,
    /** Counts from 0 again. */
    count(): MessageCounts {
      counts = { toServer: 0, toClient: 0 }
      return counts
    },
    /** Breaks the connections that get to a message; null ends this. */
    cut(next: MessageCut | null): void {
      cut = next
      left = next?.times ?? 0
      round++
    },
    /** Stops passing messages on, and passes those that were held with the next call. */
    hold(isHolding: boolean): void {
      isHeld = isHolding
      if (!isHolding) for (const forward of held.splice(0)) forward()
    },
    /** Connections that were broken so far. */
    get broken(): number {
      return broken
    },
    close: proxy.close,
  }
}
export type MessageProxy = Awaited<ReturnType<typeof messageProxy>>

/** Splits bytes into messages: a type and a length each. The first one of a client has no type. */
function splitter(isFromClient: boolean): (bytes: Buffer) => readonly Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  let isFirst = isFromClient
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const messages: Buffer[] = []
    for (;;) {
      const typeBytes = isFirst ? 0 : 1
      if (rest.length < typeBytes + 4) return messages
      const length = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < length) return messages
      messages.push(rest.subarray(0, length))
      rest = rest.subarray(length)
      isFirst = false
    }
  }
}
