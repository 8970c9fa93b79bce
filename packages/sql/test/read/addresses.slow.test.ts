import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { test } from 'vitest'
import { fixedPorts } from '../../../rest/test/http/models.ts'
import { describeDatabases } from '../database.ts'
import { TwoEngines } from '../hostile/two-engines.ts'

const Device = defineDataClass(
  'Device',
  {
    ID: attribute.uuid({ key: true }),
    label: attribute.string(),
    serial: attribute.uuid({ unique: true }),
    built: attribute.date({ dateOnly: true }),
    seen: attribute.date(),
    uptime: attribute.duration(),
    active: attribute.bool(),
    photo: attribute.blob(),
    hub: attribute.relatedEntity('Device'),
    spokes: attribute.relatedEntities('Device', 'hub'),
  },
  {
    functions: {
      name: { on: 'entity', exposed: true, run: ({ entity }) => Reflect.get(entity, 'label') },
    },
  },
)

function createDevices() {
  const store = createDataStore({ name: 'devices', dataClasses: [Device], ...fixedPorts() })
  store.Device.insert({
    ID: '0123456789abcdef0123456789abcdef',
    label: 'Élan',
    serial: 'abcdefab-cdef-abcd-efab-cdefabcdefab',
    built: '2024-01-31',
    seen: '2024-01-31T08:00:00Z',
    uptime: 3_600_000,
    active: true,
    hub: '0123456789abcdef0123456789abcdef',
  })
  return store
}

/** Spellings of the key, of other attributes, and values that these cannot have. */
const ADDRESSES = [
  ...['0123456789ABCDEF0123456789ABCDEF', '0123456789abcdef0123456789abcdef'].map(
    (key) => `Device(${key})`,
  ),
  'Device["01234567-89ab-cdef-0123-456789abcdef"]',
  'Device[wrong]',
  'Device:serial(ABCDEFABCDEFABCDEFABCDEFABCDEFAB)',
  'Device:serial(abcdefab-cdef-abcd-efab-cdefabcdefab)',
  'Device:serial(wrong)',
  ...['2024-01-31', '!!2024-01-31!!', '31!1!2024', 'wrong'].map((day) => `Device:built("${day}")`),
  ...['2024-01-31T08:00:00Z', '2024-01-31T08:00:00.000Z', '2024-01-31', 'wrong'].map(
    (time) => `Device:seen("${time}")`,
  ),
  ...['3600000', '"01:00:00"', '-1'].map((time) => `Device:uptime(${time})`),
  ...['true', 'false', 'wrong'].map((value) => `Device:active(${value})`),
  ...['elan', 'Élan', 'wrong'].map((text) => `Device:label(${encodeURIComponent(text)})`),
]

describeDatabases('an address names the entity that it names in memory', {}, (database) => {
  // One session holds the locks.
  const engines = new TwoEngines(database, createDevices, { identify: () => ({ ID: 'ann' }) })

  test.each(ADDRESSES)('%s: entity, relations, functions, lock, changes, deletion', async (at) => {
    const url = `/rest/${at}`
    const filter = `$filter="label='@'"`
    for (const rest of ['', `?${filter}`, '?$expand=spokes', '/hub?$expand=hub'])
      await engines.expectSame({ method: 'GET', url: url + rest })
    for (const rest of [`?${filter}`, '?$compute=max&$attributes=label', '?$method=subentityset'])
      await engines.expectSame({ method: 'GET', url: `${url}/spokes${rest}&$expand=spokes` })
    await engines.expectSame({ method: 'POST', url: `${url}/name`, body: '[]' })
    await engines.expectSame({ method: 'PUT', url, body: '{"uptime":3600000,"label":"Elan"}' })
    await engines.expectSame({
      method: 'POST',
      url: `${url}/photo`,
      headers: { 'content-type': 'application/octet-stream' },
      body: Uint8Array.of(1, 2),
    })
    await engines.expectSame({ method: 'GET', url: `${url}/photo?$binary=true&$expand=photo` })
    await engines.expectSame({ method: 'GET', url: `${url}?$lock=true` })
    await engines.expectSame({ method: 'GET', url: `${url}?$lock=false` })
    await engines.expectSame({ method: 'DELETE', url: `${url}/photo` })
    await engines.expectSame({ method: 'GET', url: '/rest/Device' })
  })
})
