import { describeHost, describeListening } from '../../host-claims.ts'
import { serve } from '../serve.mjs'
import { createStore } from '../store.mjs'

const example = { serve, createStore, program: new URL('../serve.mjs', import.meta.url) }
describeHost('h3', example)
describeListening('h3', example)
