// The Entity Data REST Interface over an Entia store: one transport-neutral handler and thin
// bridges.

export type { AccessAction, AnyClaims, Served } from '@entia/engine'
export {
  type LoggedIn,
  type LoggedInOptions,
  loggedIn,
  type OutgoingOptions,
  type OutgoingReply,
  outgoing,
  ReplicaState,
} from '@entia/engine'
export type { AskedImageType, ImageConverter, ImageType } from './endpoints/context/image-types.ts'
export type {
  DirectoryUser,
  ListedUser,
  LoginOrigin,
  UserDirectory,
} from './endpoints/context/users.ts'
export type {
  InfoRule,
  MetricsAsker,
  MetricsRule,
  OperatorAsker,
  OperatorRule,
} from './endpoints/permission/privileges.ts'
export type {
  Authorize,
  AuthorizeAnswer,
  AuthorizedUser,
  AuthorizeQuestion,
} from './endpoints/permission/questions.ts'
export type { PlainResourceOptions, PlainRestOptions } from './endpoints/plain/resources.ts'
export type { RestErrorCode, RestErrorDetails } from './errors/rest-error.ts'
export { restError } from './errors/rest-error.ts'
export type { DateOnlyFormat } from './render/layout.ts'
export type { OpenApiInfo } from './render/openapi/document.ts'
export type { RestResponse, SentAnswer } from './render/serialize.ts'
export type { Limits } from './request/limits.ts'
export type { OperatorAction } from './request/operator-endpoints.ts'
export type { IndexAdvice } from './slow/index-advice.ts'
export { type SlowOptions, type SlowRequest, slowText } from './slow/slow-requests.ts'
export { openApiOf } from './transport/handler/open-api-of.ts'
export type { Fetch, RestHandler } from './transport/handler/rest-handler.ts'
export { createRestHandler } from './transport/handler/rest-handler.ts'
export type { RestOptions } from './transport/handler/rest-options.ts'
export { toFastifyPlugin } from './transport/hosts/fastify-plugin.ts'
export { toKoaMiddleware } from './transport/hosts/koa-middleware.ts'
export { toExpressHandler, toNodeHandler } from './transport/hosts/node-handler.ts'
export type { Admission } from './transport/input/request-origin.ts'
export type { RestInput } from './transport/input/rest-input.ts'
export type { ReplicaLimits } from './transport/live/replica-streams.ts'
export type { Identification, IdentityRequest } from './transport/session/identity.ts'
