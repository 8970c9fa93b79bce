import { describeHost, describeListening, describeOrder } from '../../host-claims.ts'
import { serve } from '../serve.mjs'
import { createStore } from '../store.mjs'

const example = { serve, createStore, program: new URL('../serve.mjs', import.meta.url) }
describeHost('express', example)
describeListening('express', example)
describeOrder('express', example)
