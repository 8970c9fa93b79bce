// For packages that send requests of their own through a client, or read its model:
// `@entia/replica` and `@entia/tanstack-db`. It may change with every release: packages of one
// release use each other.

export { checkArgument, isOfClient } from './function-argument.ts'
export { watchNetwork } from './network.ts'
export { catalogOf, type RemoteModel } from './remote-catalog.ts'
export { type Transport, transportOf } from './transport.ts'
