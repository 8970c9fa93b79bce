import { describe, test } from 'vitest'
import { describeConformance, referenceHost } from '../src/conformance/index.ts'

describeConformance('the reference', referenceHost(), { describe, test })
