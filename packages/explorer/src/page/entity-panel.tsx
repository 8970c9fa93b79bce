import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { entityPath } from './addresses.ts'
import { Refusal } from './api.ts'
import { Conflict } from './conflict.tsx'
import { copyText } from './copy-text.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { bodyOf, changedFrom, unsent, withText } from './draft.ts'
import { entityJson } from './entity-json.ts'
import { Field } from './field.tsx'
import { inputText, problemsOf } from './field-value.ts'
import { type DataClass, membersOf, textOf } from './model.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { stepOfCreations, stepOfUpdates } from './undo.ts'
import { useUnsaved } from './use-unsaved.ts'

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
  const { ask, place, go, notify, record, changed } = scene
  const isNew = entityKey === ''
  const title = isNew ? `New ${dataClass.name}` : `${dataClass.name} ${entityKey}`
  const form = useUnsaved(scene.unsaved, title, isNew ? {} : null, notify)
  const { stored, draft } = form
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [theirs, setTheirs] = useState<unknown>(null)
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const [isLocked, setIsLocked] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  /** Increases with each request for the entity: a late answer is not the newest. */
  const reads = useRef(0)
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
  const discard = () => form.change(() => ({ draft: new Map() }))
  const load = async (isWanted = () => true) => {
    if (isNew) return
    const read = ++reads.current
    try {
      const answer = await ask(path)
      if (read === reads.current && isWanted()) form.change(() => ({ stored: answer }))
    } catch (error) {
      fail(error)
    }
  }
  useEffect(() => {
    // An unsaved form keeps the entity as it was first read, so that saving detects a conflict.
    if (!form.isKept) load()
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
    const isUnchanged = () => form.latest().draft.size === 0
    if (isOlder && isUnchanged() && theirs === null) load(isUnchanged)
  }, [stamp])

  const close = () => {
    discard()
    go({ ...place, open: null })
  }
  const copy = async () => {
    const isCopied = await copyText(entityJson(stored, dataClass))
    notify(isCopied ? `Copied ${title} as JSON.` : 'The browser refuses to copy.')
  }
  /** `base`: the entity that is overwritten. */
  const save = async (base: unknown) => {
    const sent = form.latest().draft
    const body = bodyOf(dataClass, sent)
    if (isSaving) return
    if (body.problems.size > 0) return setProblems(body.problems)
    setIsSaving(true)
    const item = isNew
      ? body.values
      : { __KEY: entityKey, __STAMP: membersOf(base).__STAMP, ...body.values }
    try {
      const answer = await ask(encodeURIComponent(dataClass.name), { method: 'POST', body: item })
      const key = textOf(membersOf(answer).__KEY)
      clear()
      reads.current++
      const rest = unsent(form.latest().draft, sent)
      form.change(() => (isNew ? { draft: new Map() } : { stored: answer, draft: rest }))
      const stamp = Number(membersOf(answer).__STAMP)
      if (isNew)
        record(stepOfCreations(`${dataClass.name} ${key} created`, dataClass, [{ key, stamp }]))
      else
        record(stepOfUpdates(`${title} saved`, dataClass, [changedFrom(base, stamp, body.values)]))
      changed()
      if (!isNew) return
      if (rest.size > 0)
        scene.unsaved.set(`${dataClass.name} ${key}`, {
          latest: { stored: answer, draft: rest },
          show: null,
        })
      go({ ...place, open: key })
    } catch (error) {
      fail(error)
      if (
        error instanceof Refusal &&
        error.status === 409 &&
        membersOf(error.answer).__STAMP !== undefined
      )
        setTheirs(error.answer)
    } finally {
      setIsSaving(false)
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
            discard()
            changed()
            load()
          }}
          overwrite={() => save(theirs)}
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
            save(stored)
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
                change={(text) =>
                  form.change(({ draft }) => ({ draft: withText(draft, attribute.name, text) }))
                }
                reload={() => {
                  changed()
                  load()
                }}
                fail={fail}
              />
            ))}
          <footer>
            <button type="submit" disabled={draft.size === 0 && !isNew} aria-disabled={isSaving}>
              {isNew ? 'Create' : 'Save'}
            </button>
            {draft.size > 0 && !isNew && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  discard()
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

/** The holder of a lock, if the server names it. */
function lockText(status: unknown): string {
  const { statusText, lockInfo } = membersOf(status)
  const { IPAddr, userAgent } = membersOf(lockInfo)
  const from = [textOf(IPAddr), textOf(userAgent)].filter(Boolean).join(', ')
  return `${textOf(statusText) || 'Locked'}${from === '' ? '' : `: by a session of ${from}`}.`
}
