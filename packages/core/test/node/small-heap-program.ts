// A program of `small-heap.slow.test.ts`: writes the files of a store, or opens one of them.
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { dumpToFile, openDumpFile, openJournal } from '@entia/core/node'

const Row = defineDataClass('Row', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  city: attribute.string({ indexed: true }),
  price: attribute.number(),
  paid: attribute.date(),
  sent: attribute.date(),
})
const dataClasses = [Row] as const
const newStore = () => createDataStore({ name: 'rows', dataClasses })
const rowOf = (ID: number) => ({
  ID,
  name: `a name of some length with number ${ID} and more text`,
  city: `city ${ID % 1000}`,
  price: ID / 7,
  paid: ID % 3 === 0 ? null : new Date(ID * 86_400),
  sent: ID % 5 === 0 ? null : new Date(ID * 86_401),
})

const [command, path, count] = process.argv.slice(2) as [string, string, string]
switch (command) {
  case 'write': {
    const store = newStore()
    const journal = await openJournal(store, `${path}/journal`, { compactAboveBytes: null })
    for (let from = 0; from < Number(count); from += 1000) {
      store.Row.load(Array.from({ length: 1000 }, (_, at) => rowOf(from + at)))
      if (from % 20_000 === 0) await journal.flush()
    }
    await journal.close()
    await dumpToFile(store, `${path}/rows.dump`)
    break
  }
  case 'openDump':
    report(await openDumpFile(`${path}/rows.dump`, { name: 'rows', dataClasses }))
    break
  case 'openJournal': {
    const store = newStore()
    await openJournal(store, `${path}/journal`, { compactAboveBytes: null })
    report(store)
  }
}
function report(store: ReturnType<typeof newStore>): void {
  console.log(store.Row.all().count)
  process.exit(0)
}
