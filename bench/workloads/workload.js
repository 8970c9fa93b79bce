// The types of a workload, and the functions that read entities.

/**
 * @typedef {import('./reference.js').Reference} Reference
 * @typedef {import('./write-model.js').WriteModel} WriteModel
 * @typedef {import('../subjects/subject.js').SubjectStore} SubjectStore
 *
 * @typedef {object} ReadWorkload
 * @property {'read'} kind
 * @property {string} id
 * @property {string} title
 * @property {readonly (keyof SubjectStore)[]} needs   the operations that it calls
 * @property {boolean} [isPrivate] entities must be private: subjects that return internal objects
 * are left out
 * @property {(store: SubjectStore, reference: Reference) => void} [prepare]   once, not timed
 * @property {(reference: Reference) => readonly unknown[]} argumentsOf        used cyclically
 * @property {(store: SubjectStore, argument: unknown) => unknown} run         timed
 * @property {(result: unknown) => number} [read] also timed: reads the result, so that lazy objects
 * pay for deferred work
 * @property {(reference: Reference, argument: unknown) => string} expected the correct answer, from
 * the plain rows
 * @property {(result: unknown, argument: unknown, reference: Reference, store: SubjectStore) =>
 * string} found
 *
 * @typedef {object} WriteWorkload
 * @property {'write'} kind
 * @property {string} id
 * @property {string} title
 * @property {readonly (keyof SubjectStore)[]} needs
 * @property {number} batch operations prepared and timed together
 * @property {number} mostPerRound                                            operations
 * @property {(model: WriteModel, count: number) => readonly unknown[]} argumentsFor advances the
 * model; not timed
 * @property {(store: SubjectStore, argument: unknown) => void} [before] not timed; for batches of
 * one
 * @property {(store: SubjectStore, argument: unknown) => unknown} run
 * @property {unknown} [answer] the result that every operation must return
 *
 * @typedef {object} WholeWorkload   measured by the harness itself
 * @property {'load' | 'memory'} kind
 * @property {string} id
 * @property {string} title
 * @property {readonly (keyof SubjectStore)[]} needs
 *
 * @typedef {ReadWorkload | WriteWorkload | WholeWorkload} Workload
 */

/** Reads all nine attributes. */
export function readAll(entity) {
  return (
    entity.ID +
    entity.salary +
    entity.companyID +
    entity.stamp +
    (entity.active ? 1 : 0) +
    entity.firstName.length +
    entity.lastName.length +
    entity.email.length +
    entity.birthDate.length
  )
}

/** Reads all nine attributes of every entity. */
export function readAllOfEach(entities) {
  let sum = 0
  for (let i = 0; i < entities.length; i++) sum += readAll(entities[i])
  return sum
}

/** Reads one attribute of every entity that is not indexed. */
export function readOneOfEach({ count, entities }) {
  let sum = count
  for (let i = 0; i < entities.length; i++) sum += entities[i].firstName.length
  return sum
}
