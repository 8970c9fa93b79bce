// The entry @entia/core/async: a store of the process with the asynchronous interface.
export { type AsyncOptions, asyncOf } from './async/async-of.ts'
export { keyOf, stampOf } from './async/copy.ts'
