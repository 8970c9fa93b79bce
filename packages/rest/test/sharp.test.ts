import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { createRestHandler } from '../src/index.ts'
import { createSharpConverter } from '../src/sharp.ts'
import { gif, heads, png } from './http/images.ts'
import { createPeople } from './http/media-model.ts'

const idle = new AbortController().signal

describe('@entia/rest/sharp', () => {
  test.each([
    ['gif', 'gif'],
    ['.jpeg', 'jpeg'],
    ['image/tiff', 'tiff'],
  ])('over HTTP a PNG comes as %s, of the same size', async (asked, format) => {
    const store = createPeople()
    store.Person.update(1, { photo: png(3, 2) })
    const rest = createRestHandler(store, { imageConverter: createSharpConverter() })
    const url = `/rest/Person(1)/photo?$imageformat=${asked}&$expand=photo`
    const { status, headers, body } = await rest.handle({ method: 'GET', url })
    expect([status, headers['content-type']]).toEqual([200, `image/${format}`])
    expect(await sharp(body as Uint8Array).metadata()).toMatchObject({
      format,
      width: 3,
      height: 2,
    })
  })

  test('converts every format that it reads to every other', async () => {
    const convert = createSharpConverter()
    const image = sharp(png(4, 4))
    const formats = ['gif', 'jpeg', 'png', 'tiff'] as const
    for (const from of [...formats, 'webp'] as const) {
      const bytes = await image.clone().toFormat(from).toBuffer()
      for (const to of formats) {
        const converted = await convert(bytes, `image/${from}`, `image/${to}`, idle)
        expect((await sharp(converted!).metadata()).format, `${from} to ${to}`).toBe(to)
      }
    }
  })

  test('does not decode an image above the limit, whatever its file size', async () => {
    const convert = createSharpConverter({ maxPixels: 24 })
    expect(await convert(png(6, 4), 'image/png', 'image/gif', idle)).not.toBeNull()
    expect(await convert(png(5, 5), 'image/png', 'image/gif', idle)).toBeNull()
    const bomb = png(1, 1, [30_000, 30_000])
    expect(bomb.length).toBeLessThan(100)
    expect(await createSharpConverter()(bomb, 'image/png', 'image/gif', idle)).toBeNull()
  })

  test('answers null for broken, truncated and mislabelled images', async () => {
    const convert = createSharpConverter()
    const jpeg = await sharp(png(40, 40)).jpeg().toBuffer()
    expect(
      await convert(jpeg.subarray(0, jpeg.length / 2), 'image/jpeg', 'image/png', idle),
    ).toBeNull()
    expect(await convert(heads.jpeg, 'image/jpeg', 'image/png', idle)).toBeNull()
    expect(await convert(heads.bmp, 'image/bmp', 'image/png', idle)).toBeNull()
    expect(await convert(gif, 'image/png', 'image/jpeg', idle)).toBeNull()
    const svg = new TextEncoder().encode(
      '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
    )
    expect(await convert(svg, 'image/png', 'image/jpeg', idle)).toBeNull()
    expect(await convert(new Uint8Array(), 'image/png', 'image/jpeg', idle)).toBeNull()
  })

  test('converts the next image after a broken one', async () => {
    const convert = createSharpConverter()
    const answers = await Promise.all([
      convert(heads.jpeg, 'image/jpeg', 'image/png', idle),
      convert(png(), 'image/png', 'image/gif', idle),
    ])
    expect(answers.map((answer) => answer === null)).toEqual([true, false])
  })

  test('converts nothing beyond the limit of waiting images, nor for a client that has disconnected', async () => {
    const convert = createSharpConverter({ maxWaiting: 2 })
    const ask = (signal: AbortSignal) => convert(png(), 'image/png', 'image/gif', signal)
    const answers = await Promise.all([ask(idle), ask(AbortSignal.abort()), ask(idle)])
    expect(answers.map((answer) => answer === null)).toEqual([false, true, true])
    // The queue has free places.
    expect(await ask(idle)).not.toBeNull()
  })

  test('makes transparency white in a JPEG', async () => {
    const jpeg = await createSharpConverter()(gif, 'image/gif', 'image/jpeg', idle)
    const { data } = await sharp(jpeg!).raw().toBuffer({ resolveWithObject: true })
    expect([...data.subarray(0, 3)]).toEqual([255, 255, 255])
  })

  test('turns a photograph by its orientation', async () => {
    const lying = await sharp(png(4, 2)).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const turned = await createSharpConverter()(lying, 'image/jpeg', 'image/png', idle)
    expect(await sharp(turned!).metadata()).toMatchObject({ width: 2, height: 4 })
  })
})
