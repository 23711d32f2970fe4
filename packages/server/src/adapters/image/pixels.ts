/** An image as its pixels: red, green, blue and opacity of each, row by row. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

/** The image with its longer side at most `maxSide`: each new pixel is the mean of those that it covers. */
export function shrink(image: Pixels, maxSide: number): Pixels {
  const scale = Math.max(image.width, image.height) / maxSide
  if (scale <= 1) return image
  const size = (side: number) => Math.max(1, Math.round(side / scale))
  const [width, height] = [size(image.width), size(image.height)]
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [left, right] = covered(x, width, image.width)
      const [top, bottom] = covered(y, height, image.height)
      data.set(meanOf(image, left, right, top, bottom), (y * width + x) * 4)
    }
  return { width, height, data }
}

/** The pixels of one axis that a new pixel covers. */
function covered(index: number, count: number, from: number): [first: number, end: number] {
  const first = Math.floor((index * from) / count)
  return [first, Math.max(first + 1, Math.floor(((index + 1) * from) / count))]
}

/** Colours count by their opacity, so that the invisible colour of transparent pixels does not darken an edge. */
function meanOf({ data, width }: Pixels, left: number, right: number, top: number, bottom: number) {
  let [red, green, blue, opacity] = [0, 0, 0, 0]
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      const at = (y * width + x) * 4
      const weight = data[at + 3]!
      red += data[at]! * weight
      green += data[at + 1]! * weight
      blue += data[at + 2]! * weight
      opacity += weight
    }
  if (opacity === 0) return [0, 0, 0, 0]
  return [red / opacity, green / opacity, blue / opacity, opacity / ((right - left) * (bottom - top))]
}
