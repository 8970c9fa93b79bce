// For the packages of Entia that serve stores in their own way. It may change with every release:
// packages of one release use it.

export { hasStorableNames, othersOf, type PlainMember } from './endpoints/context/plain-members.ts'
export { missingIndexes } from './slow/index-advice.ts'
export { checkHandler } from './transport/hosts/mounting.ts'
