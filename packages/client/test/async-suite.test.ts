import { describeAsyncMisuse } from '../../core/test/async/async-misuse.ts'
import { describeAsyncStore } from '../../core/test/async/async-suite.ts'
import { overHttp } from './ways.ts'

describeAsyncStore('connect', overHttp)
describeAsyncMisuse('connect', overHttp)
