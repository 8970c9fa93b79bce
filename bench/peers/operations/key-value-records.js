/**
 * The records of YCSB in a store that reads and writes single records by key.
 * @param {object} store
 * @param {(key: string) => object} store.get                              a private copy
 * @param {(key: string, patch: object) => unknown} store.patch
 * @param {(record: object) => unknown} store.insert
 * @param {(key: string, length: number) => readonly object[]} store.scan
 * @param {() => readonly object[]} store.all
 */
export function keyValueRecords({ get, patch, insert, scan, all }) {
  return {
    read: ({ key }) => get(key),
    update: ({ key, field, value }) => patch(key, { [field]: value }),
    insert: ({ record }) => insert(record),
    scan: ({ key, length }) => scan(key, length),
    modify: ({ key, field, suffix }) => {
      const found = get(key)
      patch(key, { [field]: found[field].slice(suffix.length) + suffix })
      return found
    },
    all,
  }
}
