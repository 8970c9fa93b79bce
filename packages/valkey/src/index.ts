// Entity sets, uploads and wake-ups of a store over PostgreSQL, in Valkey.

export type { ValkeyClient, ValkeySubscriber } from './client.ts'
export { type ValkeyStateOptions, valkeyState } from './valkey-state.ts'
