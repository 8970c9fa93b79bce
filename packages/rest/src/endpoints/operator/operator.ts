import { restError } from '../../errors/rest-error.ts'
import { unknownService } from '../../request/address.ts'
import {
  OPERATOR_ACTIONS,
  type OperatorAction,
  type OperatorAddress,
  operatorActionOf,
  operatorVerbs,
} from '../../request/operator-endpoints.ts'
import { type Verb, verbNotAllowed } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { type HandleContext, isAllowed } from '../context/context.ts'

/**
 * Answers `$operator` and what is below it if the rule allows the action that is requested; else
 * the address is unknown. The rule is asked once per request, about that action; `$operator`
 * itself, which answers what the caller may do, asks about the other actions too. Throws
 * resourceNotFound, verbNotAllowed, requestCannotStop, and what creating an index throws.
 */
export async function answerOperator(
  address: OperatorAddress,
  verb: Verb,
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
  switch (address.part) {
    case null: {
      const { offersAdvice, createsIndexes } = desk
      const answers = await Promise.all(
        OPERATOR_ACTIONS.map((action) => action === requested || isAllowedTo(action)),
      )
      const actions = OPERATOR_ACTIONS.filter((_, at) => answers[at])
      return operatorAnswer({ actions, offersAdvice, createsIndexes })
    }
    case 'requests':
      return operatorAnswer({ requests: desk.requests() })
    case 'request': {
      if (verb === 'GET') {
        const plan = await desk.plan(address.id)
        if (plan === undefined) throw restError('requestNotRunning', { id: address.id })
        return operatorAnswer({ plan })
      }
      const isStopped = desk.stop(address.id)
      if (isStopped === null) throw restError('requestNotRunning', { id: address.id })
      if (!isStopped) throw restError('requestCannotStop', { id: address.id })
      return { kind: 'done' }
    }
    case 'sizes':
      return operatorAnswer({ dataClasses: await desk.sizes() })
    case 'indexes':
      return operatorAnswer({ indexes: await desk.indexes() })
    case 'index':
      await desk.createIndex(address.dataClass, address.attribute)
      return { kind: 'done' }
    case 'streams':
      return operatorAnswer({ streams: desk.streams() })
    case 'storage':
      return operatorAnswer({ storage: await desk.storage() })
  }
}

const operatorAnswer = (value: object): Answer => ({ kind: 'operator', value })
