import type {
  AliasAttribute,
  AttributeModel,
  ClassModel,
  StorageAttribute,
  StoreFunction,
  ToOneAttribute,
} from '@entia/core'
import { type Names, typeOf } from '@entia/engine'
import type { Answer } from '../endpoints/context/answer.ts'
import { sha256Hex } from './etag.ts'
import { catalogUri, dataClassUri } from './uri.ts'

type CatalogAnswer = Extract<Answer, { kind: 'catalog' }>

/** Renders `$catalog` in its variants: only exposed parts, and flags only if they are true. */
export function renderCatalog(answer: CatalogAnswer, basePath: string): unknown {
  const { names, dataClasses, detail } = answer
  const { catalog } = names
  const singletons = answer.withSingletons ? renderSingletons(names) : []
  return {
    __UNIQID: answer.instanceId,
    __BASEID: null,
    __NAME: catalog.name,
    properties: {
      supportJSONEntityKey: true,
      ...flag('supportLiveQueries', answer.offersLive),
      ...flag('supportOperators', answer.offersOperators),
    },
    methods: exposedFunctions(catalog.functions, (name) => names.mayCall(null, name)).map((fn) =>
      renderMethod(fn, 'dataStore'),
    ),
    dataClasses: dataClasses.map((dataClass) =>
      detail === 'short' ? shortClass(dataClass, basePath) : fullClass(dataClass, names, basePath),
    ),
    ...(singletons.length > 0 ? { singletons } : {}),
  }
}

function exposedFunctions<F extends StoreFunction>(
  functions: ReadonlyMap<string, F>,
  mayCall: (name: string) => boolean,
): readonly F[] {
  return [...functions.values()].filter((fn) => fn.exposed && mayCall(fn.name))
}

const renderMethod = ({ name, onHttpGet }: StoreFunction, applyTo: string): object => ({
  name,
  applyTo,
  scope: 'public',
  from: 'remoteServer',
  allowedOnHTTPGET: onHttpGet,
  exposed: true,
})

function renderSingletons(names: Names): readonly unknown[] {
  return [...names.catalog.singletons]
    .map(([name, functions]) => ({
      name,
      methods: exposedFunctions(functions, (fn) => names.mayCall(null, `${name}.${fn}`)).map(
        (fn) => ({
          name: fn.name,
          allowedOnHTTPGET: fn.onHttpGet,
          exposed: true,
        }),
      ),
    }))
    .filter(({ methods }) => methods.length > 0)
}

function shortClass({ name }: ClassModel, basePath: string): unknown {
  return { name, uri: catalogUri(basePath, name), dataURI: dataClassUri(basePath, name) }
}

const APPLY_TO = {
  dataClass: 'dataClass',
  selection: 'entityCollection',
  entity: 'entity',
} as const

function fullClass(dataClass: ClassModel, names: Names, basePath: string): unknown {
  const { name, label, extraProperties } = dataClass
  const attributes = names.attributes(dataClass)
  const methods = exposedFunctions(dataClass.functions, (fn) => names.mayCall(dataClass, fn)).map(
    (fn) => renderMethod(fn, APPLY_TO[fn.on]),
  )
  return {
    name,
    className: name,
    collectionName: dataClass.collectionName,
    exposed: true,
    tableNumber: dataClass.ordinal + 1,
    scope: 'public',
    uuid: identifier(names.catalog.name, name),
    dataURI: dataClassUri(basePath, name),
    extraProperties: {
      panelColor: extraProperties.panelColor ?? '#808080',
      position: extraProperties.position ?? gridPosition(dataClass.ordinal),
      ...(attributes.some((one) => one.name === label) ? { label } : {}),
    },
    ...(methods.length > 0 ? { methods } : {}),
    attributes: attributes.map((attribute) => renderAttribute(attribute, names)),
    key: [{ name: dataClass.key.name }],
  }
}

/** Four panels per row, for tools that draw the model. */
function gridPosition(ordinal: number): { readonly x: number; readonly y: number } {
  return { x: 40 + (ordinal % 4) * 240, y: 40 + Math.floor(ordinal / 4) * 320 }
}

function identifier(...names: readonly string[]): string {
  return sha256Hex(names.join('/')).slice(0, 32)
}

function renderAttribute(attribute: AttributeModel, names: Names): unknown {
  const { name, kind, owner } = attribute
  return {
    name,
    kind,
    // Among the storage attributes, from 1. Hidden foreign keys come last and have no position.
    ...(attribute.kind === 'storage' ? { fieldPos: attribute.ordinal + 1 } : {}),
    scope: 'public',
    exposed: true,
    uuid: identifier(names.catalog.name, owner.name, name),
    ...ownMembers(attribute, names),
  }
}

function ownMembers(attribute: AttributeModel, names: Names): object {
  switch (attribute.kind) {
    case 'storage':
      return storageMembers(attribute)
    case 'calculated': {
      const { type, set } = attribute
      return { type, ...simpleDate(attribute), ...flag('readOnly', set === null) }
    }
    case 'alias': {
      const { target } = attribute
      const type = typeOf(attribute)
      return { type, ...simpleDate(target), ...visiblePath(attribute, names), readOnly: true }
    }
    case 'relatedEntity':
      return toOneMembers(attribute, names)
    case 'relatedEntities': {
      const { target, inverse } = attribute
      return { type: target.collectionName, reversePath: true, path: inverse.name }
    }
  }
}

const simpleDate = ({ type, dateOnly }: Pick<StorageAttribute, 'type' | 'dateOnly'>): object =>
  type === 'date' ? { simpleDate: dateOnly } : {}

/** The path of an alias, unless a part of it is hidden. */
function visiblePath({ steps, target, path }: AliasAttribute, names: Names): object {
  const isVisible = [...steps, target].every(
    (part) => names.find(part.owner, part.name) !== undefined,
  )
  return isVisible ? { path } : {}
}

function flag(name: string, isSet: boolean): { readonly [name: string]: true } {
  return isSet ? { [name]: true } : {}
}

function limit(name: string, value: number | string | null): { readonly [name: string]: unknown } {
  return value === null ? {} : { [name]: value }
}

function storageMembers(attribute: StorageAttribute): object {
  return {
    ...flag('indexed', attribute.indexed || attribute.unique || attribute.key),
    ...flag('words', attribute.words),
    ...flag('unique', attribute.unique || attribute.key),
    ...flag('not_null', attribute.notNull || attribute.key),
    ...flag('autosequence', attribute.autoSequence),
    type: attribute.type,
    ...flag('identifying', attribute.key),
    ...simpleDate(attribute),
    ...flag('readOnly', attribute.readOnly),
    ...limit('min', attribute.min),
    ...limit('max', attribute.max),
    ...limit('minLength', attribute.minLength),
    ...limit('maxLength', attribute.maxLength),
    ...limit('pattern', attribute.pattern?.source ?? null),
  }
}

function toOneMembers(
  { owner, target, foreignKey, inverse, notNull }: ToOneAttribute,
  names: Names,
): object {
  const isKeyVisible = !foreignKey.hidden && names.find(owner, foreignKey.name) !== undefined
  const isInverseVisible = inverse !== null && names.find(target, inverse.name) !== undefined
  return {
    ...flag('not_null', notNull),
    type: target.name,
    path: target.name,
    ...(isKeyVisible ? { foreignKey: foreignKey.name } : {}),
    ...(isInverseVisible ? { inverseName: inverse.name } : {}),
  }
}
