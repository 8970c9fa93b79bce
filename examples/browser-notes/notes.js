import { openBrowserJournal } from '@entia/core/browser'
import { attribute, createStore, defineDataClass, liveQueries } from '@entia/core/kernel'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ notNull: true }),
  isDone: attribute.bool({ default: false }),
})
const store = createStore({ name: 'notes', dataClasses: [Note], capabilities: [liveQueries] })

const [form, list, status] = ['form', 'ul', 'output'].map((name) => document.querySelector(name))
const show = (text) => {
  status.textContent = text
}

const openNotes = () => store.Note.query('isDone = false').orderBy('ID desc')

function render() {
  const notes = openNotes().toArray()
  list.replaceChildren(
    ...notes.map(({ ID, text }) => {
      const item = document.createElement('li')
      const box = document.createElement('input')
      box.type = 'checkbox'
      box.ariaLabel = `Done: ${text}`
      box.onchange = () => save((tx) => tx.Note.update(ID, { isDone: true }))
      item.append(box, text)
      return item
    }),
  )
}

/** Runs a transaction in this tab or through the tab that writes, until it is on the disk. */
async function save(body) {
  try {
    await journal.transact(body)
  } catch (error) {
    show(error.message)
  }
}

const showRole = (role) =>
  show(role === 'writer' ? 'This tab writes.' : 'This tab follows another tab, which writes.')

const journal = await openBrowserJournal(store, 'notes', { onRole: showRole })
showRole(journal.role)
openNotes().live(render) // also after a write of another tab
render()

form.onsubmit = (event) => {
  event.preventDefault()
  const text = new FormData(form).get('text')
  form.reset()
  save((tx) => tx.Note.insert({ text }))
}
