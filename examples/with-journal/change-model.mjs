import { existsSync } from 'node:fs'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { openJournal } from '@entia/core/node'

// node change-model.mjs <folder> <new folder>: books get authors that are entities. The server is stopped meanwhile.
const [, , from = './data', to = './data-2'] = process.argv
// What it holds would replace what comes now.
if (existsSync(to)) throw new Error(`${to} is there already.`)

// The dataclasses that the folder was written with, and those that it is to have.
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

// Dataclasses that others relate to come first. Keys stay as they are; stamps begin anew.
const after = createDataStore({ name: 'books', dataClasses: [Author, Book] })
for (const name of before.Book.all().distinct('author')) after.Author.insert({ name: String(name) })
after.Book.load(rows())

function* rows() {
  for (const { ID, title, author: name } of before.Book.all()) {
    const author = name === null ? undefined : after.Author.findBy('name', name)
    yield { ID, title, author: author?.ID ?? null }
  }
}

// A new folder begins with what the store holds.
const journalAfter = await openJournal(after, to)
await journalAfter.close()
await journalBefore.close()
console.log(`${after.Book.count} books, ${after.Author.count} authors`)
