import { test } from 'vitest'
import { expectSameOutcomes } from '../../core/test/async/async-property.ts'
import { ways } from './ways.ts'

test('random commands have the same outcomes in the process and over HTTP', () =>
  expectSameOutcomes(ways, 40))
