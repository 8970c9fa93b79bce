// Wake-ups of the processes of a store over PostgreSQL, through Valkey.

export type { ValkeyClient, ValkeySubscriber } from './client.ts'
export { type ValkeyStateOptions, valkeyState } from './valkey-state.ts'
