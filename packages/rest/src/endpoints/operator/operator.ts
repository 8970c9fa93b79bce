import { type Engine, engineError } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import { unknownService } from '../../request/address.ts'
import {
  OPERATOR_ACTIONS,
  type OperatorAction,
  type OperatorAddress,
  operatorActionOf,
  operatorVerbs,
} from '../../request/operator-endpoints.ts'
import { type RestRequest, verbNotAllowed } from '../../request/request.ts'
import type { SlowRequests } from '../../slow/slow-requests.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, isAllowed } from '../context/context.ts'
import type { ProposedIndex } from '../context/operator-desk.ts'

/**
 * Answers `$operator` and what is below it if the rule allows the action that is requested; else
 * the address is unknown. The rule is asked once per request, about that action; `$operator`
 * itself, which answers what the caller may do, asks about the other actions too. Throws
 * resourceNotFound, verbNotAllowed, requestCannotStop, and what creating an index throws.
 */
export async function answerOperator(
  { address, verb }: RestRequest<OperatorAddress>,
  context: HandleContext,
): Promise<Answer> {
  const desk = context.rules.operator
  if (desk === null) throw unknownService('$operator', context.basePath)
  const requested = operatorActionOf(address, verb)
  const isAllowedTo = (action: OperatorAction): Promise<boolean> =>
    isAllowed((asker) => desk.rule({ ...asker, action }), context)
  if (!(await isAllowedTo(requested))) throw unknownService('$operator', context.basePath)
  const verbs = operatorVerbs(address)
  if (verb === 'OPTIONS') return { kind: 'verbs', allowed: verbs }
  if (!verbs.includes(verb)) throw verbNotAllowed(verb, verbs)
  const { engine, running, slow } = desk
  const { operating } = engine
  switch (address.part) {
    case null: {
      const answers = await Promise.all(
        OPERATOR_ACTIONS.map((action) => action === requested || isAllowedTo(action)),
      )
      const actions = OPERATOR_ACTIONS.filter((_, at) => answers[at])
      const createsIndexes = operating.createIndex !== null
      return operatorAnswer({ actions, offersAdvice: slow !== null, createsIndexes })
    }
    case 'requests':
      return operatorAnswer({ requests: running.list() })
    case 'request': {
      const request = running.find(address.id)
      if (request === undefined) throw restError('requestNotRunning', { id: address.id })
      if (verb === 'GET') return operatorAnswer({ plan: await running.planOf(request) })
      if (!request.canStop) throw restError('requestCannotStop', { id: address.id })
      request.stop()
      return { kind: 'done' }
    }
    case 'sizes':
      return operatorAnswer({ dataClasses: await operating.sizes() })
    case 'indexes':
      return operatorAnswer({ indexes: slow === null ? [] : await proposedIndexes(engine, slow) })
    case 'index': {
      const { dataClass, attribute } = address
      if (operating.createIndex === null)
        throw engineError('notOnThisEngine', {
          what: 'An index that is added while the store runs',
          remedy: `Write "indexed: true" into ${dataClass}.${attribute} of the model, and run "entia migrate".`,
        })
      await operating.createIndex(dataClass, attribute)
      return { kind: 'done' }
    }
    case 'streams':
      return operatorAnswer({ streams: [...desk.streams.list(), ...desk.replicas.list()] })
    case 'storage':
      return operatorAnswer({ storage: await operating.storage() })
  }
}

const operatorAnswer = (value: object): Answer => ({ kind: 'operator', value })

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
