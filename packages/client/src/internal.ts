// For packages that send requests of their own through a client: `@entia/replica`. It may change
// with every release: packages of one release use each other.

export { isOnline, watchNetwork } from './network.ts'
export { errorOf, type Transport, transportOf } from './transport.ts'
