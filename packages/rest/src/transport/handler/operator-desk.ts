import { type Engine, engineError } from '@entia/engine'
import type { OperatorDesk, ProposedIndex } from '../../endpoints/context/operator-desk.ts'
import type { RunningRequests } from '../../operator/running-requests.ts'
import type { SlowRequests } from '../../slow/slow-requests.ts'
import type { LiveStreams } from '../live/live-streams.ts'
import type { ReplicaStreams } from '../live/replica-streams.ts'
import type { RestOptions } from './rest-options.ts'

interface DeskParts {
  readonly engine: Engine
  readonly slow: SlowRequests | null
  readonly streams: LiveStreams
  readonly replicas: ReplicaStreams
  readonly running: RunningRequests
}

/** What the option `operator` serves. */
export function operatorDesk(
  rule: NonNullable<RestOptions['operator']>,
  { engine, slow, streams, replicas, running }: DeskParts,
): OperatorDesk {
  const { operating } = engine
  return {
    rule,
    offersAdvice: slow !== null,
    createsIndexes: operating.createIndex !== null,
    requests: () => running.list(),
    async plan(id) {
      const request = running.find(id)
      return request && running.planOf(request)
    },
    stop(id) {
      const request = running.find(id)
      if (request === undefined) return null
      if (!request.canStop) return false
      request.stop()
      return true
    },
    sizes: async () => operating.sizes(),
    indexes: async () => (slow === null ? [] : proposedIndexes(engine, slow)),
    async createIndex(dataClass, attribute) {
      if (operating.createIndex === null)
        throw engineError('notOnThisEngine', {
          what: 'An index that is added while the store runs',
          remedy: `Write "indexed: true" into ${dataClass}.${attribute} of the model, and run "entia migrate".`,
        })
      await operating.createIndex(dataClass, attribute)
    },
    streams: () => [...streams.list(), ...replicas.list()],
    storage: async () => operating.storage(),
  }
}

/** The advice about attributes that have no index yet, also none that was added at run time. */
async function proposedIndexes(
  { operating }: Engine,
  slow: SlowRequests,
): Promise<readonly ProposedIndex[]> {
  const sizes = await operating.sizes()
  return slow.advice.flatMap((advice) => {
    const ofClass = sizes.find(({ dataClass }) => dataClass === advice.dataClass)
    const proposal = ofClass?.attributes.find(({ name }) => name === advice.attribute)?.proposal
    if (proposal == null) return []
    return [{ ...advice, bytes: proposal.bytes, buildMilliseconds: proposal.milliseconds }]
  })
}
