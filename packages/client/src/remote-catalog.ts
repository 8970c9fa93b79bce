import { RemoteError } from './remote-error.ts'
import type { RemoteMedia } from './remote-types.ts'
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
  /** The catalog that it is part of. */
  readonly models: RemoteModels
}
/** The dataclasses that one user sees. */
export interface RemoteModels {
  readonly byName: ReadonlyMap<string, RemoteModel>
  /** Names that a conversion met and that are not in the catalog. */
  readonly unknown: Set<string>
  readonly media: (uri: string) => RemoteMedia
}

const catalogs = new WeakMap<object, RemoteCatalog>()

/** Notes where a client has its model from. */
export const describeBy = (remote: object, catalog: RemoteCatalog): void =>
  void catalogs.set(remote, catalog)

/** The catalog of a client that `connect` returned; undefined for another object. */
export const catalogOf = (remote: object): RemoteCatalog | undefined => catalogs.get(remote)

/**
 * The model as the server shows it to the user. It is requested once, and again after a login,
 * after a logout, and when the server uses a name that it lacks: a session may also end or change
 * without this connection.
 */
export class RemoteCatalog {
  readonly #transport: Transport
  #loading: Promise<RemoteModels> | null = null
  #current: RemoteModels | null = null
  /** Counts the changes of the user. */
  #epoch = 0
  /** Names that a fresh catalog of this user lacked too. */
  readonly #missing = new Set<string>()

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The user has changed. Conversions that wait for the catalog get the new one. */
  forget(): void {
    this.#missing.clear()
    this.#reload()
  }

  /** Converts with a dataclass. Throws `RemoteError` for one that the server does not have. */
  async use<T>(name: string, convert: (model: RemoteModel) => T): Promise<T> {
    let names = ''
    const converted = await this.useAll((models) => {
      const model = models.byName.get(name)
      if (model !== undefined) return { value: convert(model) }
      names = [...models.byName.keys()].join(', ')
      models.unknown.add(name)
      return null
    })
    if (converted !== null) return converted.value
    const message = `${this.#transport.base} has no dataclass "${name}"; it has: ${names}.`
    throw new RemoteError(404, message, [
      { message, componentSignature: 'entia', errCode: DATA_CLASS_NOT_FOUND },
    ])
  }

  /** Converts with all dataclasses. `convert` runs again if the catalog was out of date. */
  async useAll<T>(convert: (models: RemoteModels) => T): Promise<T> {
    for (;;) {
      const models = await this.#read()
      models.unknown.clear()
      const converted = convert(models)
      const unknown = [...models.unknown]
      if (unknown.length === 0) return converted
      if (models !== this.#current) continue
      if (unknown.every((name) => this.#missing.has(name))) return converted
      for (const name of unknown) this.#missing.add(name)
      this.#reload()
    }
  }

  #reload(): void {
    this.#loading = null
    this.#current = null
    this.#epoch++
  }

  async #read(): Promise<RemoteModels> {
    for (;;) {
      const epoch = this.#epoch
      this.#loading ??= this.#load()
      try {
        const models = await this.#loading
        if (epoch !== this.#epoch) continue
        this.#current = models
        return models
      } catch (error) {
        if (epoch !== this.#epoch) continue
        // The next use requests the catalog again: a server that is starting may fail once.
        this.#loading = null
        throw error
      }
    }
  }

  async #load(): Promise<RemoteModels> {
    const { dataClasses } = (await this.#transport.ask('GET', '$catalog/$all')) as WireCatalog
    const byCollection = new Map(
      dataClasses.map(({ name, collectionName }) => [collectionName, name]),
    )
    const byName = new Map<string, RemoteModel>()
    const models: RemoteModels = {
      byName,
      unknown: new Set(),
      media: (uri) => new ServerMedia(uri, this.#transport),
    }
    for (const each of dataClasses) byName.set(each.name, modelOf(each, byCollection, models))
    return models
  }
}

/** Core's code for an unknown dataclass. */
const DATA_CLASS_NOT_FOUND = 1800

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
  models: RemoteModels,
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
  return { name, key: own, attributes: byName, hidesMarks, models }
}

/** An image or BLOB of the server. A class, so that entities stay plain data with one property. */
export class ServerMedia implements RemoteMedia {
  readonly uri: string
  readonly #transport: Transport

  constructor(uri: string, transport: Transport) {
    this.uri = uri
    this.#transport = transport
  }

  bytes(): Promise<Uint8Array> {
    // As stored: the other form of an image shows none that its first bytes do not identify.
    return this.#transport.bytes(this.uri.replace('?$imageformat=best', '?$binary=true'))
  }
}
