import { entityPath } from './addresses.ts'
import { RelationLink } from './cell.tsx'
import { typeText } from './class-box.tsx'
import { cellText, deferredOf, type FieldText, ownAddress } from './field-value.ts'
import { type Attribute, type DataClass, membersOf } from './model.ts'
import { contentsOf } from './restored-values.ts'
import type { Scene } from './scene.ts'
import { stepOfUpdates } from './undo.ts'
import { ValueInput } from './value-input.tsx'

interface FieldProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  /** Empty for a new entity. */
  readonly entityKey: string
  readonly attribute: Attribute
  /** The value that the server sent. */
  readonly value: unknown
  /** The text in the field. */
  readonly text: FieldText
  readonly isChanged: boolean
  readonly problem: string | undefined
  readonly change: (text: FieldText) => void
  readonly reload: () => void
  readonly fail: (error: unknown) => void
}

/** The field of one attribute, with an editor for its type. */
export function Field(props: FieldProps) {
  const { attribute, isChanged, problem } = props
  const id = `field-${attribute.name}`
  return (
    <div class={`field${isChanged ? ' changed' : ''}${problem === undefined ? '' : ' wrong'}`}>
      <label for={id}>
        {attribute.name} <span class="type">{typeText(attribute)}</span>
      </label>
      <div class="field-value">
        <Input {...props} id={id} />
      </div>
      {problem !== undefined && (
        <p class="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function Input(props: FieldProps & { id: string }) {
  const { scene, dataClass, entityKey, attribute, value, text, problem, change, id } = props
  const { kind, type, isKey, readOnly } = attribute
  const link =
    attribute.target === null || entityKey === '' ? null : (
      <RelationLink
        scene={scene}
        from={dataClass.name}
        fromKey={entityKey}
        attribute={attribute}
        value={value}
      />
    )
  if (kind === 'relatedEntities') return <output id={id}>{link}</output>
  if (type === 'image' || type === 'blob') return <Media {...props} />
  if (readOnly || (isKey && entityKey !== ''))
    return <output id={id}>{cellText(value, attribute) || '–'}</output>
  return (
    <>
      <ValueInput
        scene={scene}
        attribute={attribute}
        text={text}
        change={change}
        id={id}
        problemId={problem === undefined ? null : `${id}-problem`}
      />
      {link}
    </>
  )
}

/**
 * An image or BLOB: shows, downloads, replaces or removes it. Changes are saved immediately, apart
 * from the form.
 */
function Media({
  scene,
  dataClass,
  entityKey,
  attribute,
  value,
  reload,
  fail,
  id,
}: FieldProps & { id: string }) {
  const deferred = deferredOf(value)
  const address = deferred === null ? null : ownAddress(deferred.uri, scene.base)
  const { name, type } = attribute
  if (entityKey === '') return <output id={id}>after it is created</output>
  const path = `${entityPath(dataClass.name, entityKey)}/${encodeURIComponent(name)}`
  const send = async (request: Parameters<typeof scene.ask>[1]) => {
    try {
      const entity = entityPath(dataClass.name, entityKey)
      const before = membersOf(await scene.ask(entity))
      const old = { [name]: before[name] ?? null }
      const contents = await contentsOf(scene.base, dataClass, [old])
      await scene.ask(path, { ...request, stamp: Number(before.__STAMP) })
      const { __STAMP } = membersOf(await scene.ask(entity))
      const stamps = { stampBefore: Number(before.__STAMP), stamp: Number(__STAMP) }
      const changed = [{ key: entityKey, ...stamps, before: old }]
      const title = `${name} of ${dataClass.name} ${entityKey}`
      scene.record(stepOfUpdates(title, dataClass, changed, contents))
      reload()
    } catch (error) {
      fail(error)
    }
  }
  const kind = type === 'image' ? '$rawPict' : '$binary'
  return (
    <div class="media">
      {address !== null && type === 'image' && (
        <img src={address} alt={`${name} of ${dataClass.name} ${entityKey}`} />
      )}
      {address !== null && type === 'blob' && (
        <a href={address} download="">
          Download
        </a>
      )}
      <input
        id={id}
        type="file"
        {...(type === 'image' ? { accept: 'image/*' } : {})}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          if (file !== undefined)
            send({ method: 'POST', parameters: { [kind]: 'true' }, body: file })
        }}
      />
      {address !== null && (
        <button
          type="button"
          class="quiet"
          onClick={() => send({ method: 'POST', parameters: { $method: 'delete' } })}
        >
          Remove
        </button>
      )}
    </div>
  )
}
