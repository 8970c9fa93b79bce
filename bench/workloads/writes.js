const batchSize = 1000
const undoneWrites = 50
const needed = ['get', 'count', 'entitiesBySalary']

const times = (count, make) => Array.from({ length: count }, make)

/**
 * Writes: each changes the store for later ones. After its rounds the model is compared with the
 * store.
 */
/** @type {import('./workload.js').WriteWorkload[]} */
export const writes = [
  {
    kind: 'write',
    id: 'W13',
    title: 'single update with version check',
    needs: ['update', ...needed],
    batch: 1000,
    mostPerRound: 100_000,
    argumentsFor: (model, count) => times(count, () => model.changed(model.randomId())),
    run: (store, { id, stamp, salary }) => store.update(id, stamp, salary),
    answer: true,
  },
  {
    kind: 'write',
    id: 'W14',
    title: 'insert single',
    needs: ['insert', ...needed],
    batch: 500,
    mostPerRound: 4_000,
    argumentsFor: (model, count) => times(count, () => model.inserted()),
    run: (store, values) => store.insert(values),
  },
  {
    kind: 'write',
    id: 'W15a',
    title: 'atomic batch of 1000 updates, the last fails: rolled back',
    needs: ['updateAll', ...needed],
    batch: 10,
    mostPerRound: 200,
    argumentsFor: (model, count) =>
      times(count, () => {
        const ids = model.distinctIds(batchSize)
        const last = ids.pop()
        return [
          ...ids.map((id) => model.refused(id)),
          model.refused(last, model.stamps[last] + 1000),
        ]
      }),
    run: (store, changes) => store.updateAll(changes),
    answer: false,
  },
  {
    kind: 'write',
    id: 'W15b',
    title: 'atomic batch of 1000 updates, committed',
    needs: ['updateAll', ...needed],
    batch: 4,
    mostPerRound: 100,
    argumentsFor: (model, count) =>
      times(count, () => model.distinctIds(batchSize).map((id) => model.changed(id))),
    run: (store, changes) => store.updateAll(changes),
    answer: true,
  },
  {
    kind: 'write',
    id: 'W16',
    title: 'delete and insert again',
    needs: ['reinsert', ...needed],
    batch: 500,
    mostPerRound: 50_000,
    argumentsFor: (model, count) => times(count, () => model.reinserted(model.randomId())),
    run: (store, values) => store.reinsert(values),
  },
  {
    kind: 'write',
    id: 'W19',
    title: 'restore after 50 updates, inserts and deletes',
    needs: ['mark', 'goBack', 'update', 'insert', 'remove', ...needed],
    // The writes to undo run first and are not timed.
    batch: 1,
    mostPerRound: 1_000,
    argumentsFor: (model, count) => times(count, () => model.undone(undoneWrites)),
    before: (store, { updates, inserts, removals }) => {
      store.mark()
      for (const { id, stamp, salary } of updates) store.update(id, stamp, salary)
      for (const values of inserts) store.insert(values)
      for (const id of removals) store.remove(id)
    },
    run: (store) => store.goBack(),
  },
]
