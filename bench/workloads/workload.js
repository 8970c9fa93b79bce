// The shapes of a workload, and what "read" means where a workload reads entities.

/**
 * @typedef {import('./reference.js').Reference} Reference
 * @typedef {import('./write-model.js').WriteModel} WriteModel
 * @typedef {import('../subjects/subject.js').SubjectStore} SubjectStore
 *
 * @typedef {object} ReadWorkload
 * @property {'read'} kind
 * @property {string} id
 * @property {string} title
 * @property {readonly (keyof SubjectStore)[]} needs   operations of the subject that it calls
 * @property {boolean} [isPrivate]                     entities must be private: who hands out its own objects does not compete
 * @property {(store: SubjectStore, reference: Reference) => void} [prepare]   once, not timed
 * @property {(reference: Reference) => readonly unknown[]} argumentsOf        used in turn
 * @property {(store: SubjectStore, argument: unknown) => unknown} run         what is timed
 * @property {(result: unknown) => number} [read]      timed too: reads what was handed out, so that a lazy view pays for what it defers
 * @property {(reference: Reference, argument: unknown) => string} expected    the right answer, from the plain rows
 * @property {(result: unknown, argument: unknown, reference: Reference, store: SubjectStore) => string} found
 *
 * @typedef {object} WriteWorkload
 * @property {'write'} kind
 * @property {string} id
 * @property {string} title
 * @property {readonly (keyof SubjectStore)[]} needs
 * @property {number} batch                                                   operations prepared and timed together
 * @property {number} mostPerRound                                            operations
 * @property {(model: WriteModel, count: number) => readonly unknown[]} argumentsFor   advances the model; not timed
 * @property {(store: SubjectStore, argument: unknown) => void} [before]       not timed; for batches of one
 * @property {(store: SubjectStore, argument: unknown) => unknown} run
 * @property {unknown} [answer]                                               what every operation must return, if it matters
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

/** Reads one attribute of every entity, not the indexed one. */
export function readOneOfEach({ count, entities }) {
  let sum = count
  for (let i = 0; i < entities.length; i++) sum += entities[i].firstName.length
  return sum
}
