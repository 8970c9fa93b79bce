// The Entity Data REST Interface over an Entia store: one transport-neutral handler and thin bridges.
export type { DateOnlyFormat } from './render/date-text.ts'
export type { RestResponse } from './render/serialize.ts'
export type { Limits } from './request/limits.ts'
export { toNodeHandler } from './transport/node-handler.ts'
export { createRestHandler, type RestHandler, type RestInput, type RestOptions } from './transport/rest-handler.ts'
