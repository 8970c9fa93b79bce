import type { RemoteMedia } from './remote-types.ts'
import type { Transport } from './transport.ts'

/** An image or BLOB of the server. A class, so that entities stay plain data with one property. */
export class ServerMedia implements RemoteMedia {
  readonly uri: string
  readonly #transport: Transport

  constructor(uri: string, transport: Transport) {
    this.uri = uri
    this.#transport = transport
  }

  bytes(): Promise<Uint8Array> {
    return this.#transport.bytes(this.uri)
  }
}
