import { existsSync } from 'node:fs'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { openJournal } from '@entia/core/node'

// node change-model.mjs <folder> <new folder>: turns the authors of books into entities. Stop the
// server first.
const [, , from = './data', to = './data-2'] = process.argv
// The contents of an existing folder would replace the new data.
if (existsSync(to)) throw new Error(`${to} already exists.`)

// The dataclasses in the folder, and the new ones.
const BookBefore = defineDataClass('Book', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ notNull: true, indexed: true }),
  author: attribute.string({ indexed: true }),
})
const Author = defineDataClass('Author', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, unique: true }),
  books: attribute.relatedEntities('Book', 'author'),
})
const Book = defineDataClass('Book', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ notNull: true, indexed: true }),
  author: attribute.relatedEntity('Author'),
})

const before = createDataStore({ name: 'books', dataClasses: [BookBefore] })
const journalBefore = await openJournal(before, from)

// Load related dataclasses first. Keys stay the same; stamps restart.
const after = createDataStore({ name: 'books', dataClasses: [Author, Book] })
for (const name of before.Book.all().distinct('author')) after.Author.insert({ name: String(name) })
after.Book.load(rows())

function* rows() {
  for (const { ID, title, author: name } of before.Book.all()) {
    const author = name === null ? undefined : after.Author.findBy('name', name)
    yield { ID, title, author: author?.ID ?? null }
  }
}

// A new folder starts with the content of the store.
const journalAfter = await openJournal(after, to)
await journalAfter.close()
await journalBefore.close()
console.log(`${after.Book.count} books, ${after.Author.count} authors`)
