// The longest block and the CPU time of building an ordered index of numbers, words, texts and
// addresses: at once and in time slices, in pairs. `node stall/index-build.js [records] [rounds]
// [writes]`; with `writes`, five entities are updated between two slices.
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createIndexSliced } from '@entia/core/internal'

const records = Number(process.argv[2] ?? 1e6)
const rounds = Number(process.argv[3] ?? 3)
const writes = process.argv[4] === 'writes'
const ATTRIBUTES = ['number', 'word', 'text', 'address']

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true }),
  number: attribute.number(),
  ...Object.fromEntries(ATTRIBUTES.slice(1).map((name) => [name, attribute.string()])),
})
const store = createDataStore({ name: 'index-build', dataClasses: [Item] })
let seed = 1
const random = () => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
  return seed / 2 ** 32
}
const letters = () => Math.floor(random() * 1e12).toString(36)
store.Item.load(
  Array.from({ length: records }, (_, at) => ({
    ID: at + 1,
    number: random() * 1e6,
    word: `word${Math.floor(random() * 4e5)}`,
    text: `${letters()} ${at}`,
    address: `https://www.example.com/${at % 7 ? 'a' : '一'}/${letters()}`,
  })),
)

const nextSlice = () => new Promise((resolve) => setImmediate(resolve))
const cpuMilliseconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
/** The longest CPU time and duration of a block, and the CPU time of all. */
async function measured(build) {
  let began = [performance.now(), cpuMilliseconds()]
  const blocks = []
  const cut = () => blocks.push([performance.now() - began[0], cpuMilliseconds() - began[1]])
  let at = 0
  await build(async () => {
    cut()
    await nextSlice()
    for (let i = 0; writes && i < 5; i++) {
      const ID = 1 + ((++at * 7919) % records)
      store.Item.update(ID, { number: at, word: `w${at}`, text: `t${at}`, address: `a${at}` })
    }
    began = [performance.now(), cpuMilliseconds()]
  })
  cut()
  const most = (place) => Math.max(...blocks.map((block) => block[place])).toFixed(1)
  const cpu = blocks.reduce((sum, block) => sum + block[1], 0).toFixed(0)
  return `${blocks.length} blocks, longest ${most(0)} ms (${most(1)} ms of CPU), ${cpu} ms of CPU`
}

for (let round = 0; round < rounds; round++)
  for (const name of ATTRIBUTES) {
    const { Item: items } = store
    console.log(`${name}, at once: ${await measured(async () => items.createIndex(name))}`)
    items.dropIndex(name)
    console.log(
      `${name}, in slices: ${await measured((next) => createIndexSliced(items, name, next))}`,
    )
    items.dropIndex(name)
  }
