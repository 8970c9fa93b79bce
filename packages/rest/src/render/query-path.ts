import type { ConditionTrace } from '@entia/core'
import {
  comparisonMembers,
  comparisonText,
  isAnything,
  joinMembers,
  joinText,
  LOGIC_NAMES,
} from './query-plan.ts'

/** The path members of an answer, in their order. */
export interface QueryPath {
  readonly __queryPath: unknown
  readonly __extendedQueryPath: unknown
}

/** Renders what the parts of a filter found. Without a filter, both members are empty objects. */
export function renderQueryPath(trace: ConditionTrace | null): QueryPath {
  if (trace === null) return { __queryPath: {}, __extendedQueryPath: {} }
  return {
    __queryPath: { steps: [simpleStep(trace)] },
    __extendedQueryPath: extendedStep(trace, 1),
  }
}

function simpleStep(trace: ConditionTrace): unknown {
  const { condition, found } = trace
  const steps = shownSteps(trace)
  const step = {
    description: descriptionOf(trace),
    time: millisecondsOf(trace),
    recordsfounds: found,
  }
  if (steps.length === 0) return step
  const inner = steps.map(simpleStep)
  // The protocol puts the inner steps of a join into an unlabelled step.
  return { ...step, steps: condition.kind === 'join' ? [{ steps: inner }] : inner }
}

/** A join that only requires an entity to exist has no inner steps. */
function shownSteps({ steps }: ConditionTrace): readonly ConditionTrace[] {
  return steps.filter(({ condition }) => !isAnything(condition))
}

function descriptionOf({ condition }: ConditionTrace): string {
  switch (condition.kind) {
    case 'comparison':
      return comparisonText(condition)
    case 'join':
      return joinText(condition)
    default:
      return LOGIC_NAMES[condition.kind].toUpperCase()
  }
}

function extendedStep(trace: ConditionTrace, instance: number): object {
  const { condition, found } = trace
  const steps = shownSteps(trace)
  const measured = { timeTaken: millisecondsOf(trace), foundRecords: found }
  switch (condition.kind) {
    case 'comparison':
      return { ...comparisonMembers(condition, instance), ...measured }
    case 'join': {
      const [filter = {}] = steps.map((step) => extendedStep(step, condition.instance))
      return { ...joinMembers(condition, instance), filter, ...measured }
    }
    default: {
      const parts = steps.map((step) => extendedStep(step, instance))
      return {
        type: 'LogicOperatorNode',
        logicOper: LOGIC_NAMES[condition.kind],
        parts,
        ...measured,
      }
    }
  }
}

/** Rounded to microseconds, the resolution of clocks. */
function millisecondsOf({ milliseconds }: ConditionTrace): number {
  return Math.round(milliseconds * 1000) / 1000
}
