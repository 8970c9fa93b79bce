import { asyncOf } from '@entia/core/async'
import { createRestHandler } from '@entia/rest'
import type { League, Way } from '../../core/test/async/league.ts'
import { connect } from '../src/connect.ts'

export const overHttp: Way = (store) => {
  const { fetch } = createRestHandler(store)
  return () => connect<League>('http://x.example/rest', { fetch })
}

/** The ways in which a program reaches a store. */
export const ways: readonly [Way, Way] = [(store) => () => asyncOf(store), overHttp]
