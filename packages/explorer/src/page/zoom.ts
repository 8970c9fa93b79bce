/**
 * Where the diagram is drawn: a point p of the diagram appears at p · scale + (x, y). In pixels.
 */
export interface Camera {
  readonly x: number
  readonly y: number
  readonly scale: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

const smallestScale = 0.04
const largestScale = 2.5
/** Pixels of the diagram that stay inside the frame. */
const kept = 80

/** Shows the whole diagram, centered and never enlarged. */
export function fit(diagram: Size, frame: Size): Camera {
  const scale = scaleToFit(diagram, frame)
  return {
    x: (frame.width - diagram.width * scale) / 2,
    y: Math.max(0, (frame.height - diagram.height * scale) / 2),
    scale,
  }
}

/** The largest scale up to 1 at which the diagram fits into the frame. */
export function scaleToFit(diagram: Size, frame: Size): number {
  const scale = Math.min(1, frame.width / diagram.width, frame.height / diagram.height)
  return Math.max(smallestScale, scale)
}

/** Zooms; the point of the diagram at `at` of the frame stays there. */
export function zoomAt(camera: Camera, factor: number, at: Point): Camera {
  const scale = Math.max(smallestScale, Math.min(largestScale, camera.scale * factor))
  const ratio = scale / camera.scale
  return { x: at.x - (at.x - camera.x) * ratio, y: at.y - (at.y - camera.y) * ratio, scale }
}

export function panBy(camera: Camera, by: Point): Camera {
  return { ...camera, x: camera.x + by.x, y: camera.y + by.y }
}

/** Moves the camera back so far that a part of the diagram stays inside the frame. */
export function keepInside(camera: Camera, diagram: Size, frame: Size): Camera {
  const within = (offset: number, length: number, available: number) =>
    Math.max(kept - length * camera.scale, Math.min(available - kept, offset))
  return {
    ...camera,
    x: within(camera.x, diagram.width, frame.width),
    y: within(camera.y, diagram.height, frame.height),
  }
}

/** Centers a part of the diagram, enlarged to a readable size. */
export function centerOn(camera: Camera, part: Point & Size, frame: Size): Camera {
  const scale = Math.max(camera.scale, Math.min(1, scaleToFit(part, frame)))
  return {
    x: frame.width / 2 - (part.x + part.width / 2) * scale,
    y: frame.height / 2 - (part.y + part.height / 2) * scale,
    scale,
  }
}

/** Pans as little as possible to show a part of the diagram, its upper left corner first. */
export function reveal(camera: Camera, part: Point & Size, frame: Size): Camera {
  const shift = (from: number, length: number, available: number) =>
    from < 0 ? -from : Math.min(0, Math.max(available - from - length, -from))
  const { scale } = camera
  return panBy(camera, {
    x: shift(part.x * scale + camera.x, part.width * scale, frame.width),
    y: shift(part.y * scale + camera.y, part.height * scale, frame.height),
  })
}
