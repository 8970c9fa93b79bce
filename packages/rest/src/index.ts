// The Entity Data REST Interface over an Entia store: one transport-neutral handler and thin bridges.

export {
  type LoggedIn,
  type LoggedInOptions,
  loggedIn,
  type OutgoingOptions,
  type OutgoingReply,
  outgoing,
} from './door/function-reply.ts'
export type { Authorize, AuthorizeAnswer, AuthorizeQuestion } from './handle/authorize.ts'
export type { AskedImageType, ImageConverter, ImageType } from './handle/image-types.ts'
export type { InfoRule } from './handle/info-rule.ts'
export type { MetricsAsker, MetricsRule } from './handle/metrics-rule.ts'
export type { DirectoryUser, ListedUser, LoginOrigin, UserDirectory } from './handle/users.ts'
export type { DateOnlyFormat } from './render/date-text.ts'
export type { OpenApiInfo } from './render/openapi/document.ts'
export type { RestResponse } from './render/serialize.ts'
export type { Limits } from './request/limits.ts'
export type { Admission } from './transport/admission.ts'
export { createRestHandler } from './transport/create-rest-handler.ts'
export { toExpressHandler } from './transport/express-handler.ts'
export { toFastifyPlugin } from './transport/fastify-plugin.ts'
export { toKoaMiddleware } from './transport/koa-middleware.ts'
export { toNodeHandler } from './transport/node-handler.ts'
export { openApiOf } from './transport/open-api-of.ts'
export type { RestHandler } from './transport/rest-handler.ts'
export type { RestInput } from './transport/rest-input.ts'
export type { RestOptions } from './transport/rest-options.ts'
