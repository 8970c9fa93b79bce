// A process of takeovers.slow.test.ts: serves the office of a database, and tells its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { attribute, defineDataClass } from '@entia/core'
import { toNodeHandler } from '@entia/rest'
import { CLASSES } from '../../../replica/test/office.ts'
import { pgPool } from '../../src/pg.ts'
import { answerParent } from '../races/child.ts'
import { POOLING } from '../tested.ts'
import { openOffice } from './replica-office.ts'

export interface TakeoverPlace {
  readonly connectionString: string
  readonly schema: string
  /** Attributes that the model has more than that of the replicas. */
  readonly more: number
}

const { connectionString, schema, more } = JSON.parse(process.argv[2]!) as TakeoverPlace
const [Company, Employee] = CLASSES
const Wider = defineDataClass('Employee', {
  ...Employee.attributes,
  ...Object.fromEntries(Array.from({ length: more }, (_, at) => [`more${at}`, attribute.number()])),
})
const database = pgPool({ connectionString, max: 4, ...POOLING })
const classes = [Company, Wider as typeof Employee] as const
const { rest } = await openOffice(database, schema, {}, undefined, classes)
const server = createServer(toNodeHandler(rest))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
answerParent(async () => (server.address() as AddressInfo).port)
