import { attribute, createDataStore, defineDataClass, type Untyped } from '@entia/core'
import {
  type AuthorizeAnswer,
  type AuthorizeQuestion,
  createRestHandler,
  type RestOptions,
} from '../../src/index.ts'
import { Browser } from './browser.ts'
import { png } from './images.ts'
import { fixedPorts } from './models.ts'

/**
 * Documents of two people in folders, with notes that are deleted with their document. Documents 1
 * and 2 belong to ann and folder 1, 3 and 4 to ben and folder 2; 4 refers to 1, and 2 to 3. Folder
 * 2 belongs to ben.
 */
export function createDesk() {
  const Folder = defineDataClass('Folder', {
    ID: attribute.long({ key: true }),
    name: attribute.string(),
    owner: attribute.string(),
    docs: attribute.relatedEntities('Doc', 'folder'),
  })
  const Doc = defineDataClass(
    'Doc',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      title: attribute.string({ indexed: true }),
      owner: attribute.string(),
      rank: attribute.long({ max: 99 }),
      secret: attribute.string(),
      code: attribute.string({ unique: true }),
      photo: attribute.image(),
      folder: attribute.relatedEntity('Folder', { foreignKey: 'folderID' }),
      folderID: attribute.long(),
      about: attribute.relatedEntity('Doc'),
      mentions: attribute.relatedEntities('Doc', 'about'),
      notes: attribute.relatedEntities('Note', 'doc'),
      folderName: attribute.alias('folder.name'),
    },
    {
      functions: {
        titles: {
          on: 'selection',
          exposed: true,
          onHttpGet: true,
          run: ({ selection }) => selection.toArray().map(({ title }) => title),
        },
        aboutTitle: {
          on: 'entity',
          exposed: true,
          run: ({ entity }) =>
            (entity as Untyped & { about: { title: string } | null }).about?.title ?? null,
        },
        find: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }, key: number) => dataClass.get(key) ?? null,
        },
        everything: { on: 'dataClass', exposed: true, run: ({ dataClass }) => dataClass.all() },
        inside: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }) => ({ one: dataClass.get(3) ?? null, all: dataClass.all() }),
        },
        ids: {
          on: 'dataClass',
          exposed: true,
          run: (_, docs: Iterable<{ ID: number }>) => [...docs].map(({ ID }) => ID),
        },
        titleOf: { on: 'dataClass', exposed: true, run: (_, doc: { title: string }) => doc.title },
      },
    },
  )
  const Note = defineDataClass('Note', {
    ID: attribute.long({ key: true }),
    text: attribute.string(),
    doc: attribute.relatedEntity('Doc', { onDelete: 'cascade' }),
    pinnedTo: attribute.relatedEntity('Note', { onDelete: 'restrict' }),
  })
  const store = createDataStore({
    name: 'desk',
    dataClasses: [Folder, Doc, Note],
    functions: { ping: { exposed: true, run: () => 'pong' } },
    singletons: { Press: { print: { exposed: true, run: () => 'printed' } } },
    ...fixedPorts(),
  })
  store.Folder.load([
    { ID: 1, name: 'shared', owner: 'ann' },
    { ID: 2, name: 'private', owner: 'ben' },
  ])
  for (const [title, owner, folder] of [
    ['alpha', 'ann', 1],
    ['beta', 'ann', 1],
    ['gamma', 'ben', 2],
    ['delta', 'ben', 2],
  ] as const)
    store.Doc.insert({
      title,
      owner,
      folder,
      rank: 1,
      secret: `hush ${title}`,
      code: `c-${title}`,
      photo: png(),
    })
  store.Doc.update(4, { about: 1 })
  store.Doc.update(2, { about: 3 })
  store.Note.load([{ ID: 1, text: 'first', doc: 1 }])
  return store
}

/** A question in one line: `read Doc`, `update Doc.title`, `call Doc/titles`, `call -/ping`. */
export const questionText = ({
  action,
  dataClass,
  attribute: name,
  functionName,
}: AuthorizeQuestion): string =>
  `${action} ${dataClass ?? '-'}${name === undefined ? '' : `.${name}`}${functionName === undefined ? '' : `/${functionName}`}`

/** Answers questions by their text; yes to all others. */
export type Rules = { readonly [question: string]: AuthorizeAnswer }

/** Each user's own documents: values are parameters, never filter text. */
export const OWN = (question: AuthorizeQuestion): AuthorizeAnswer =>
  question.session?.user == null
    ? false
    : { filter: 'owner = :1', parameters: [question.session.user.ID] }

const USERS = ['ann', 'ben', 'boss'].map((name) => ({
  name,
  password: 'x',
  fullName: name,
  groups: [],
}))

/** The callers of a host that identifies them by a header. */
export const BY_HEADER: Pick<RestOptions, 'identify'> = {
  identify: ({ header }) => {
    const ID = header('authorization')
    return ID === null ? null : { ID }
  },
}

/** A desk with a permission hook; `boss` may do everything, others what the rules permit. */
export function serveDesk(
  rules: Rules | ((question: AuthorizeQuestion) => unknown),
  options: RestOptions = {},
) {
  const store = createDesk()
  const reported: unknown[] = []
  const given = typeof rules === 'function' ? null : new Map(Object.entries(rules))
  const authorize = (question: AuthorizeQuestion) => {
    if (question.session?.user?.ID === 'boss') return true
    return typeof rules === 'function'
      ? rules(question)
      : (given?.get(questionText(question)) ?? true)
  }
  const rest = createRestHandler(store, {
    ...(options.identify === undefined ? { users: USERS } : {}),
    authorize: authorize as (question: AuthorizeQuestion) => AuthorizeAnswer,
    onError: (error) => reported.push(error),
    ...options,
  })
  const as = async (name: string): Promise<Browser> => {
    if (options.identify !== undefined) return new Browser(rest, { authorization: name })
    const browser = new Browser(rest)
    await browser.post('/rest/$directory/login', [name, 'x'])
    return browser
  }
  return { store, rest, reported, as, guest: new Browser(rest) }
}
