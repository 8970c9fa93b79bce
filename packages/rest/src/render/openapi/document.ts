import { isMediaAttribute, isRelation, type Names } from '@entia/engine'
import type { OptionalServices } from '../../request/address.ts'
import type { DateOnlyFormat } from '../layout.ts'
import { classPaths } from './class-paths.ts'
import { classSchemas } from './class-schemas.ts'
import { COMMON_SCHEMAS } from './common-schemas.ts'
import { OPERATOR_SCHEMAS } from './operator-paths.ts'
import { COMMON_PARAMETERS, classParameters, REFUSALS } from './parameters.ts'
import { type OpenApiPlain, plainParameters } from './plain-parameters.ts'
import { plainPaths } from './plain-paths.ts'
import { plainSchemas } from './plain-schemas.ts'
import { type Piece, pieceOf } from './schema.ts'
import { classFunctionPaths, servicePaths, storeFunctionPaths } from './service-paths.ts'

/**
 * Components by kind, without those that neither the paths nor other used components refer to.
 * Cost: O(document).
 */
function usedComponents(paths: Piece, components: { readonly [kind: string]: Piece }): Piece {
  const used = new Set<string>()
  const take = (piece: unknown): void => {
    if (typeof piece !== 'object' || piece === null) return
    for (const [name, inner] of Object.entries(piece)) {
      if (name !== '$ref' || typeof inner !== 'string') take(inner)
      else if (!used.has(inner)) {
        used.add(inner)
        const [, , kind, component] = inner.split('/')
        take(new Map(Object.entries(components[kind!] ?? {})).get(component!))
      }
    }
  }
  take(paths)
  const usedOf = (kind: string, members: Piece): Piece =>
    pieceOf(Object.entries(members).filter(([name]) => used.has(`#/components/${kind}/${name}`)))
  return pieceOf(
    Object.entries(components).map(([kind, members]) => [kind, usedOf(kind, members)] as const),
  )
}

/** The parts of an OpenAPI document that do not follow from the model. */
export interface OpenApiInfo {
  /** The store's name by default. */
  readonly title?: string
  /** The version of the application's interface; `1` by default. */
  readonly version?: string
  readonly description?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly url?: string; readonly identifier?: string }
  /**
   * The servers; by default the base path on the same host. With the option `plain`, the paths of
   * the document begin with their base paths: then the address in front of both, by default the
   * root of the same host.
   */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  /**
   * How callers identify themselves, by name, in the form of OpenAPI: `{ bearer: { type: 'http',
   * scheme: 'bearer' } }`. Each suffices alone. Without the option `identify`, the cookie of the
   * session is one more.
   */
  readonly securitySchemes?: { readonly [name: string]: { readonly type: string } }
}

/** How the interface is served, as far as the document shows it. */
export interface OpenApiSite {
  readonly basePath: string
  readonly dateOnlyFormat: DateOnlyFormat
  readonly hasUsers: boolean
  /** Name of the session's cookie; null if callers have none. */
  readonly cookie: string | null
  /** Plain REST; null if it is not served. */
  readonly plain: OpenApiPlain | null
  /** The optional endpoints that are served. */
  readonly services: OptionalServices
}

/**
 * An OpenAPI 3.1 document of everything that one caller knows. Hidden names do not appear. Cost:
 * O(attributes of the model), some 10 kB of JSON per dataclass.
 */
export function openApiDocument(names: Names, info: OpenApiInfo, site: OpenApiSite): Piece {
  const { catalog } = names
  const dataClasses = names.dataClasses()
  const hasMedia = dataClasses.some((dataClass) =>
    names
      .attributes(dataClass)
      .some((attribute) => !isRelation(attribute) && isMediaAttribute(attribute)),
  )
  const of = (make: (dataClass: (typeof dataClasses)[number]) => Piece): Piece =>
    Object.assign({}, ...dataClasses.map(make))
  const { plain } = site
  const entityPaths = {
    // A function takes precedence over an attribute list of the same name.
    ...of((dataClass) => ({
      ...classPaths(dataClass, names),
      ...classFunctionPaths(dataClass, names),
    })),
    ...storeFunctionPaths(names),
    ...servicePaths(names, { users: site.hasUsers, media: hasMedia, services: site.services }),
  }
  const paths =
    plain === null
      ? entityPaths
      : { ...below(plain.entityPath, entityPaths), ...plainPaths(plain, names) }
  const base = plain === null ? site.basePath : plain.mountPath
  const schemes = { ...cookieScheme(site.cookie), ...info.securitySchemes }
  return {
    openapi: '3.1.0',
    info: infoOf(info, catalog.name),
    servers: info.servers ?? [{ url: base === '' ? '/' : base }],
    security: [{}, ...Object.keys(schemes).map((name) => pieceOf([[name, []]]))],
    tags: [
      ...dataClasses.map(({ name }) => ({
        name,
        description: `Entities of ${name}: reads, changes, entity sets.`,
      })),
      ...tagsOf(entityPaths),
      ...(plain === null ? [] : [PLAIN_TAG]),
    ].sort((a, b) => (a.name < b.name ? -1 : 1)),
    paths,
    components: {
      ...usedComponents(paths, {
        schemas: {
          ...COMMON_SCHEMAS,
          ...OPERATOR_SCHEMAS,
          ...of((dataClass) => classSchemas(dataClass, names, site.dateOnlyFormat)),
          ...(plain === null ? {} : of((dataClass) => plainSchemas(dataClass, plain, names))),
        },
        parameters: {
          ...COMMON_PARAMETERS,
          ...of((dataClass) => classParameters(dataClass, names)),
          ...(plain === null ? {} : of((dataClass) => plainParameters(dataClass, names))),
        },
        responses: REFUSALS,
      }),
      securitySchemes: schemes,
    },
  }
}

const cookieScheme = (cookie: string | null): Piece =>
  cookie === null
    ? {}
    : {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookie,
          description: 'Set by a login or a lock.',
        },
      }

const below = (basePath: string, paths: Piece): Piece =>
  pieceOf(Object.entries(paths).map(([path, item]) => [basePath + path, item] as const))

const PLAIN_TAG = { name: '$plain', description: 'Plain REST: resources as bare JSON.' }

function infoOf(
  { title, version, description, contact, license }: OpenApiInfo,
  store: string,
): Piece {
  return {
    title: title ?? store,
    version: version ?? '1',
    description: description ?? `The entities of ${store} over HTTP.`,
    ...(contact === undefined ? {} : { contact }),
    ...(license === undefined ? {} : { license }),
  }
}

/** No dataclass has a name with a dollar. */
function tagsOf(paths: Piece): readonly { readonly name: string; readonly description: string }[] {
  const hasFunctions = Object.keys(paths).some((path) =>
    /^\/\$(?:catalog\/[^${]|singleton)/.test(path),
  )
  const hasOperator = '/$operator' in paths
  return [
    { name: '$catalog', description: 'The model: dataclasses, attributes and functions.' },
    { name: '$server', description: 'The state of the server.' },
    ...(hasFunctions
      ? [{ name: '$functions', description: 'Functions of the store and of its singletons.' }]
      : []),
    ...(hasOperator
      ? [{ name: '$operator', description: 'What operators see and do, by the rule of the host.' }]
      : []),
    { name: '$session', description: 'The session and its user.' },
  ]
}
