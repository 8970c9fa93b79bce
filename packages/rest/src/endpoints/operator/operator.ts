import { restError } from '../../errors/rest-error.ts'
import { type OperatorAddress, unknownService } from '../../request/address.ts'
import type { Verb } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import { isAllowed } from '../context/ask-rule.ts'
import type { HandleContext } from '../context/context.ts'
import type { OperatorDesk } from '../context/operator-desk.ts'
import { OPERATOR_ACTIONS, type OperatorAction } from '../permission/privileges.ts'

/**
 * Answers `$operator` and what is below it, as far as the rule allows it; else the address is
 * unknown. Throws resourceNotFound, verbNotAllowed, requestCannotStop, and what creating an index
 * throws.
 */
export async function answerOperator(
  address: OperatorAddress,
  verb: Verb,
  context: HandleContext,
): Promise<Answer> {
  const desk = context.rules.operator
  const allowed = desk === null ? [] : await allowedActions(desk, context)
  if (desk === null || !allowed.includes(actionOf(address, verb)))
    throw unknownService('$operator', context.basePath)
  const verbs = verbsOf(address)
  if (verb === 'OPTIONS') return { kind: 'verbs', allowed: verbs }
  if (!verbs.includes(verb))
    throw restError('verbNotAllowed', { verb, allowed: verbs, remedy: `Use ${verbs.join(', ')}.` })
  switch (address.part) {
    case null: {
      const { offersAdvice, createsIndexes } = desk
      return operatorAnswer({ actions: allowed, offersAdvice, createsIndexes })
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

async function allowedActions(
  { rule }: OperatorDesk,
  context: HandleContext,
): Promise<readonly OperatorAction[]> {
  const answers = await Promise.all(
    OPERATOR_ACTIONS.map((action) => isAllowed((asker) => rule({ ...asker, action }), context)),
  )
  return OPERATOR_ACTIONS.filter((_, at) => answers[at])
}

const actionOf = ({ part }: OperatorAddress, verb: Verb): OperatorAction =>
  part === 'request' && verb === 'DELETE'
    ? 'stop'
    : part === 'index' && verb === 'POST'
      ? 'createIndex'
      : 'look'

const verbsOf = ({ part }: OperatorAddress): readonly string[] =>
  part === 'request'
    ? ['GET', 'HEAD', 'DELETE', 'OPTIONS']
    : part === 'index'
      ? ['POST', 'OPTIONS']
      : ['GET', 'HEAD', 'OPTIONS']
