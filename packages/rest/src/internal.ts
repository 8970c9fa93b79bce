// For the packages of Entia that serve stores in their own way. It may change with every release:
// packages of one release use it.

export { hasStorableNames, othersOf, type PlainMember } from './endpoints/context/plain-members.ts'
export { type Limits, limitsOf } from './request/limits.ts'
export { missingIndexes } from './slow/index-advice.ts'
export { createHandlerOf, type HandlerParts } from './transport/handler/rest-handler.ts'
export { checkHandler } from './transport/hosts/mounting.ts'
