import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parseAddress } from '../../src/request/address.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of JSON, looked into by expectations only
export type Document = any

/** Follows a reference inside the document. */
export const resolve = (document: Document, part: Document): Document =>
  part?.$ref === undefined
    ? part
    : part.$ref
        .slice(2)
        .split('/')
        .reduce((inner: Document, name: string) => inner[name], document)

const SERVICES = new Set(['openapi', 'metrics', 'health', 'operator'] as const)

export interface Exchange {
  readonly method: string
  readonly url: string
  /** The JSON that was sent; undefined for none. */
  readonly sent?: unknown
  readonly status: number
  readonly contentType: string | undefined
  /** The body: JSON, or anything else where the content type is another. */
  readonly answered: unknown
}

/** Checks whether requests and answers conform to an OpenAPI document. */
export class DocumentValidator {
  readonly #document: Document
  // Most schemas check one answer: compiling them takes most of the time.
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    inlineRefs: false,
    code: { optimize: false },
  })

  constructor(document: Document) {
    this.#document = document
    addFormats.default(this.#ajv)
    this.#ajv.addSchema(document, 'document')
  }

  /** The faults of an exchange; empty if it conforms to the document. */
  faultsOf(exchange: Exchange): readonly string[] {
    // OPTIONS queries the allowed methods, and documents describe no operation for it.
    if (exchange.method === 'OPTIONS') return []
    const path = exchange.status < 400 ? this.pathOf(exchange.url) : this.#pathOrNull(exchange.url)
    if (path !== null) return this.faultsAt(path, exchange)
    return exchange.status < 400 ? [`no path for ${exchange.url}`] : this.#refusalFaults(exchange)
  }

  faultsAt(
    path: string,
    { method, sent, status, contentType, answered }: Omit<Exchange, 'url'>,
  ): readonly string[] {
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const operation = this.#document.paths[path]?.[verb]
    // Undocumented operations are refused, with the standard error.
    if (operation === undefined)
      return status < 400
        ? [`nothing is said of ${method} ${path}`]
        : this.#refusalFaults({ method, answered })
    const { responses } = operation
    const known = String(status) in responses ? String(status) : 'default'
    if (known === 'default' && status < 400) return [`${method} ${path} does not tell of ${status}`]
    const response = resolve(this.#document, responses[known])
    const faults: string[] = []
    // Of 207 some items were refused.
    if (sent !== undefined && (status === 200 || status === 201)) {
      const schema = this.#schema(
        'paths',
        path,
        verb,
        'requestBody',
        'content',
        'application/json',
        'schema',
      )
      if (schema === undefined) faults.push(`${method} ${path} tells of no JSON that is sent`)
      else if (!schema(sent)) faults.push(`sent: ${this.#words(schema)}: ${shorten(sent)}`)
    }
    if (method === 'HEAD' || response.content === undefined) return faults
    const type = contentType?.replace(/;.*/, '') ?? ''
    const content = [type, type.replace(/\/.*/, '/*'), '*/*'].find((one) => one in response.content)
    if (content === undefined) return [...faults, `${method} ${path} does not answer ${type}`]
    if (content !== 'application/json') return faults
    const { $ref } = responses[known]
    const at =
      $ref === undefined ? ['paths', path, verb, 'responses', known] : $ref.slice(2).split('/')
    const schema = this.#schema(...at, 'content', content, 'schema')
    if (schema === undefined) return [...faults, `${method} ${path} has no schema for ${status}`]
    return schema(answered) ? faults : [...faults, `${this.#words(schema)}: ${shorten(answered)}`]
  }

  /** The path of the document that matches an address; null if none does. */
  pathOf(url: string): string | null {
    const { paths } = this.#document
    const path = url.replace(/\?.*/s, '')
    const { url: base } = this.#document.servers[0]
    const known = (...candidates: readonly string[]): string | null =>
      candidates.find((one) => one in paths) ?? null
    const address = parseAddress(path, base === '/' ? '' : base, SERVICES)
    switch (address.kind) {
      case 'catalog': {
        if (address.names === null) return known('/$catalog')
        if (address.names === 'all') return known('/$catalog/$all')
        return known(`/$catalog/${address.names.join(',')}`, '/$catalog/{names}')
      }
      case 'data': {
        const home = `/${encodeURIComponent(address.dataClass)}`
        const [part, second] = address.parts
        if (address.selector?.kind === 'attribute')
          return known(
            `${home}:${encodeURIComponent(address.selector.attribute)}({value})`,
            `${home}:{attribute}({value})`,
          )
        const start = address.selector === null ? home : `${home}({key})`
        if (part === undefined) return known(start)
        if (part.kind === 'entitySet') {
          const set = `${start}/$entityset/{id}`
          if (second?.kind !== 'names') return known(set)
          return known(
            `${set}/${second.names.map(encodeURIComponent).join(',')}`,
            `${set}/{attributes}`,
          )
        }
        return known(
          `${start}/${part.names.map(encodeURIComponent).join(',')}`,
          `${start}/{attributes}`,
        )
      }
      default: {
        const rest = path.slice(base === '/' ? 0 : base.length).replace(/\/+$/, '')
        return known(rest, rest.replace(/^\/\$info\/(?!privileges$).*/, '/$info/{part}'))
      }
    }
  }

  #pathOrNull(url: string): string | null {
    try {
      return this.pathOf(url)
    } catch {
      return null
    }
  }

  #refusalFaults({ method, answered }: Pick<Exchange, 'method' | 'answered'>): readonly string[] {
    if (method === 'HEAD') return []
    const schema = this.#schema('components', 'schemas', 'rest.Error')!
    return schema(answered) ? [] : [`${this.#words(schema)}: ${shorten(answered)}`]
  }

  #schema(...parts: readonly string[]): ValidateFunction | undefined {
    const pointer = parts.map((part) =>
      encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1')),
    )
    return this.#ajv.getSchema(`document#/${pointer.join('/')}`) as ValidateFunction | undefined
  }

  #words({ errors }: ValidateFunction): string {
    return this.#ajv.errorsText(errors)
  }
}

const shorten = (json: unknown): string => String(JSON.stringify(json)).slice(0, 400)
