// The conformance suite of the Entity Data REST Interface: a table of requests and replies, and its
// runner.
export type { CaseTable, ConformanceCase, Fixture, Step } from './case.ts'
export { conformanceAreas, conformanceCases } from './cases/index.ts'
export { describeConformance, type TestRunner } from './describe.ts'
export {
  type ConformanceHost,
  type HostAtOptions,
  type HostReply,
  type HostRequest,
  hostAt,
  type OpenHost,
} from './host.ts'
export { createPorts, type FixedPorts, type Ports } from './ports.ts'
export { type ConformanceResult, referenceHost, runCase, runConformance } from './run.ts'
