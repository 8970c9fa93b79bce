import { RemoteError } from './remote-error.ts'
import type { Transport } from './transport.ts'

/** What the client must know of an attribute to read its values. */
export interface RemoteAttribute {
  readonly name: string
  readonly kind: string
  /** A value's type, or for relations the dataclass behind it. */
  readonly type: string
  readonly isDay: boolean
}
export interface RemoteModel {
  readonly name: string
  readonly key: RemoteAttribute
  readonly attributes: ReadonlyMap<string, RemoteAttribute>
  /** An attribute is called as a mark of entities, and is not the key itself. */
  readonly hidesMarks: boolean
}

/** The model as the server shows it to this client: asked for once. */
export class RemoteCatalog {
  readonly #transport: Transport
  #models: Promise<ReadonlyMap<string, RemoteModel>> | null = null

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Throws `RemoteError` for a dataclass that is unknown there. */
  async model(name: string): Promise<RemoteModel> {
    this.#models ??= this.#load()
    const models = await this.#models
    const model = models.get(name)
    if (model === undefined)
      throw new RemoteError(
        404,
        `${this.#transport.base} has no dataclass "${name}"; it has: ${[...models.keys()].join(', ')}.`,
      )
    return model
  }

  async #load(): Promise<ReadonlyMap<string, RemoteModel>> {
    try {
      const { dataClasses } = (await this.#transport.ask('GET', '$catalog/$all')) as WireCatalog
      const byCollection = new Map(dataClasses.map(({ name, collectionName }) => [collectionName, name]))
      return new Map(dataClasses.map((each) => [each.name, modelOf(each, byCollection)]))
    } catch (error) {
      // Asked again at the next use: a server that is starting is no server without a catalog.
      this.#models = null
      throw error
    }
  }
}

interface WireAttribute {
  readonly name: string
  readonly kind: string
  readonly type: string
  readonly simpleDate?: boolean
}
interface WireClass {
  readonly name: string
  readonly collectionName: string
  readonly attributes: readonly WireAttribute[]
  readonly key: readonly { readonly name: string }[]
}
interface WireCatalog {
  readonly dataClasses: readonly WireClass[]
}

function modelOf({ name, attributes, key }: WireClass, byCollection: ReadonlyMap<string, string>): RemoteModel {
  const byName = new Map(
    attributes.map(({ name, kind, type, simpleDate }) => [
      name,
      { name, kind, type: byCollection.get(type) ?? type, isDay: simpleDate === true },
    ]),
  )
  const keyName = key[0]?.name ?? ''
  const own = byName.get(keyName) ?? { name: keyName, kind: 'storage', type: 'string', isDay: false }
  const hidesMarks = byName.has('stamp') || (byName.has('key') && own.name !== 'key')
  return { name, key: own, attributes: byName, hidesMarks }
}
