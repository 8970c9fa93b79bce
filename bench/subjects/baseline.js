import { BaselineStore } from '../baseline/baseline-store.js'
import { parseFilterText } from '../baseline/filter-text.js'
import { pageOfAll, pageOfBornBefore } from '../baseline/ordered-page.js'
import { insert, remove, update, updateAll } from '../baseline/writes.js'

/** @type {import('./subject.js').Subject} */
export default {
  name: 'baseline',
  version: 'hand-written for these workloads',
  open(data, { spareRecords }) {
    const store = new BaselineStore(data, spareRecords)
    return {
      get: (id) => store.get(id),
      selectByLastName: (name) => store.selectByLastName(name),
      entitiesByLastName: (name) => store.entitiesByLastName(name),
      selectBySalary: (low, high) => store.selectBySalary(low, high),
      entitiesBySalary: (low, high) => store.entitiesBySalary(low, high),
      selectByPrefix: (prefix) => store.selectByPrefix(prefix),
      entitiesByPrefix: (prefix) => store.entitiesByPrefix(prefix),
      memberIds: (members) => members.map((record) => store.columns.ids[record]),
      scan: (before, firstName) => store.scan(before, firstName),
      compound: (lastName, salary, before) => store.compound(lastName, salary, before),
      related: (city, salary) => store.related(city, salary),
      pageOfAll: (skip, top) => pageOfAll(store, skip, top),
      pageOfBornBefore: (before, skip, top) => pageOfBornBefore(store, before, skip, top),
      aggregate: (before) => store.aggregate(before),
      distinctLastNames: () => store.distinctLastNames(),
      groupByFirstName: (before) => store.groupByFirstName(before),
      groupByCity: () => store.groupByCity(),
      saveSelections: (salary, before) => store.saveSelections(salary, before),
      combine: (operator) => store.combine(operator),
      pageAsJson: (firstId) => store.pageAsJson(firstId),
      findByText: (text) => store.findByText(text),
      compile: (text) => parseFilterText(text),
      update: (id, stamp, salary) => update(store, id, stamp, salary),
      updateAll: (changes) => updateAll(store, changes),
      insert: (values) => insert(store, values),
      reinsert: (values) => {
        remove(store, values.ID)
        return insert(store, values)
      },
      count: () => store.recordCount - store.freeRecords.length,
    }
  },
}
