import { RemoteError } from './remote-error.ts'
import type { Transport } from './transport.ts'

/** The properties of an attribute that the client needs to read its values. */
export interface RemoteAttribute {
  readonly name: string
  readonly kind: string
  /** The type of a value; for relations, the name of the related dataclass. */
  readonly type: string
  readonly isDay: boolean
}
export interface RemoteModel {
  readonly name: string
  readonly key: RemoteAttribute
  readonly attributes: ReadonlyMap<string, RemoteAttribute>
  /** True if a non-key attribute has the name of a mark. */
  readonly hidesMarks: boolean
}

/** The model as the server shows it to this client. It is requested once. */
export class RemoteCatalog {
  readonly #transport: Transport
  #models: Promise<ReadonlyMap<string, RemoteModel>> | null = null

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Throws `RemoteError` for a dataclass that the server does not have. */
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
      const byCollection = new Map(
        dataClasses.map(({ name, collectionName }) => [collectionName, name]),
      )
      return new Map(dataClasses.map((each) => [each.name, modelOf(each, byCollection)]))
    } catch (error) {
      // The next use requests the catalog again: a server that is starting may fail once.
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

function modelOf(
  { name, attributes, key }: WireClass,
  byCollection: ReadonlyMap<string, string>,
): RemoteModel {
  const byName = new Map(
    attributes.map(({ name, kind, type, simpleDate }) => [
      name,
      { name, kind, type: byCollection.get(type) ?? type, isDay: simpleDate === true },
    ]),
  )
  const keyName = key[0]?.name ?? ''
  const own = byName.get(keyName) ?? {
    name: keyName,
    kind: 'storage',
    type: 'string',
    isDay: false,
  }
  const hidesMarks = byName.has('stamp') || (byName.has('key') && own.name !== 'key')
  return { name, key: own, attributes: byName, hidesMarks }
}
