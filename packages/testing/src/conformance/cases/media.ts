import type { CaseTable } from '../case.ts'
import { absent, anId, contains, only } from '../expect.ts'
import { employees } from '../fixtures/employees.ts'
import { GIF_PIXEL, RED_PIXEL } from '../fixtures/images.ts'
import { wakanda } from '../fixtures/wakanda.ts'

const EMPTY = '{}'

/** Images and BLOBs. */
export const media: CaseTable = [
  {
    id: 154,
    title: 'an image is sent unchanged; its address contains the stamp',
    fixture: wakanda,
    steps: [
      { send: 'GET /rest/Employee(3005)', reply: { photo: null } },
      {
        send: 'POST /rest/Employee(3005)/photo?$rawPict=image/png',
        body: RED_PIXEL,
        exactly: '{"ok":true}',
      },
      {
        send: 'GET /rest/Employee(3005)',
        reply: {
          __STAMP: 2,
          photo: only({
            __deferred: only({
              uri: '/rest/Employee[3005]/photo?$imageformat=best&$version=2&$expand=photo',
              image: true,
            }),
          }),
        },
        keep: { photo: 'photo.__deferred.uri' },
      },
      { send: 'GET {photo}', exactly: RED_PIXEL, replyHeaders: { 'content-type': 'image/png' } },
    ],
  },
  {
    id: 'S4',
    title: '$upload keeps an image until an update names it',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/$upload?$rawPict=true',
        body: GIF_PIXEL,
        reply: only({ ID: anId }),
        keep: { upload: 'ID' },
      },
      {
        send: 'POST /rest/Employee?$method=update',
        body: { __KEY: '1', photo: { ID: '{upload}' } },
        reply: {
          photo: {
            __deferred: {
              uri: '/rest/Employee[1]/photo?$imageformat=best&$version=6&$expand=photo',
              image: true,
            },
          },
        },
      },
      {
        send: 'GET /rest/Employee(1)/photo?$imageformat=best&$expand=photo',
        exactly: GIF_PIXEL,
        replyHeaders: { 'content-type': 'image/gif' },
      },
      {
        send: 'POST /rest/Employee',
        body: { __KEY: '1', photo: { ID: 'nosuch' } },
        status: 400,
        errors: [1825, 1517],
      },
      { send: 'POST /rest/$upload?$rawPict=true', body: GIF_PIXEL, keep: { upload: 'ID' } },
      {
        send: 'POST /rest/Employee',
        after: 121,
        body: { __KEY: '1', photo: { ID: '{upload}' } },
        status: 400,
        errors: [1825, 1517],
      },
    ],
  },
  {
    id: 'M1',
    title: '$imageformat in every spelling; unsupported or missing images give an empty object',
    fixture: employees,
    steps: [
      { send: 'GET /rest/Employee(11)/photo?$imageformat=best&$expand=photo', exactly: RED_PIXEL },
      { send: 'GET /rest/Employee(11)/photo?$imageformat=.png&$expand=photo', exactly: RED_PIXEL },
      {
        send: 'GET /rest/Employee(11)/photo?$imageformat=image/png&$expand=photo',
        exactly: RED_PIXEL,
      },
      { send: 'GET /rest/Employee(11)/photo?$imageformat=png&$expand=photo', exactly: RED_PIXEL },
      { send: 'GET /rest/Employee(11)/photo?$imageformat=.tiff&$expand=photo', exactly: EMPTY },
      { send: 'GET /rest/Employee(11)/photo?$imageformat=.xyz&$expand=photo', exactly: EMPTY },
      { send: 'GET /rest/Employee(1)/photo?$imageformat=best&$expand=photo', exactly: EMPTY },
    ],
  },
  {
    id: 'M2',
    title: 'a converter, if configured, produces other image types',
    fixture: employees,
    options: {
      imageConverter: async (_bytes, _from, to) => (to === 'image/gif' ? GIF_PIXEL : null),
    },
    steps: [
      {
        send: 'GET /rest/Employee(11)/photo?$imageformat=.gif&$expand=photo',
        exactly: GIF_PIXEL,
        replyHeaders: { 'content-type': 'image/gif' },
      },
      { send: 'GET /rest/Employee(11)/photo?$imageformat=.tiff&$expand=photo', exactly: EMPTY },
    ],
  },
  {
    id: 'M3',
    title:
      'without $imageformat the reply is the address of the content; $version changes only the address',
    fixture: employees,
    steps: [
      {
        send: 'GET /rest/Employee(11)/photo?$expand=photo&$version=1',
        reply: only({
          photo: only({
            __KEY: '11',
            __STAMP: 1,
            uri: '/rest/Employee[11]',
            __deferred: {
              uri: '/rest/Employee[11]/photo?$imageformat=best&$version=1&$expand=photo',
            },
          }),
        }),
      },
      {
        send: 'GET /rest/Employee(11)/photo?$imageformat=best&$version=77&$expand=photo',
        exactly: RED_PIXEL,
      },
    ],
  },
  {
    id: 'M4',
    title: 'a BLOB is sent as binary data',
    fixture: employees,
    steps: [
      {
        send: 'GET /rest/Employee(11)',
        reply: {
          cv: only({
            __deferred: only({ uri: '/rest/Employee[11]/cv?$binary=true&$version=1&$expand=cv' }),
          }),
        },
        keep: { cv: 'cv.__deferred.uri' },
      },
      {
        send: 'GET {cv}',
        exactly: Uint8Array.of(1, 2, 255),
        replyHeaders: {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment',
        },
      },
      { send: 'GET /rest/Employee(1)/cv?$binary=true&$expand=cv', exactly: EMPTY },
      {
        send: 'POST /rest/Employee(1)/cv?$binary=true',
        body: Uint8Array.of(0, 128),
        exactly: '{"ok":true}',
      },
      { send: 'GET /rest/Employee(1)/cv?$binary=true&$expand=cv', exactly: Uint8Array.of(0, 128) },
      { send: 'POST /rest/$upload?$binary=true', body: Uint8Array.of(7), keep: { upload: 'ID' } },
      { send: 'POST /rest/Employee', body: { __KEY: '1', cv: { ID: '{upload}' } } },
      { send: 'GET /rest/Employee(1)/cv?$binary=true&$expand=cv', exactly: Uint8Array.of(7) },
      {
        send: 'POST /rest/Employee',
        body: { __KEY: '1', cv: { ID: 'nosuch' } },
        status: 400,
        errors: [1826, 1517],
      },
    ],
  },
  {
    id: 'M5',
    title: 'deleting an image keeps its entity',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee(11)/photo?$imageformat=best&$method=delete',
        exactly: '{"ok":true}',
      },
      {
        send: 'GET /rest/Employee(11)',
        reply: { __STAMP: 2, photo: null, cv: { __deferred: { image: absent } } },
      },
    ],
  },
  {
    id: 'M6',
    title: 'an image attribute refuses content that is not an image',
    fixture: employees,
    steps: [
      {
        send: 'POST /rest/Employee(1)/photo?$rawPict=image/png',
        body: Uint8Array.of(1, 2, 3),
        status: 415,
        reply: { __ERROR: contains({ errCode: 1824 }) },
      },
      { send: 'GET /rest/Employee(1)', reply: { photo: null } },
    ],
  },
]
