interface Entries<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** The value of a key. Where there is none, `create` makes one, which the map keeps. */
export function entryOf<K, V>(entries: Entries<K, V>, key: K, create: () => V): V {
  const known = entries.get(key)
  if (known !== undefined) return known
  const created = create()
  entries.set(key, created)
  return created
}
