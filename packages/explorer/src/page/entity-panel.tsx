import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { entityPath } from './addresses.ts'
import { Refusal } from './api.ts'
import { Conflict } from './conflict.tsx'
import { copyText } from './copy-text.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { entityJson } from './entity-json.ts'
import { Field } from './field.tsx'
import { type FieldText, inputText, parseInput, problemsOf } from './field-value.ts'
import { type DataClass, membersOf, textOf } from './model.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { type Unsaved, useUnsaved } from './use-unsaved.ts'

type Draft = Unsaved['draft']

/**
 * One entity: edits, saves, locks and deletes it. An empty key creates an entity. Callers set
 * `key`, so that each entity has its own instance.
 */
export function EntityPanel({
  scene,
  dataClass,
  entityKey,
  stamp,
}: {
  scene: Scene
  dataClass: DataClass
  entityKey: string
  /** The stamp of the entity in the grid, if it is there. */
  stamp: unknown
}) {
  const { ask, place, go, notify, changed } = scene
  const isNew = entityKey === ''
  const title = isNew ? `New ${dataClass.name}` : `${dataClass.name} ${entityKey}`
  const [kept, latest] = useUnsaved(scene.unsaved, title, notify)
  const [stored, setStored] = useState<unknown>(kept?.stored ?? (isNew ? {} : null))
  const [draft, setDraft] = useState<Draft>(kept?.draft ?? new Map())
  latest.current = { stored, draft }
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [theirs, setTheirs] = useState<unknown>(null)
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const [isLocked, setIsLocked] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const path = isNew ? encodeURIComponent(dataClass.name) : entityPath(dataClass.name, entityKey)
  const members = membersOf(stored)
  const names = dataClass.attributes.map(({ name }) => name)

  const fail = (error: unknown) => {
    const refused = error instanceof Refusal ? error : new Refusal(0, null)
    setRefusal(refused)
    setProblems(problemsOf(refused.messages, names))
  }
  const clear = () => {
    setRefusal(null)
    setTheirs(null)
    setProblems(new Map())
  }
  const load = async () => {
    if (isNew) return
    try {
      setStored(await ask(path))
    } catch (error) {
      fail(error)
    }
  }
  useEffect(() => {
    // An unsaved form keeps the entity as it was first read, so that saving detects a conflict.
    if (kept === null) load()
  }, [])
  // Before the next key, and not if the user already types elsewhere: the address changes later
  // than the click that asks for it, and the second click of two edits a cell.
  useLayoutEffect(() => {
    const typesElsewhere = document.activeElement?.matches('input, select, textarea') === true
    if (!typesElsewhere) heading.current?.focus()
  }, [])
  useLayoutEffect(() => {
    const { activeElement } = document
    const isElsewhere = activeElement !== document.body && activeElement?.closest('.panel') == null
    if (problems.size > 0 && !isElsewhere)
      document.querySelector<HTMLElement>('.panel [aria-invalid="true"]')?.focus()
  }, [problems])
  useEffect(() => {
    // An unchanged form follows changes by others; unsaved texts stay.
    const isOlder = stored !== null && stamp !== undefined && stamp !== members.__STAMP
    if (isOlder && draft.size === 0 && theirs === null) load()
  }, [stamp])

  const close = () => {
    setDraft(new Map())
    go({ ...place, open: null })
  }
  const copy = async () => {
    const isCopied = await copyText(entityJson(stored, dataClass))
    notify(isCopied ? `Copied ${title} as JSON.` : 'The browser refuses to copy.')
  }
  const save = async (known: unknown) => {
    const body = bodyOf(dataClass, draft)
    if (body.problems.size > 0) return setProblems(body.problems)
    const item = isNew ? body.values : { __KEY: entityKey, __STAMP: known, ...body.values }
    try {
      const answer = membersOf(
        await ask(encodeURIComponent(dataClass.name), { method: 'POST', body: item }),
      )
      clear()
      setDraft(new Map())
      notify(isNew ? `${dataClass.name} ${textOf(answer.__KEY)} was created.` : 'Saved.')
      changed()
      if (isNew) go({ ...place, open: textOf(answer.__KEY) })
      else await load()
    } catch (error) {
      fail(error)
      if (
        error instanceof Refusal &&
        error.status === 409 &&
        membersOf(error.answer).__STAMP !== undefined
      )
        setTheirs(error.answer)
    }
  }
  const lock = async () => {
    try {
      const { result, __STATUS } = membersOf(
        await ask(path, { parameters: { $lock: String(!isLocked) } }),
      )
      if (result !== true)
        return setRefusal(new Refusal(423, { __ERROR: [{ message: lockText(__STATUS) }] }))
      clear()
      setIsLocked(!isLocked)
      notify(isLocked ? 'Unlocked.' : 'Locked: other sessions cannot change it.')
    } catch (error) {
      fail(error)
    }
  }
  return (
    <aside class="panel" aria-labelledby="panel-title">
      <header>
        <h2 id="panel-title" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {!isNew && stored !== null && <span class="stamp">stamp {String(members.__STAMP)}</span>}
        {!isNew && stored !== null && (
          <button type="button" class="quiet" title="Copy the entity as JSON" onClick={copy}>
            Copy
          </button>
        )}
        <button type="button" class="quiet" aria-label="Close" title="Close (Esc)" onClick={close}>
          ✕
        </button>
      </header>
      {theirs !== null ? (
        <Conflict
          dataClass={dataClass}
          draft={draft}
          before={stored}
          theirs={theirs}
          takeTheirs={() => {
            clear()
            setDraft(new Map())
            changed()
            load()
          }}
          overwrite={() => save(membersOf(theirs).__STAMP)}
        />
      ) : (
        refusal !== null && problems.size === 0 && <Problem refusal={refusal} />
      )}
      {refusal?.status === 423 && (
        <p class="lock-note">{lockText(membersOf(refusal.answer).__STATUS)}</p>
      )}
      {stored !== null && (
        <form
          onKeyDown={(event) => {
            // Escape must not discard unsaved texts.
            if (event.key !== 'Escape' || draft.size === 0) return
            event.stopPropagation()
            notify('Not saved yet: save it or undo it, or close with ✕.')
          }}
          onSubmit={(event) => {
            event.preventDefault()
            save(members.__STAMP)
          }}
        >
          {dataClass.attributes
            .filter((one) => !isNew || !one.readOnly)
            .map((attribute) => (
              <Field
                key={attribute.name}
                scene={scene}
                dataClass={dataClass}
                entityKey={entityKey}
                attribute={attribute}
                value={Object.hasOwn(members, attribute.name) ? members[attribute.name] : null}
                text={
                  draft.has(attribute.name)
                    ? (draft.get(attribute.name) ?? null)
                    : inputText(members[attribute.name], attribute)
                }
                isChanged={draft.has(attribute.name)}
                problem={problems.get(attribute.name)}
                change={(text) => setDraft(withText(draft, attribute.name, text))}
                reload={() => {
                  changed()
                  load()
                }}
                fail={fail}
              />
            ))}
          <footer>
            <button type="submit" disabled={draft.size === 0 && !isNew}>
              {isNew ? 'Create' : 'Save'}
            </button>
            {draft.size > 0 && !isNew && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  setDraft(new Map())
                  clear()
                }}
              >
                Undo
              </button>
            )}
            {!isNew && (
              <>
                <button type="button" class="quiet" aria-pressed={isLocked} onClick={lock}>
                  {isLocked ? 'Unlock' : 'Lock'}
                </button>
                <button type="button" class="quiet danger" onClick={() => setIsDeleting(true)}>
                  Delete…
                </button>
              </>
            )}
          </footer>
        </form>
      )}
      {isDeleting && (
        <DeleteDialog
          scene={scene}
          find={async () => ({ dataClass, key: entityKey, path, count: 1 })}
          deleted={close}
          close={() => setIsDeleting(false)}
        />
      )}
    </aside>
  )
}

function withText(draft: Draft, name: string, text: FieldText): Draft {
  return new Map([...draft, [name, text]])
}

function bodyOf(dataClass: DataClass, draft: Draft) {
  const values: Record<string, unknown> = {}
  const problems = new Map<string, string>()
  for (const attribute of dataClass.attributes) {
    const text = draft.get(attribute.name)
    if (text === undefined) continue
    const parsed = parseInput(text, attribute)
    if ('problem' in parsed) problems.set(attribute.name, parsed.problem)
    else values[attribute.name] = parsed.value
  }
  return { values, problems }
}

/** The holder of a lock, if the server names it. */
function lockText(status: unknown): string {
  const { statusText, lockInfo } = membersOf(status)
  const { IPAddr, userAgent } = membersOf(lockInfo)
  const from = [textOf(IPAddr), textOf(userAgent)].filter(Boolean).join(', ')
  return `${textOf(statusText) || 'Locked'}${from === '' ? '' : `: by a session of ${from}`}.`
}
