// The Entity Data REST Interface over an Entia store: one transport-neutral handler and thin
// bridges.

export type { AnyClaims } from './engine/caller.ts'
export {
  type LoggedIn,
  type LoggedInOptions,
  loggedIn,
  type OutgoingOptions,
  type OutgoingReply,
  outgoing,
} from './engine/function-reply.ts'
export type { Served } from './engine/served.ts'
export type { AccessAction, RestErrorCode, RestErrorDetails } from './errors/error-details.ts'
export { restError } from './errors/rest-error.ts'
export type { AskedImageType, ImageConverter, ImageType } from './handle/context/image-types.ts'
export type {
  DirectoryUser,
  ListedUser,
  LoginOrigin,
  UserDirectory,
} from './handle/context/users.ts'
export type {
  Authorize,
  AuthorizeAnswer,
  AuthorizedUser,
  AuthorizeQuestion,
} from './handle/permission/authorize.ts'
export type { InfoRule, MetricsAsker, MetricsRule } from './handle/permission/service-rules.ts'
export type { PlainResourceOptions, PlainRestOptions } from './handle/plain/resources.ts'
export type { DateOnlyFormat } from './render/date-text.ts'
export type { OpenApiInfo } from './render/openapi/document.ts'
export type { RestResponse, SentAnswer } from './render/serialize.ts'
export type { Limits } from './request/limits.ts'
export type { IndexAdvice } from './slow/index-advice.ts'
export { type SlowOptions, type SlowRequest, slowText } from './slow/slow-options.ts'
export { createRestHandler } from './transport/handler/create-rest-handler.ts'
export { openApiOf } from './transport/handler/open-api-of.ts'
export type { Fetch, RestHandler } from './transport/handler/rest-handler.ts'
export type { RestOptions } from './transport/handler/rest-options.ts'
export { toExpressHandler } from './transport/hosts/express-handler.ts'
export { toFastifyPlugin } from './transport/hosts/fastify-plugin.ts'
export { toKoaMiddleware } from './transport/hosts/koa-middleware.ts'
export { toNodeHandler } from './transport/hosts/node-handler.ts'
export type { Admission } from './transport/input/admission.ts'
export type { RestInput } from './transport/input/rest-input.ts'
export type { Identification, IdentityRequest } from './transport/session/identity.ts'
